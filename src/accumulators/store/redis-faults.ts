import { plainText, tlsAdvice } from '../../connections/tls-faults.ts';
import { StoreUnavailable } from './unavailable.ts';

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
  'it needs EVAL, EVALSHA, HGETALL, HMGET, HSET, HDEL, TYPE, UNLINK, PEXPIRE, TIME, INFO and PING on keys receval:*, and SELECT for a database other than 0';

/** By the first word of an answer. */
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
  WRONGTYPE: wrong(
    'a key of receval holds something that is not a hash. Somebody else writes there: choose a namespace',
  ),
  BADSTATE: wrong('the stored state was edited by somebody else. Restore a backup, or rebuild the unit from the log'),
  BADCOMMIT: wrong('the commit is malformed. This is an error in receval: please report it'),
};

const LONGEST = 200;
const SETTING = 'redis.tls';

/** The first word of an error, which names its kind; texts differ between servers and versions. */
function firstWord(error: unknown): string {
  const text = error instanceof Error ? error.message : '';
  return (
    /^(?:Too many Cluster redirections\. Last error: \w*: |All sentinels are unreachable.*? Last error: )?([A-Z][A-Z0-9_]+)(?= |$)/.exec(
      text,
    )?.[1] ?? ''
  );
}

/** The word by which a fault is known: the server's, or one for what the client says of the connection. */
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

/**
 * Wraps what the client library rejected with. Its errors carry the arguments of their command, AUTH's too, so nothing
 * of them but the text goes on, and of that no secret. `trouble`: why the connection broke last, '' if it stands.
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
  const text = known === undefined && error instanceof Error ? cleaned(error.message, secrets) : trouble;
  const said = text === '' ? '' : ` (${text})`;
  // What broke the connection may be the same, told with its advice.
  const advice = text.endsWith(fault.advice) ? '' : `: ${fault.advice}`;
  return new StoreUnavailable(code, `Redis could not ${doing}: ${code}${said}${advice}`, fault);
}

/** Of a cluster that cannot be asked: what its last node said. */
function lastOf(error: unknown): unknown {
  return error instanceof Error && 'lastNodeError' in error ? (error.lastNodeError ?? error) : error;
}

/** Why a connection broke, with what to do where that is known. */
export function troubleOf(error: unknown, secrets: readonly string[]): string {
  const inner = lastOf(error);
  if (!(inner instanceof Error)) return '';
  const advice = FAULTS[firstWord(inner)]?.advice ?? tlsAdvice(inner, SETTING);
  const text = cleaned(inner.message, secrets);
  // Says nothing of why.
  if (text === 'Connection is closed.' || text === 'Failed to refresh slots cache.') return '';
  return advice === undefined ? text : `${text}: ${advice}`;
}

/** A server's text without secrets and without the arguments that it repeats, cut. */
export function cleaned(text: string, secrets: readonly string[]): string {
  let rest = plainText(text).split(/,? with args beginning with/)[0];
  for (const secret of secrets) rest = rest.replaceAll(secret, '***');
  return rest.length > LONGEST ? `${rest.slice(0, LONGEST)}...` : rest;
}
