import { Secret } from '../../connections/secret.ts';
import type { RedisSecurity, SecretSource, TlsSettings } from '../../connections/settings.ts';
import { TlsContext } from '../../connections/tls-context.ts';
import type { RedisTarget } from './redis-url.ts';

/** As the client library names them. */
interface RedisLogin {
  readonly username?: string;
  readonly password?: string;
  readonly sentinelUsername?: string;
  readonly sentinelPassword?: string;
}

/** How to get in: what the address says, and what stands beside it. */
export class RedisAccess {
  /** Each is read anew when it is looked at. */
  readonly login: RedisLogin;
  readonly tls: TlsContext | undefined;
  readonly sentinelTls: TlsContext | undefined;
  readonly #secrets: readonly Secret[];

  /** @throws AccessFileError when a file with a secret or a certificate cannot be used */
  constructor(target: RedisTarget, { username, password, tls, sentinel }: Partial<RedisSecurity>) {
    const secrets: Secret[] = [];
    const login: RedisLogin = {};
    const keep = (name: keyof RedisLogin, source: SecretSource | undefined): void => {
      if (source === undefined) return;
      const secret = new Secret(source);
      secret.read();
      secrets.push(secret);
      Object.defineProperty(login, name, { get: () => secret.read(), enumerable: true });
    };
    // An address that names a password says all of the login.
    keep('username', sourceOf(target.password === undefined ? username : target.username));
    keep('password', sourceOf(target.password) ?? password);
    keep('sentinelUsername', sourceOf(sentinel?.username));
    keep('sentinelPassword', sentinel?.password);
    this.login = login;
    this.#secrets = secrets;
    const own = tls ?? (target.kind === 'server' && target.tls ? ADDRESS_TLS : undefined);
    this.tls = contextOf(own);
    this.sentinelTls = contextOf(sentinel === undefined ? own : sentinel.tls);
  }

  /** What no message may hold, also as it may stand in an address. */
  get secrets(): readonly string[] {
    return this.#secrets.flatMap(({ seen }) => [...seen].flatMap((text) => [text, encodeURIComponent(text)]));
  }
}

/** What rediss:// alone asks for. */
const ADDRESS_TLS: TlsSettings = {
  setting: 'redis.tls',
  ca: undefined,
  cert: undefined,
  key: undefined,
  passphrase: undefined,
  serverName: undefined,
  rejectUnauthorized: true,
};

function contextOf(tls: TlsSettings | undefined): TlsContext | undefined {
  return tls === undefined ? undefined : new TlsContext(tls);
}

function sourceOf(text: string | undefined): SecretSource | undefined {
  return text === undefined ? undefined : { kind: 'text', text };
}
