import { isTree } from './tree.ts';

const HIDDEN = '***';

const HIDDEN_WHOLE = [
  'http.token',
  'kafka.tls.passphrase',
  'kafka.sasl.password',
  'kafka.sasl.token',
  'kafka.sasl.clientSecret',
  'redis.password',
  'redis.tls.passphrase',
  'redis.sentinel.password',
  'redis.sentinel.tls.passphrase',
];

/** Settings that may contain a secret, and how to show them. */
const SECRETS: ReadonlyMap<string, (value: string) => string> = new Map<string, (value: string) => string>([
  ['redis.url', redactUrl],
  ['kafka.sasl.tokenEndpoint', redactUrl],
  ...HIDDEN_WHOLE.map((path) => [path, () => HIDDEN] as const),
]);

/** Settings that are named like a secret but are not. */
const OPEN: ReadonlySet<string> = new Set(HIDDEN_WHOLE.map((path) => `${path}File`));

/** Hides user, password and query of a URL, and keeps hosts and path. Anything but a URL is hidden as a whole. */
export function redactUrl(url: string): string {
  const start = url.indexOf('://');
  if (start < 0) return HIDDEN;
  const scheme = url.slice(0, start + 3);
  const rest = url.slice(start + 3);
  const at = rest.lastIndexOf('@');
  const open = rest.slice(at + 1);
  const query = open.indexOf('?');
  return `${scheme}${at < 0 ? '' : `${HIDDEN}@`}${query < 0 ? open : `${open.slice(0, query)}?${HIDDEN}`}`;
}

/** A user and a password before a host, where a URL may not have them. */
const LOGIN = /^([^/@]*:\/\/)?.*@/s;

/** The value of one setting as it may be shown. A text in place of a group that has a secret may be that secret. */
export function redactAt(path: string, value: unknown): unknown {
  if (value === undefined || value === null) return value;
  const redact = SECRETS.get(path);
  if (redact !== undefined) return typeof value === 'string' ? redact(value) : HIDDEN;
  if (OPEN.has(path) || typeof value === 'boolean') return value;
  if (path.startsWith('kafka.brokers')) return typeof value === 'string' ? value.replace(LOGIN, `$1${HIDDEN}@`) : value;
  const isNear = [...SECRETS.keys()].some((secret) => secret.startsWith(`${path}.`) || path.startsWith(secret));
  return isNear && typeof value !== 'object' ? HIDDEN : value;
}

/** A copy of the configuration without secrets. */
export function redact(document: unknown, path = ''): unknown {
  if (!isTree(document)) return redactAt(path, document);
  const shown: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(document)) {
    shown[name] = redact(value, path === '' ? name : `${path}.${name}`);
  }
  return shown;
}
