import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { firstReply, PING, protocolAt } from '../../connections/port-protocol.ts';
import { explainedTls, ourCertificate, refusedCertificate } from '../../connections/refused-certificate.ts';
import { plainText, refusedIn, speaksTls, type TlsContext, tlsAdvice } from '../../connections/tls.ts';
import type { RedisAccess } from './redis-clients.ts';
import type { RedisAddress, RedisTarget } from './redis-url.ts';
import { StoreUnavailable } from './store-port.ts';

interface Fault {
  /** What is wrong, and what to do. */
  readonly advice: string;
  readonly retriable: boolean;
  readonly outcome: 'refused' | 'unknown';
}

function refused(advice: string): Fault {
  return { advice, retriable: true, outcome: 'refused' };
}

function unknown(advice: string): Fault {
  return { advice, retriable: true, outcome: 'unknown' };
}

function wrong(advice: string): Fault {
  return { advice, retriable: false, outcome: 'refused' };
}

const RIGHTS =
  'it needs EVAL, EVALSHA, HGETALL, HMGET, HSET, HDEL, HLEN, TYPE, UNLINK, PEXPIRE, TIME, INFO and PING on keys receval:*, and SELECT for a database other than 0';

/** The faults by the first word of the server's error. */
const FAULTS: Readonly<Record<string, Fault>> = {
  TIMEOUT: unknown('no answer in time. It is tried again; if it lasts, look at the load of the server and the network'),
  DISCONNECTED: unknown('the connection broke before the answer. It is made again by itself'),
  NOT_CONNECTED: refused('there is no connection. Check that the server runs, and that redis.url names it'),
  MOVED: unknown('the slot lives on another node. Use redis+cluster:// for a cluster'),
  ASK: unknown('the slot is moving to another node. Use redis+cluster:// for a cluster'),
  CLUSTERDOWN: unknown('the cluster has no owner for the slot. Check CLUSTER INFO'),
  TRYAGAIN: unknown('the slot is moving to another node. It is tried again'),
  CROSSSLOT: wrong('the keys lie in different slots. This is an error in receval: please report it'),
  READONLY: refused('this is a replica. Point redis.url at the primary, or use redis+sentinel://'),
  MASTERDOWN: refused('the replica has lost its primary. Point redis.url at the primary'),
  LOADING: refused('the server is still loading its data. It is tried again'),
  BUSY: refused('another script keeps the server busy. Find it, and end it by SCRIPT KILL if it has not written'),
  MISCONF: refused('the server cannot save to its disk. Free space there, or look at its log'),
  OOM: refused('the server is at its maxmemory. Raise maxmemory, or move other data away'),
  NOREPLICAS: refused('fewer replicas are connected than min-replicas-to-write asks for. Bring one back'),
  NOAUTH: refused(
    'a password is needed. Set redis.username and redis.passwordFile (of Sentinel: below redis.sentinel)',
  ),
  WRONGPASS: refused(
    'user or password are wrong. Check redis.username and its password, or redis.url (of Sentinel: redis.sentinel)',
  ),
  NOPERM: refused(`this user lacks rights: ${RIGHTS}`),
  NO_MASTER: refused('the sentinels watch no primary of this name. Correct the name at the end of redis.url'),
  NO_SENTINEL: refused('what answers there is not a sentinel. Name the sentinels in redis.url, or write redis://'),
  NO_CLUSTER: refused('what answers there is not a node of a cluster. Write redis:// in redis.url'),
  NO_DATABASE: refused(
    'the server has no database of this number. Correct it in redis.url, raise `databases` in redis.conf, or leave it out: a namespace keeps services apart as well',
  ),
  WRONGTYPE: wrong('somebody else writes to keys of receval. Delete that key and restart, or take another namespace'),
  BADSTATE: wrong(
    'the stored state was edited by somebody else. Restore a backup, or delete this key and start once with --rebuild',
  ),
  BADCOMMIT: wrong('the commit is malformed. This is an error in receval: please report it'),
};

const LONGEST = 200;
const SETTING = 'redis.tls';

/** Errors whose first word is only ERR. */
const BY_TEXT: readonly (readonly [RegExp, string])[] = [
  [/^ERR (?:(?:invalid )?DB index|SELECT is not allowed)/, 'NO_DATABASE'],
  // The reply of Redis 7 for a script.
  [/^ERR The user executing the script can't (?:run|access)/, 'NOPERM'],
  [/ Last error: ERR No such master/, 'NO_MASTER'],
  [/ Last error: ERR unknown command ['`]?sentinel/i, 'NO_SENTINEL'],
  [/^ERR This instance has cluster support disabled/, 'NO_CLUSTER'],
];

/** The first word of an error, which names its kind; texts differ between servers and versions. */
function firstWord(error: unknown): string {
  const text = error instanceof Error ? error.message : '';
  const named = BY_TEXT.find(([known]) => known.test(text))?.[1];
  if (named !== undefined) return named;
  return (
    /^(?:Too many Cluster redirections\. Last error: \w*: |All sentinels are unreachable.*? Last error: )?([A-Z][A-Z0-9_]+)(?= |$)/.exec(
      text,
    )?.[1] ?? ''
  );
}

/** The code of a fault: the server's first word, or one of our codes for errors of the connection. */
export function faultCode(outer: unknown): string {
  const error = lastOf(outer);
  const text = error instanceof Error ? error.message : '';
  if (error instanceof Error && tlsAdvice(error, SETTING) !== undefined) return 'TLS';
  if (/timed out|ETIMEDOUT/.test(text)) return 'TIMEOUT';
  if (/^(?:connect |getaddrinfo |unreachable)|isn't (?:writeable|ready)|Cluster is ended|startup nodes/.test(text)) {
    return 'NOT_CONNECTED';
  }
  const word = firstWord(error);
  return word === '' || /^E(?:PIPE|CONN|HOST|NET|AI_)/.test(word) ? 'DISCONNECTED' : word;
}

/** Whether the server refused to select the database of redis.url. */
export function isRefusedSelect(error: unknown): boolean {
  const command = error instanceof Error && 'command' in error ? error.command : undefined;
  return typeof command === 'object' && command !== null && 'name' in command && command.name === 'select';
}

/**
 * Wraps an error of the client library. Such an error carries the arguments of its command, even AUTH's, so only its text is
 * passed on, without secrets. `trouble`: why the connection broke last; '': it is up.
 */
export function unavailable(
  doing: string,
  error: unknown,
  secrets: readonly string[],
  trouble: string,
): StoreUnavailable {
  const code = faultCode(error);
  const last = lastOf(error);
  const tls = last instanceof Error ? tlsAdvice(last, SETTING) : undefined;
  const known = FAULTS[code];
  const fault = known ?? (tls === undefined ? unknown('see the log of the server') : refused(tls));
  const isQuoted = known === undefined || code === 'WRONGTYPE';
  const right = code === 'NOPERM' ? lackedRight(last) : undefined;
  const text =
    isQuoted && error instanceof Error ? cleaned(error.message.replace(/^WRONGTYPE /, ''), secrets) : trouble;
  const reason = right ?? text;
  const said = reason === '' ? '' : ` (${reason})`;
  // The reason for which the connection broke may have its own advice already.
  const isAdvised = text.endsWith(fault.advice) || (code === 'NOT_CONNECTED' && isExplained(text));
  const advice = isAdvised ? '' : `: ${fault.advice}`;
  return new StoreUnavailable(code, `Redis could not ${doing}: ${code}${said}${advice}`, fault);
}

/** Texts of servers and our scripts for a command that a user may not run, and for keys that it may not access. */
const LACKED_COMMAND = /'([A-Za-z|]+)' (?:command|subcommand)|^NOPERM ([A-Z]+) on /;
const LACKED_KEYS = /access (?:a key|(?:at least )?one of the keys)/;

/** The right that a refused command needs; undefined: the server does not name the command. */
function lackedRight(error: unknown): string | undefined {
  const text = error instanceof Error ? error.message : '';
  const [, named, ours] = LACKED_COMMAND.exec(text) ?? [];
  const command = named ?? ours;
  if (command !== undefined) return `allow it +${command.toLowerCase()} by ACL SETUSER`;
  return LACKED_KEYS.test(text) ? 'allow it ~receval:*, or %R~receval:* if it only reads, by ACL SETUSER' : undefined;
}

/** The error of the last node of a cluster that cannot be reached; any other error unchanged. */
function lastOf(error: unknown): unknown {
  return error instanceof Error && 'lastNodeError' in error ? (error.lastNodeError ?? error) : error;
}

/** Whether a text of `troubleOf` says what to do. */
function isExplained(text: string): boolean {
  const fault = FAULTS[firstWord(new Error(text))];
  return (fault !== undefined && text.endsWith(fault.advice)) || tlsAdvice({ message: text }, SETTING) !== undefined;
}

/** Why a connection broke and, if known, what to do. */
export function troubleOf(error: unknown, secrets: readonly string[]): string {
  const inner = lastOf(error);
  if (!(inner instanceof Error)) return '';
  const advice = FAULTS[firstWord(inner)]?.advice ?? tlsAdvice(inner, SETTING);
  const text = cleaned(inner.message, secrets);
  // These texts give no reason.
  if (text === 'Connection is closed.' || text === 'Failed to refresh slots cache.') return '';
  return advice === undefined ? text : `${text}: ${advice}`;
}

/** A server's text, shortened, without secrets and without the arguments that it repeats. */
function cleaned(text: string, secrets: readonly string[]): string {
  let rest = plainText(text).split(/,? with args beginning with/)[0];
  for (const secret of secrets) rest = rest.replaceAll(secret, '***');
  return rest.length > LONGEST ? `${rest.slice(0, LONGEST)}...` : rest;
}

const TIMEOUT_MS = 2000;

/** A server that refuses our certificate says so within this time. */
const REFUSAL_MS = 500;

const TLS = 'write rediss://, or set redis.tls: true';

const NO_TLS = 'write redis:// and leave redis.tls out, or name the port with TLS';

/**
 * Explains the error of a client that could not connect. The client knows only that it got no reply, so this probes the port
 * itself. Sends no secret. Never rejects.
 */
export async function explainRedis(error: unknown, target: RedisTarget, access: RedisAccess): Promise<unknown> {
  if (!(error instanceof StoreUnavailable) || !(error.isUnanswered || error.code === 'TLS')) return error;
  const tls = access.tlsTo(target);
  const said = await Promise.all(addressesOf(target).map((address) => explainAddress(address, tls)));
  const first = said.find((explained) => explained !== undefined);
  if (first === undefined) return error;
  // `refusal` repeats what the message says of TLS, with more detail.
  const found = error.code === 'TLS' ? error.message.replace(/: TLS .*$/s, ': TLS') : error.message;
  return new StoreUnavailable(first.code, `${found}. ${first.text}`, error);
}

/** The error for a sentinel that was taken for a server: it responds, but has no data. */
export function sentinelAsServer(target: RedisTarget): StoreUnavailable {
  const places = addressesOf(target).map(({ host, port }) => `${host}:${port}`);
  const fault = wrong(`write redis+sentinel://${places.join(',')}/NAME, with the name of the primary, in redis.url`);
  const found = `${places.join(', ')} is a sentinel, which stores nothing`;
  return new StoreUnavailable('NOT_REDIS', `${found}: ${fault.advice}`, fault);
}

interface Explained {
  readonly code: 'TLS' | 'NOT_REDIS';
  readonly text: string;
}

async function explainAddress(
  { host, port }: RedisAddress,
  tls: TlsContext | undefined,
): Promise<Explained | undefined> {
  const place = `${host}:${port}`;
  if (tls !== undefined) {
    if (await speaksPlain(host, port)) return { code: 'TLS', text: `${place} speaks without TLS: ${NO_TLS}` };
    const refused = await refusal(host, port, tls);
    if (refused !== undefined) return { code: 'TLS', text: `${place}: ${refused}` };
  } else if (await speaksTls(host, port, TIMEOUT_MS)) {
    return { code: 'TLS', text: `${place} speaks TLS: ${TLS}` };
  }
  const protocol = await protocolAt(host, port, tls, TIMEOUT_MS);
  if (protocol === undefined || protocol === 'Redis') return undefined;
  return { code: 'NOT_REDIS', text: `${place} speaks ${protocol}, and not Redis: correct redis.url` };
}

function addressesOf(target: RedisTarget): readonly RedisAddress[] {
  return target.kind === 'server' ? [target.address] : target.addresses;
}

/**
 * Why client and server do not agree on TLS, and what to do; undefined: they agree. The client does not report this for nodes of
 * a cluster.
 */
async function refusal(host: string, port: number, tls: TlsContext): Promise<string | undefined> {
  const error = await handshakeError(host, port, tls);
  const said = error && (await explainedTls(error, { host, port }, tls, TIMEOUT_MS));
  return error && said && `${plainText(error.message)}: ${said}`;
}

function handshakeError(host: string, port: number, tls: TlsContext): Promise<Error | undefined> {
  return new Promise((resolve) => {
    const socket = connectTls({ host, port, ...tls.options(host) });
    let asking: NodeJS.Timeout | undefined;
    const end = (error: Error | undefined): void => {
      clearTimeout(asking);
      socket.destroy();
      resolve(error);
    };
    socket.setTimeout(TIMEOUT_MS, () => end(undefined));
    // A server demands a client certificate only after the handshake, and the client loses its alert after writing more.
    socket.once('secureConnect', () => {
      asking = setTimeout(() => void socket.write(PING), REFUSAL_MS);
    });
    socket.once('data', () => end(undefined));
    socket.once('close', () => end(undefined));
    socket.on('error', end);
  });
}

/** The text of `troubleOf` with the certificate that was refused; undefined: none was, or it is not known yet. Never rejects. */
export async function certificateTrouble(
  error: unknown,
  target: RedisTarget,
  access: RedisAccess,
): Promise<string | undefined> {
  const inner = lastOf(error);
  const tls = access.tlsTo(target);
  if (!(inner instanceof Error) || tls === undefined || tlsAdvice(inner, SETTING) === undefined) return undefined;
  const said = refusedIn(inner) === 'ours' ? ourCertificate(tls) : await refusedOf(target, tls);
  return said === undefined ? undefined : `${cleaned(inner.message, access.secrets)}: ${said}`;
}

async function refusedOf(target: RedisTarget, tls: TlsContext): Promise<string | undefined> {
  const asked = addressesOf(target).map(({ host, port }) => refusedCertificate(host, port, tls, TIMEOUT_MS));
  return (await Promise.all(asked)).find((text) => text !== undefined);
}

/** Whether the server replies to a PING without TLS, if only with an error. */
async function speaksPlain(host: string, port: number): Promise<boolean> {
  const answer = await firstReply(PING, (onConnect) => connect({ host, port }, onConnect), TIMEOUT_MS);
  return /^[+-][A-Z]/.test(answer.toString('latin1'));
}
