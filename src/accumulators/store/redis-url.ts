/** The four forms of `redis.url` (specification: configuration 4). */

export interface RedisAddress {
  readonly host: string;
  readonly port: number;
}

interface Credentials {
  readonly username: string | undefined;
  readonly password: string | undefined;
}

export type RedisTarget = Credentials &
  (
    | { readonly kind: 'server'; readonly address: RedisAddress; readonly tls: boolean; readonly db: number }
    | { readonly kind: 'sentinel'; readonly addresses: readonly RedisAddress[]; readonly master: string }
    | { readonly kind: 'cluster'; readonly addresses: readonly RedisAddress[] }
  );

/** An address that has none of the four forms. The message does not repeat it, as it may contain a password. */
export class RedisUrlError extends Error {
  override readonly name = 'RedisUrlError';
  constructor(problem: string) {
    super(
      `redis.url: ${problem}; expected redis://[user:password@]host[:port][/db], rediss://..., ` +
        'redis+sentinel://host:port,host:port/master or redis+cluster://host:port,host:port',
    );
  }
}

const URL_FORM = /^(redis|rediss|redis\+sentinel|redis\+cluster):\/\/(.*)$/s;
const ADDRESS = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:,/?@[\]]+))(?::([0-9]{1,5}))?$/;

/**
 * Splits a URL. A password may contain any character, so the hosts start after the last @; characters may also be escaped, such
 * as %40. Ports default to 6379, those of sentinels to 26379. @throws RedisUrlError
 */
export function parseRedisUrl(url: string): RedisTarget {
  const form = URL_FORM.exec(url);
  if (form === null) throw new RedisUrlError('unknown scheme');
  const [, scheme, rest] = form;
  const at = rest.lastIndexOf('@');
  const credentials = parseCredentials(at === -1 ? undefined : rest.slice(0, at));
  const tail = rest.slice(at + 1);
  const slash = tail.indexOf('/');
  const hosts = (slash === -1 ? tail : tail.slice(0, slash)).split(',');
  const path = slash === -1 ? '' : tail.slice(slash + 1);
  switch (scheme) {
    case 'redis+sentinel':
      if (!/^[^\s/?{}]+$/.test(path)) throw new RedisUrlError('the name of the master is missing behind the hosts');
      return {
        kind: 'sentinel',
        ...credentials,
        addresses: hosts.map((host) => addressOf(host, 26_379)),
        master: path,
      };
    case 'redis+cluster':
      if (path !== '') throw new RedisUrlError('a cluster has no databases, so nothing may follow the hosts');
      return { kind: 'cluster', ...credentials, addresses: hosts.map((host) => addressOf(host, 6379)) };
    default:
      if (hosts.length !== 1) throw new RedisUrlError('several hosts need redis+sentinel:// or redis+cluster://');
      if (!/^[0-9]{0,4}$/.test(path)) throw new RedisUrlError('the database is a number');
      return {
        kind: 'server',
        ...credentials,
        address: addressOf(hosts[0], 6379),
        tls: scheme === 'rediss',
        db: Number(path),
      };
  }
}

/** The target without user and password, for messages. */
export function shownTarget(target: RedisTarget): string {
  switch (target.kind) {
    case 'server':
      return `redis${target.tls ? 's' : ''}://${addressText(target.address)}${target.db === 0 ? '' : `/${target.db}`}`;
    case 'sentinel':
      return `redis+sentinel://${target.addresses.map(addressText).join(',')}/${target.master}`;
    case 'cluster':
      return `redis+cluster://${target.addresses.map(addressText).join(',')}`;
  }
}

/** `host:port`; an IPv6 address is in brackets. */
export function addressText({ host, port }: RedisAddress): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

function addressOf(text: string, defaultPort: number): RedisAddress {
  const match = ADDRESS.exec(text);
  if (match === null) throw new RedisUrlError('a host is missing or malformed');
  const port = match[3] === undefined ? defaultPort : Number(match[3]);
  if (port < 1 || port > 65_535) throw new RedisUrlError('a port is out of range');
  return { host: match[1] ?? match[2], port };
}

function parseCredentials(text: string | undefined): Credentials {
  if (text === undefined || text === '') return { username: undefined, password: undefined };
  const colon = text.indexOf(':');
  if (colon === -1) throw new RedisUrlError('a user without a password (a password alone is written :password@)');
  const username = unescaped(text.slice(0, colon));
  const password = unescaped(text.slice(colon + 1));
  return { username: username === '' ? undefined : username, password: password === '' ? undefined : password };
}

/** A % that does not start an escape is a plain %. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
