/** How clients of Kafka and Redis get in, as the configuration says it. Files are named here and read when they are needed. */

/** A secret as text, or a file that holds it and may change. */
export type SecretSource =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'file';
      readonly path: string;
      /** Path of the setting, for messages. */
      readonly setting: string;
      /** What it must look like; default: anything that is not empty. */
      readonly form?: SecretForm;
    };

export interface SecretForm {
  readonly pattern: RegExp;
  /** Behind "expected". */
  readonly what: string;
}

export interface TlsSettings {
  /** Path of these settings, for messages: `kafka.tls`. */
  readonly setting: string;
  /** Files in PEM form. undefined: the authorities that Node.js knows; no certificate of our own. */
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  readonly passphrase: SecretSource | undefined;
  /** The name that the server's certificate must hold; undefined: that of the host that is connected to. */
  readonly serverName: string | undefined;
  /** false: any certificate will do. */
  readonly rejectUnauthorized: boolean;
}

type PasswordMechanism = 'plain' | 'scram-sha-256' | 'scram-sha-512';

export type SaslSettings =
  | { readonly mechanism: PasswordMechanism; readonly username: string; readonly password: SecretSource }
  | { readonly mechanism: 'oauthbearer'; readonly token: SecretSource }
  | {
      readonly mechanism: 'oauthbearer';
      /** The client credentials grant of RFC 6749, section 4.4. */
      readonly tokenEndpoint: string;
      readonly clientId: string;
      readonly clientSecret: SecretSource;
      readonly scope: string | undefined;
    }
  | { readonly mechanism: 'msk-iam'; readonly region: string };

/** What a client of Kafka needs to get in. */
export interface KafkaSecurity {
  readonly tls: TlsSettings | undefined;
  readonly sasl: SaslSettings | undefined;
}

/** What a client of Redis needs to get in, beside what the address says. */
export interface RedisSecurity {
  readonly username: string | undefined;
  readonly password: SecretSource | undefined;
  readonly tls: TlsSettings | undefined;
  readonly sentinel: {
    readonly username: string | undefined;
    readonly password: SecretSource | undefined;
    readonly tls: TlsSettings | undefined;
  };
}
