import type { SaslSettings, TlsSettings } from '../../src/connections/security-settings.ts';
import { Authority, type Certificate } from './certificates.ts';
import { type RunningKafka, startKafka } from './kafka.ts';

/** Passwords that stand nowhere else. */
export const PASSWORDS = { app: 'c4n4ry-app', plain: 'c4n4ry-plain' } as const;
const MECHANISMS = 'SCRAM-SHA-512,SCRAM-SHA-256,PLAIN,OAUTHBEARER';
const SECURITY = 'org.apache.kafka.common.security';

/**
 * One broker that asks for everything: users app (SCRAM) and plain (PLAIN), and by token whoever it names. Its listeners:
 * SECURE (TLS and login), LOGIN (login in plain text), TLS, MTLS (wants a certificate), EXPIRED, EARLY and ELSEWHERE (TLS
 * with a certificate that ended, one that begins in years, and one for another host). Who comes in without a name is administrator.
 */
export interface SecureKafka {
  readonly kafka: RunningKafka;
  readonly authority: Authority;
  /** One that no broker knows. */
  readonly stranger: Authority;
  readonly client: Certificate;
  stop(): Promise<void>;
}

/** @throws ServiceMissing */
export async function startSecureKafka(): Promise<SecureKafka> {
  const authority = await Authority.make();
  const stranger = await Authority.make('somebody else');
  const hosts = 'DNS:localhost,IP:127.0.0.1';
  const server = await authority.sign({ name: 'broker', hosts });
  const expired = await authority.sign({ name: 'broker', hosts, expired: true });
  const early = await authority.sign({ name: 'broker', hosts, early: true });
  const elsewhere = await authority.sign({ name: 'broker', hosts: 'DNS:kafka.example' });
  const client = await authority.sign({ name: 'receval-worker' });
  const login = (listener: string): Record<string, string> => {
    const at = `listener.name.${listener}`;
    const scram = `${SECURITY}.scram.ScramLoginModule required;`;
    return {
      [`${at}.sasl.enabled.mechanisms`]: MECHANISMS,
      [`${at}.scram-sha-256.sasl.jaas.config`]: scram,
      [`${at}.scram-sha-512.sasl.jaas.config`]: scram,
      [`${at}.plain.sasl.jaas.config`]: `${SECURITY}.plain.PlainLoginModule required user_plain="${PASSWORDS.plain}";`,
      [`${at}.oauthbearer.sasl.jaas.config`]: `${SECURITY}.oauthbearer.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub="broker";`,
    };
  };
  const kafka = await startKafka({
    listeners: {
      SECURE: 'SASL_SSL',
      LOGIN: 'SASL_PLAINTEXT',
      TLS: 'SSL',
      MTLS: 'SSL',
      EXPIRED: 'SSL',
      EARLY: 'SSL',
      ELSEWHERE: 'SSL',
    },
    scram: [`SCRAM-SHA-512=[name=app,password=${PASSWORDS.app}]`, `SCRAM-SHA-256=[name=app,password=${PASSWORDS.app}]`],
    properties: {
      'ssl.keystore.type': 'PEM',
      'ssl.keystore.location': server.both,
      'ssl.truststore.type': 'PEM',
      'ssl.truststore.location': authority.ca,
      'listener.name.mtls.ssl.client.auth': 'required',
      'listener.name.expired.ssl.keystore.type': 'PEM',
      'listener.name.expired.ssl.keystore.location': expired.both,
      'listener.name.early.ssl.keystore.type': 'PEM',
      'listener.name.early.ssl.keystore.location': early.both,
      'listener.name.elsewhere.ssl.keystore.type': 'PEM',
      'listener.name.elsewhere.ssl.keystore.location': elsewhere.both,
      'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
      'super.users': 'User:ANONYMOUS',
      // A client logs in again from the second second on.
      'listener.name.login.scram-sha-256.connections.max.reauth.ms': 11_000,
      ...login('secure'),
      ...login('login'),
    },
  });
  return {
    kafka,
    authority,
    stranger,
    client,
    async stop() {
      await kafka.stop();
      authority.remove();
      stranger.remove();
    },
  };
}

export function tlsOf(files: Partial<TlsSettings> = {}): TlsSettings {
  return {
    setting: 'kafka.tls',
    ca: undefined,
    cert: undefined,
    key: undefined,
    passphrase: undefined,
    serverName: undefined,
    rejectUnauthorized: true,
    ...files,
  };
}

export function passwordLogin(
  mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512',
  password: string,
  username = mechanism === 'plain' ? 'plain' : 'app',
): SaslSettings {
  return { mechanism, username, password: { kind: 'text', text: password } };
}

/** A token that says who we are, without signature: brokers take such for tests only. @param life in seconds */
export function unsignedToken(subject: string, life = 3600): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const now = Math.floor(Date.now() / 1000);
  return `${part({ alg: 'none' })}.${part({ sub: subject, iat: now - 1, exp: now + life })}.`;
}
