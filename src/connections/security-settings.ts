/** How clients of Kafka and Redis authenticate, as configured. Files are named here and read when they are needed. */

/** A secret as text, or the file that contains it and may change. */
export type SecretSource =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'file';
      readonly path: string;
      /** Path of the setting, for messages. */
      readonly setting: string;
      /** The form that it must have; default: anything that is not empty. */
      readonly form?: SecretForm;
    };

export interface SecretForm {
  readonly pattern: RegExp;
  /** The text after "expected" in a message. */
  readonly what: string;
}

export interface TlsSettings {
  /** Path of these settings, for messages: `kafka.tls`. */
  readonly setting: string;
  /** Files in PEM form. undefined: the authorities that Node.js trusts; no certificate of our own. */
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  readonly passphrase: SecretSource | undefined;
  /** The name that the server's certificate must contain; undefined: the host's. */
  readonly serverName: string | undefined;
  /** false: any certificate is accepted. */
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

/** How a client of Kafka authenticates. */
export interface KafkaSecurity {
  readonly tls: TlsSettings | undefined;
  readonly sasl: SaslSettings | undefined;
}

/** How a client of Redis authenticates, beyond what its URL contains. */
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
