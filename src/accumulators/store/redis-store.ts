// Long because one store does everything that is needed of a Redis server.
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Cluster, Redis } from 'ioredis';
import type { RedisSecurity } from '../../connections/security-settings.ts';
import type { DurationMs, EpochMs } from '../../vocabulary/events.ts';
import { checkpointToStored, fromStored, rowsToStored, someFromStored } from './checksums.ts';
import { generationName } from './generation.ts';
import { FORMAT_VERSION, isLasting, STORE_FIELDS } from './layout.ts';
import {
  type ClientSettings,
  clusterOptions,
  nodeStaysFresh,
  quietSentinels,
  RedisAccess,
  serverOptions,
  stayFresh,
} from './redis-clients.ts';
import { certificateTrouble, explainRedis, sentinelAsServer } from './redis-faults.ts';
import { findingsOf, parseInfo, reloadFinding, reloadQuestions, type StoreFinding, usageOf } from './redis-findings.ts';
import { type CallTimeout, RedisLink } from './redis-link.ts';
import { addressText, parseRedisUrl, type RedisAddress, type RedisTarget, shownTarget } from './redis-url.ts';
import {
  type Claimed,
  type Commit,
  type CommitAnswer,
  type Fields,
  type Store,
  StoreUnavailable,
  type StoreUsage,
} from './store-port.ts';

export interface RedisStoreOptions extends Partial<RedisSecurity> {
  /** redis://, rediss://, redis+sentinel:// or redis+cluster:// (redis-url.ts). */
  readonly url: string;
  /** Rows that are not written for this long expire: at least `keep` + 14 days (specification: windows 1.2). undefined: never. */
  readonly rowTtl?: DurationMs | undefined;
  /** How long one commit or claim may take on a good line; default 2 s. On a long line, and for reads, five times as long. */
  readonly commandTimeout?: DurationMs | undefined;
  /** How long `connect` waits for the server; default 10 s. */
  readonly connectTimeout?: DurationMs | undefined;
}

/** Keys per call. */
const READ_BATCH = 100;

interface Script {
  readonly text: string;
  readonly sha: string;
}

/** Keys and arguments of one script call. */
interface ScriptCall {
  readonly keys: readonly string[];
  readonly args: readonly string[];
}

function script(name: string): Script {
  const text = readFileSync(new URL(`./${name}.lua`, import.meta.url), 'utf8');
  return { text, sha: createHash('sha1').update(text).digest('hex') };
}

const COMMIT = script('commit');
const CLAIM = script('claim');

/** A server that takes writes. */
interface Primary {
  readonly link: RedisLink;
  /** `host:port` of a primary of a cluster; undefined: there is only one server. */
  readonly address: string | undefined;
}

/** Timeout of reads, and of commits on a long line, as a multiple of that of commits. */
const TIMES_AS_LONG = 5;

/**
 * A store in Redis. A commit is one script call, so it is applied as a whole or not at all, and every rejection is a
 * StoreUnavailable. Nothing is retried or queued here: callers decide that.
 *
 * Texts are sent as UTF-8, so they must not contain lone surrogates.
 */
export class RedisStore implements Store {
  readonly #target: RedisTarget;
  readonly #access: RedisAccess;
  readonly #rowTtl: DurationMs | undefined;
  /** For claims and commits, which must not wait behind reads. */
  readonly #writes: RedisLink;
  readonly #reads: RedisLink;
  readonly #primaries: () => readonly Primary[];
  readonly #connected: () => readonly RedisAddress[];

  /**
   * Rejects with a StoreUnavailable when no server can be reached, with a RedisUrlError for a malformed URL, with an
   * AccessFileError for a file with a secret or a certificate that cannot be used.
   */
  static async connect(options: RedisStoreOptions): Promise<RedisStore> {
    const store = new RedisStore(options);
    try {
      const timeout = options.connectTimeout ?? 10_000;
      const place = shownTarget(store.#target);
      await Promise.all([store.#writes.ready(place, timeout), store.#reads.ready(place, timeout)]);
      return store;
    } catch (error) {
      await store.close();
      throw await explainRedis(error, store.#target, store.#access);
    }
  }

  private constructor({ url, rowTtl, commandTimeout = 2000, ...security }: RedisStoreOptions) {
    if (rowTtl !== undefined && !(Number.isSafeInteger(rowTtl) && rowTtl > 0)) {
      throw new RangeError(`rowTtl: expected whole milliseconds above 0, not ${rowTtl}`);
    }
    this.#target = parseRedisUrl(url);
    this.#rowTtl = rowTtl;
    const access = new RedisAccess(this.#target, security);
    this.#access = access;
    const link = (client: Redis | Cluster, timeouts: CallTimeout): RedisLink =>
      new RedisLink(
        client,
        timeouts,
        () => access.secrets,
        (error) => certificateTrouble(error, this.#target, access),
      );
    const keep = (client: Redis | Cluster, timeouts: CallTimeout): RedisLink => {
      const kept = link(client, timeouts);
      if (client instanceof Redis) kept.revive(() => client.connect());
      return kept;
    };
    const most = TIMES_AS_LONG * commandTimeout;
    const toWrite: CallTimeout = { least: commandTimeout, most };
    const toRead: CallTimeout = { least: most, most };
    const opened = (name: string): Redis | Cluster =>
      open(this.#target, access, { name, commandTimeout: most, sentinelTimeout: commandTimeout });
    const reads = opened('receval-reads');
    this.#writes = keep(opened('receval-commits'), toWrite);
    this.#reads = keep(reads, toRead);
    this.#writes.beside(this.#reads);
    this.#reads.beside(this.#writes);
    // One link per node, however often it is asked for: each link adds listeners that stay as long as the node.
    const links = new WeakMap<Redis, RedisLink>();
    const linkTo = (node: Redis): RedisLink => {
      const known = links.get(node) ?? link(node, toWrite);
      links.set(node, known);
      return known;
    };
    this.#primaries = () =>
      reads instanceof Cluster
        ? reads.nodes('master').map((node) => ({ link: linkTo(node), address: addressOf(node) }))
        : [{ link: this.#reads, address: undefined }];
    this.#connected = () => (reads instanceof Cluster ? reads.nodes('master').flatMap(announced) : peerOf(reads));
  }

  /** Addresses of the connected primaries: with sentinels or a cluster, the servers that were found, not those that are configured. */
  get primaries(): readonly RedisAddress[] {
    return this.#connected();
  }

  /** Whether commands can be sent now. */
  get connected(): boolean {
    return this.#writes.connected && this.#reads.connected;
  }

  /** Why the server cannot be used now, and what to do; undefined: nothing is known to be wrong. */
  get trouble(): string | undefined {
    return [this.#writes.trouble, this.#reads.trouble].find((text) => text !== '');
  }

  /** Whether the server replies, but refused the last claim or commit: it is full, or a replica, or this user lacks a permission. */
  get refuses(): boolean {
    return this.#writes.refused;
  }

  async claim(unit: string, token: string): Promise<Claimed> {
    return claimedOf(unit, await this.#run(`claim ${unit}`, CLAIM, { keys: [unit], args: [token] }));
  }

  async commit(commit: Commit): Promise<CommitAnswer> {
    const answer = await this.#run(`commit to ${commit.unit}`, COMMIT, commitCall(commit, this.#rowTtl));
    switch (answer) {
      case 'OK':
      case 'ALREADY':
      case 'FENCED':
      case 'CONFLICT':
        return answer;
      default:
        throw new StoreUnavailable('ERR', 'Redis answered a commit in a way that the script does not', {
          retriable: false,
          outcome: 'unknown',
        });
    }
  }

  /** Reads key by key: a concurrent commit may be visible in some keys and not in others. */
  read(keys: readonly string[]): Promise<readonly Fields[]> {
    return this.#readEach(
      keys,
      (key) => ['HGETALL', key],
      (key, reply) => fromStored(key, fieldsOf(reply)),
    );
  }

  /** Like `read`, for these fields only: other fields of the keys cost nothing. */
  async readFields(keys: readonly string[], fields: readonly string[]): Promise<readonly Fields[]> {
    if (fields.length === 0) return keys.map(() => new Map());
    const ask = (key: string): string[] => ['HMGET', key, ...fields];
    return this.#readEach(keys, ask, (key, reply) => someFromStored(key, namedFields(fields, reply)));
  }

  async #readEach(
    keys: readonly string[],
    ask: (key: string) => string[],
    answered: (key: string, reply: unknown) => Fields,
  ): Promise<readonly Fields[]> {
    const found: Fields[] = [];
    for (const batch of batchesOf(keys, READ_BATCH)) {
      const replies = await this.#reads.callAll(`read ${batch[0]} and ${batch.length - 1} more`, batch.map(ask));
      for (const [i, reply] of replies.entries()) found.push(answered(batch[i], reply));
    }
    return found;
  }

  /** The time of the server's clock. */
  async time(): Promise<EpochMs> {
    const reply = await this.#reads.call('tell the time', 'TIME', []);
    const [seconds, micros] = Array.isArray(reply) ? reply.map(Number) : [];
    return seconds * 1000 + Math.floor(micros / 1000);
  }

  /** Rejects when a primary does not answer. */
  async usage(): Promise<StoreUsage> {
    const asked = this.#primaries().map(({ link }) => link.call('tell its memory', 'INFO', ['memory', 'stats']));
    return usageOf((await Promise.all(asked)).map(String));
  }

  /**
   * Checks before the start: every primary, then a commit to a unit that is created for this in the namespace and deleted again.
   * `namespace` undefined: for processes that only read. Rejects when a server does not reply.
   */
  async checks(namespace: string | undefined): Promise<readonly StoreFinding[]> {
    const unit = namespace === undefined ? undefined : selfTestKey(namespace, randomUUID());
    const findings = await Promise.all(
      this.#primaries().map(async ({ link, address }) => {
        const info = parseInfo(String(await link.call('tell of itself', 'INFO', [])));
        if (info.get('redis_mode') === 'sentinel') throw sentinelAsServer(this.#target);
        const answers = unit === undefined ? undefined : await mayReload(link, unit);
        const found = [...findingsOf(info), ...(unit === undefined ? [] : [reloadFinding(info, answers)])];
        return address === undefined ? found : found.map((one) => ({ ...one, primary: address }));
      }),
    );
    if (unit === undefined) return findings.flat();
    const remove = async (keys: readonly string[]): Promise<void> => {
      await this.#writes.call('remove the self-test', 'UNLINK', [...keys]);
    };
    return [...findings.flat(), await selfTest(this, unit, remove)];
  }

  /** Closes both connections at once; calls in flight reject. */
  async close(): Promise<void> {
    this.#writes.close();
    this.#reads.close();
  }

  /** Calls a script by its hash. If the server does not know it, its text is sent, which the server then remembers. */
  async #run(doing: string, { text, sha }: Script, { keys, args }: ScriptCall): Promise<unknown> {
    const rest = [String(keys.length), ...keys, ...args];
    try {
      return await this.#writes.call(doing, 'evalsha', [sha, ...rest]);
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || error.code !== 'NOSCRIPT') throw error;
      return await this.#writes.call(doing, 'eval', [text, ...rest]);
    }
  }
}

function open(target: RedisTarget, access: RedisAccess, settings: ClientSettings): Redis | Cluster {
  if (target.kind === 'cluster') {
    const cluster = new Cluster([...target.addresses], clusterOptions(access, settings));
    cluster.on('+node', (node: Redis) => nodeStaysFresh(node.options, access));
    cluster.connect().catch(() => {});
    return cluster;
  }
  const client = new Redis(serverOptions(target, access, settings));
  stayFresh(client.options, access);
  if (target.kind === 'sentinel') quietSentinels(client);
  client.connect().catch(() => {});
  return client;
}

/** The address under which a client reaches a node. */
function addressOf(node: Redis): string | undefined {
  return announced(node).map(addressText)[0];
}

/** The configured address of a node, which a node of a cluster has even before it is connected. */
function announced({ options: { host, port } }: Redis): readonly RedisAddress[] {
  return host === undefined || port === undefined ? [] : [{ host, port }];
}

function peerOf({ stream }: Redis): readonly RedisAddress[] {
  const { remoteAddress: host, remotePort: port } = stream ?? {};
  return host === undefined || port === undefined ? [] : [{ host, port }];
}

/** The replies for the user `default` to the commands of the append-only file; undefined: the server does not say. */
async function mayReload(primary: RedisLink, key: string): Promise<readonly string[] | undefined> {
  const answers: string[] = [];
  for (const question of reloadQuestions(key)) {
    try {
      answers.push(String(await primary.call('tell what default may', 'ACL', ['DRYRUN', 'default', ...question])));
    } catch (error) {
      if (error instanceof StoreUnavailable && (error.code === 'NOPERM' || error.code === 'ERR')) return undefined;
      throw error;
    }
  }
  return answers;
}

/**
 * The arguments of a commit for commit.lua. `rowTtl`: in ms, for rows that expire; undefined: none do. Throws for a checkpoint
 * that uses one of the store's own field names, and for keys outside of the unit's slot: both would break the guard.
 */
function commitCall(commit: Commit, rowTtl: number | undefined): ScriptCall {
  const { unit, token, seq, cid, parent, rows, deletes } = commit;
  const tag = slotOf(unit);
  const removes = [...(commit.removes ?? [])].filter(([, fields]) => fields.length > 0);
  const keys = [unit, ...deletes, ...removes.map(([key]) => key)];
  const args = [token, String(seq - 1), parent, String(seq), cid, rowTtl === undefined ? '' : String(rowTtl)];
  const written = [...rows].filter(([, fields]) => fields.size > 0);
  const expiring = written.filter(([key]) => !isLasting(key));
  const lasting = written.filter(([key]) => isLasting(key));
  const checkpoint = checkpointToStored(commit);
  args.push(String(deletes.length), String(checkpoint.size), String(lasting.length), String(removes.length));
  for (const own of STORE_FIELDS) {
    if (checkpoint.has(own)) throw new Error(`the checkpoint may not hold "${own}": the store keeps that field itself`);
  }
  pushFields(args, checkpoint);
  for (const [, fields] of removes) {
    args.push(String(fields.length));
    // Not spread: a call cannot take any number of arguments.
    for (const field of fields) args.push(field);
  }
  for (const [key, fields] of [...expiring, ...lasting]) {
    keys.push(key);
    args.push(commit.stored?.has(key) === true ? `+${fields.size}` : String(fields.size));
    pushFields(args, rowsToStored(key, fields));
  }
  const stranger = keys.find((key) => !key.startsWith(tag));
  if (stranger !== undefined) throw new Error(`the key ${stranger} does not belong to the unit ${unit}`);
  return { keys, args };
}

/** Reads the reply of claim.lua. */
function claimedOf(unit: string, reply: unknown): Claimed {
  const fields = fromStored(unit, fieldsOf(reply));
  const seq = Number(fields.get('seq') ?? '0');
  const before = { token: fields.get('token') ?? '', seq, cid: fields.get('cid') ?? '' };
  for (const own of STORE_FIELDS) fields.delete(own);
  return { ...before, checkpoint: fields.size === 0 ? undefined : fields };
}

/** Reads a hash from a reply of field, value, field, value ... */
function fieldsOf(reply: unknown): Map<string, string> {
  if (reply === null) return new Map();
  if (!Array.isArray(reply)) throw new Error('the server answered something that is not a hash');
  const fields = new Map<string, string>();
  for (let i = 0; i < reply.length; i += 2) fields.set(String(reply[i]), String(reply[i + 1]));
  return fields;
}

function namedFields(fields: readonly string[], reply: unknown): Map<string, string> {
  if (reply === null) return new Map();
  if (!Array.isArray(reply)) throw new Error('the server answered something that is no list of fields');
  return new Map(fields.flatMap((field, i) => (typeof reply[i] === 'string' ? [[field, reply[i]] as const] : [])));
}

/** The keys in order, split into batches of at most `most` keys, each in one slot of a cluster. */
function batchesOf(keys: readonly string[], most: number): readonly (readonly string[])[] {
  const batches: string[][] = [];
  for (const key of keys) {
    const last = batches.at(-1);
    if (last !== undefined && last.length < most && slotOf(last[0]) === slotOf(key)) last.push(key);
    else batches.push([key]);
  }
  return batches;
}

/** The key up to the end of its hash tag; all keys that begin alike lie in one slot. */
function slotOf(key: string): string {
  return key.slice(0, key.indexOf('}') + 1);
}

function pushFields(args: string[], fields: Fields): void {
  for (const [field, text] of fields) args.push(field, text);
}

/** Key of a unit that is used only for this test. It is in the namespace, so that a user who is limited to the namespace may write it. */
function selfTestKey(namespace: string, id: string): string {
  return `receval:{${namespace}:self-test}:${id}:unit`;
}

const DIGITS = '1208925819614629174706176';

/**
 * Takes one unit through claim, commit, repeat and fence, then deletes it. `unit`: from `selfTestKey`. Finds missing
 * permissions, and servers on which scripts behave differently, before anything is at stake.
 */
async function selfTest(
  store: Store & Pick<RedisStore, 'time'>,
  unit: string,
  remove: (keys: readonly string[]) => Promise<void>,
): Promise<StoreFinding> {
  // The script counts the fields of keys of this generation.
  const row = `${slotOf(unit)}:${generationName(1, true)}:total:${unit.split(':').at(-2)}:1`;
  try {
    const problem = await firstProblem(store, unit, row);
    await remove([unit, row]);
    await store.time();
    return problem === undefined
      ? { check: 'self-test', level: 'ok', message: 'a commit was applied once, repeated, fenced and deleted' }
      : { check: 'self-test', level: 'error', message: `${problem}: this server does not keep what receval needs` };
  } catch (error) {
    await remove([unit, row]).catch(() => {});
    if (!(error instanceof StoreUnavailable)) throw error;
    return { check: 'self-test', level: 'error', message: error.message };
  }
}

async function firstProblem(store: Store, unit: string, row: string): Promise<string | undefined> {
  const first: Commit = {
    unit,
    token: 'a',
    seq: 1,
    cid: 'x',
    parent: '',
    checkpoint: new Map([
      ['format', String(FORMAT_VERSION)],
      ['position', DIGITS],
    ]),
    rows: new Map([[row, new Map([['field', DIGITS]])]]),
    deletes: [],
  };
  const steps: readonly [string, CommitAnswer, Commit][] = [
    ['the first commit', 'OK', first],
    ['the same commit again', 'ALREADY', first],
    ['a commit of another claim', 'FENCED', { ...first, token: 'b' }],
    ['a commit on another parent', 'CONFLICT', { ...first, seq: 2, cid: 'y', parent: 'z' }],
  ];
  await store.claim(unit, 'a');
  for (const [what, expected, commit] of steps) {
    const answer = await store.commit(commit);
    if (answer !== expected) return `${what} was answered ${answer}, not ${expected}`;
  }
  const [rowThere] = await store.read([row]);
  if (rowThere.get('field') !== DIGITS) return 'a row came back changed';
  const removal: Commit = {
    ...first,
    seq: 2,
    cid: 'y',
    parent: 'x',
    rows: new Map([[row, new Map([['other', DIGITS]])]]),
  };
  if ((await store.commit({ ...removal, removes: new Map([[row, ['field']]]) })) !== 'OK') {
    return 'the removal of a field was not applied';
  }
  const [rowLess] = await store.read([row]);
  if ([...rowLess.keys()].join() !== 'other') return 'a field that was removed is still there';
  const deletion: Commit = { ...first, seq: 3, cid: 'z', parent: 'y', rows: new Map(), deletes: [row] };
  if ((await store.commit(deletion)) !== 'OK') return 'a deletion was not applied';
  const [rowGone] = await store.read([row]);
  return rowGone.size === 0 ? undefined : 'a deleted row is still there';
}
