import type { StoreUsage } from './store-port.ts';

/** Checks what a server reports about itself. */
export interface StoreFinding {
  readonly check:
    | 'version'
    | 'eviction'
    | 'memory'
    | 'history'
    | 'durability'
    | 'reload'
    | 'replicas'
    | 'clock'
    | 'self-test';
  /** error: the service must not start. */
  readonly level: 'ok' | 'warning' | 'error';
  /** What was found and, unless all is well, what to do. It is the same for all primaries in the same state. */
  readonly message: string;
  /** A text before the message that differs between primaries, such as how much memory is in use. */
  readonly reading?: string;
  /** `host:port` of the primary of a cluster; undefined: there is one server, or the finding is about all of them. */
  readonly primary?: string;
  /** The alert that a running service raises for it (docs/runbook.md). */
  readonly alert?: string;
}

/** Merges equal findings, and names the primaries of a cluster that each was found on. */
export function joinedFindings(findings: readonly StoreFinding[]): readonly JoinedFinding[] {
  const alike = new Map<string, StoreFinding[]>();
  for (const one of findings) {
    const key = JSON.stringify([one.check, one.level, one.message]);
    alike.set(key, [...(alike.get(key) ?? []), one]);
  }
  return [...alike.values()].map((same) => {
    const { check, level, message, alert } = same[0];
    const asked = findings.filter((one) => one.check === check).length;
    const text = `${asked === 1 ? readingOf(same[0]) : placesOf(same, asked)}${message}`;
    return alert === undefined ? { check, level, message: text } : { check, level, message: text, alert };
  });
}

type JoinedFinding = Omit<StoreFinding, 'reading' | 'primary'>;

function readingOf({ reading }: StoreFinding): string {
  return reading === undefined ? '' : `${reading}: `;
}

/** The primaries, as text before a message; '' if all of them are well and there is nothing to look for. */
function placesOf(same: readonly StoreFinding[], asked: number): string {
  const isAll = same.length === asked;
  if (isAll && same[0].level === 'ok' && same[0].reading === undefined) return '';
  const places = same.map(({ primary = '', reading }) =>
    reading === undefined ? primary : `${primary} with ${reading}`,
  );
  return `${isAll ? `all ${asked}` : `${same.length} of ${asked}`} primaries (${places.sort().join(', ')}): `;
}

type ServerInfo = ReadonlyMap<string, string>;

/** The reply to INFO, by name. A name that occurs several times, such as `module`, has all its lines. */
export function parseInfo(text: string): ServerInfo {
  const info = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    if (line === '' || line.startsWith('#')) continue;
    const name = line.slice(0, line.indexOf(':'));
    const value = line.slice(line.indexOf(':') + 1);
    const before = info.get(name);
    info.set(name, before === undefined ? value : `${before}\n${value}`);
  }
  return info;
}

/** Findings on one server, in a fixed order. */
export function findingsOf(info: ServerInfo): readonly StoreFinding[] {
  return [version(info), eviction(info), memory(info), history(info), durability(info), replicas(info)];
}

/** The first version of each release line without CVE-2025-49844, through which a script can take over the server. */
const SAFE: Readonly<Record<string, readonly string[]>> = {
  Redis: ['7.2.11', '7.4.6', '8.0.4', '8.2.2'],
  Valkey: ['7.2.11', '8.0.6', '8.1.4'],
};

function version(info: ServerInfo): StoreFinding {
  const valkey = info.get('valkey_version');
  const product = valkey === undefined ? 'Redis' : 'Valkey';
  const number = valkey ?? info.get('redis_version') ?? '';
  const [major, minor] = parts(number);
  const found = `${product} ${number === '' ? 'of an unknown version' : number}`;
  const finding = (level: StoreFinding['level'], what: string): StoreFinding => ({
    check: 'version',
    level,
    message: `${found}${what}`,
  });
  if (!(major >= 7)) return finding('error', ': scripts need Redis 7.0 or later, or Valkey 7.2 or later. Upgrade it');
  if (product === 'Redis' && major === 7 && minor === 0) {
    return finding(
      'warning',
      ' may have CVE-2025-49844: INFO does not tell the revision of a package. ' +
        'On Debian 12 it must be at least 5:7.0.15-1~deb12u10 (dpkg -l redis-server); elsewhere upgrade',
    );
  }
  const safe = SAFE[product].find((one) => same(one, major, minor));
  if (safe !== undefined && before(parts(number), parts(safe))) {
    return finding('warning', ` has CVE-2025-49844. Upgrade to ${safe} or later`);
  }
  return finding('ok', '');
}

function parts(number: string): readonly [number, number, number] {
  const [major = Number.NaN, minor = 0, patch = 0] = number.split('.').map((part) => Number.parseInt(part, 10));
  return [major, minor, patch];
}

function same(number: string, major: number, minor: number): boolean {
  const [theirs, line] = parts(number);
  return theirs === major && line === minor;
}

function before(a: readonly number[], b: readonly number[]): boolean {
  const i = a.findIndex((part, at) => part !== b[at]);
  return i !== -1 && a[i] < b[i];
}

function eviction(info: ServerInfo): StoreFinding {
  const policy = info.get('maxmemory_policy') ?? 'unknown';
  const { evicted } = usageOfOne(info);
  if (policy === 'noeviction' && evicted === 0) {
    return { check: 'eviction', level: 'ok', message: 'maxmemory-policy is noeviction' };
  }
  if (policy === 'noeviction') {
    return {
      check: 'eviction',
      level: 'warning',
      reading: `${evicted} keys evicted since the start of the server`,
      message:
        "maxmemory-policy is noeviction now, but was not always: if the keys were receval's, " +
        'measures are too low. Restore a backup, or start once with --rebuild',
    };
  }
  return {
    check: 'eviction',
    level: 'error',
    message: `maxmemory-policy is ${policy}: rows could vanish silently. Set it to noeviction`,
    alert: 'RecevalRedisMayEvict',
  };
}

/** Share of the limit from which on somebody should make room: at the limit the server accepts no more commits. */
export const NEARLY_FULL = 0.8;

function memory(info: ServerInfo): StoreFinding {
  const { usedBytes, limitBytes } = usageOfOne(info);
  if (limitBytes === undefined) {
    return {
      check: 'memory',
      level: 'warning',
      reading: `${mebibytes(usedBytes)} in use`,
      message:
        'maxmemory is not set: the server takes memory until the machine kills it, and nobody is told ' +
        'before. Set maxmemory to at most half of what the machine or container has',
    };
  }
  const reading = `${mebibytes(usedBytes)} of maxmemory ${mebibytes(limitBytes)} in use`;
  if (usedBytes <= NEARLY_FULL * limitBytes) return { check: 'memory', level: 'ok', reading, message: 'there is room' };
  return {
    check: 'memory',
    level: 'warning',
    reading,
    message: 'when it is full no commit is taken any more. Raise maxmemory, or show fewer cohorts, horizons or windows',
    alert: 'RecevalRedisMemoryHigh',
  };
}

function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}

/** @param texts the reply to INFO of each primary, sections memory and stats */
export function usageOf(texts: readonly string[]): StoreUsage {
  const all = texts.map((text) => usageOfOne(parseInfo(text)));
  const share = ({ usedBytes, limitBytes }: StoreUsage): number =>
    limitBytes === undefined ? 0 : usedBytes / limitBytes;
  const fullest = all.reduce((most, one) => (share(one) > share(most) ? one : most));
  return {
    ...fullest,
    evicted: all.reduce((sum, { evicted }) => sum + evicted, 0),
    evictionPolicy: all.find(({ evictionPolicy }) => evictionPolicy !== undefined)?.evictionPolicy,
  };
}

function usageOfOne(info: ServerInfo): StoreUsage {
  const number = (name: string): number => Number(info.get(name) ?? '0');
  const limit = number('maxmemory');
  const policy = info.get('maxmemory_policy');
  return {
    usedBytes: number('used_memory'),
    limitBytes: limit === 0 ? undefined : limit,
    evicted: number('evicted_keys'),
    evictionPolicy: policy === 'noeviction' ? undefined : policy,
  };
}

/** A store with several writable copies has no single history, on which the guard relies. */
function history(info: ServerInfo): StoreFinding {
  const several =
    info.get('role') === 'active-replica' ||
    /(?:^|\n)name=crdt/.test(info.get('module') ?? '') ||
    [...info.keys()].some((name) => name.startsWith('crdt'));
  return several
    ? {
        check: 'history',
        level: 'error',
        message: 'this is an active-active database: the guarantee needs one history per key. Use a plain one',
      }
    : { check: 'history', level: 'ok', message: 'one primary' };
}

function durability(info: ServerInfo): StoreFinding {
  if (info.get('aof_enabled') === '1') return { check: 'durability', level: 'ok', message: 'appendonly is on' };
  return {
    check: 'durability',
    level: 'warning',
    message:
      'appendonly is off: a restart goes back to the last snapshot, and what is missing is read from the log again, ' +
      'as far as that reaches back. Set appendonly yes',
  };
}

/**
 * The commands of the transaction that a commit leaves in the append-only file. Valkey up to 9.1.1, and Redis before
 * redis/redis#14545, load that file as the user `default` and skip each transaction that this user may not run.
 */
export function reloadQuestions(key: string): readonly (readonly string[])[] {
  return [
    ['HSET', key, 'f', 'v'],
    ['HDEL', key, 'f'],
    ['PEXPIREAT', key, '1'],
    ['UNLINK', key],
  ];
}

/** The first version that loads transactions without checking rights (valkey-io/valkey#3984); up to 9.1.1 it was seen to check them. */
const LOADS_FREELY = '9.1.2';

/**
 * Whether a restart of the server would reload commits. `answers`: the reply to ACL DRYRUN for each of `reloadQuestions` and the
 * user `default`; undefined: our user may not ask, or the server does not know the command.
 */
export function reloadFinding(info: ServerInfo, answers: readonly string[] | undefined): StoreFinding {
  const finding = (level: StoreFinding['level'], message: string): StoreFinding => ({
    check: 'reload',
    level,
    message,
  });
  const valkey = info.get('valkey_version');
  if (info.get('aof_enabled') !== '1') return finding('ok', 'appendonly is off: a restart loads no log of writes');
  if (valkey !== undefined && !before(parts(valkey), parts(LOADS_FREELY))) {
    return finding('ok', `Valkey ${valkey} loads its log of writes whatever its users may do`);
  }
  if (answers === undefined) {
    return finding(
      'warning',
      'it is not known whether a restart would lose all state: this user may not ask. Allow it +acl|dryrun. ' +
        'By ACL LIST the user default must have ~* &* +@all, for this server may load its log of writes as default',
    );
  }
  const refused = answers.find((answer) => answer !== 'OK');
  if (refused === undefined)
    return finding('ok', 'a restart loads the whole log of writes: the user default may do all of it');
  return finding(
    'error',
    `a restart would lose all state: the server loads its log of writes as the user default, whose rights do not suffice (${refused}). ` +
      'Run ACL SETUSER default ~* &* +@all, and write the same into its file of users; a user that is off stays off',
  );
}

function replicas(info: ServerInfo): StoreFinding {
  const count = Number(info.get('connected_slaves') ?? '0');
  if (count === 0 || info.has('min_slaves_good_slaves')) {
    return { check: 'replicas', level: 'ok', message: replicasText(count) };
  }
  return {
    check: 'replicas',
    level: 'warning',
    reading: replicasText(count),
    message: 'a primary that is cut off from its replicas still takes writes. Set min-replicas-to-write 1',
  };
}

function replicasText(count: number): string {
  return `${count} replica${count === 1 ? '' : 's'}`;
}
