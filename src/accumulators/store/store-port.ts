/** Fields of one stored hash. Values are opaque text: digits travel as strings (specification: faults R10). */
export type Fields = ReadonlyMap<string, string>;

/** One commit of one unit, applied as a whole or not at all. Rows are absolute values, so applying it twice changes nothing. */
export interface Commit {
  /** Key of the unit's hash (layout.ts). */
  readonly unit: string;
  /** The claim under which we own the unit. */
  readonly token: string;
  /** Number of this commit: one more than that of the state it builds on. */
  readonly seq: number;
  /** Unique id of this commit, and of the one that it builds on ('' for none). */
  readonly cid: string;
  readonly parent: string;
  /** The fields of the checkpoint, the same ones in every commit. token, seq and cid belong to the store and are not among them. */
  readonly checkpoint: Fields;
  /** Changed rows: for each key the fields to set; its other fields stay. */
  readonly rows: ReadonlyMap<string, Fields>;
  /**
   * Keys of `rows` that an earlier commit of this claim has written, or that existed when it began: if one is gone, the commit is
   * a CONFLICT. Default: none.
   */
  readonly stored?: ReadonlySet<string>;
  /** Keys to delete, before the rows are set. */
  readonly deletes: readonly string[];
  /** For each key the fields to remove, before the rows are set; its other fields stay. Default: none. */
  readonly removes?: ReadonlyMap<string, readonly string[]>;
}

/**
 * OK: applied. ALREADY: this commit was applied before, and its reply was lost. FENCED: another claim owns the unit. CONFLICT:
 * the store is not in the state that the commit builds on, or lacks rows of it. A rejected promise means that the outcome is unknown: send the
 * commit again.
 */
export type CommitAnswer = 'OK' | 'ALREADY' | 'FENCED' | 'CONFLICT';

/** What the unit's hash held when the claim replaced its token. */
export interface Claimed {
  /** Token of the claim before this one; '' for none. */
  readonly token: string;
  readonly seq: number;
  readonly cid: string;
  /** undefined: nothing was committed to this unit yet, or the checkpoint is lost and only claims are left. */
  readonly checkpoint: Fields | undefined;
}

/** Who has claimed a unit, and its last commit, by the fields of its hash. */
export function guardOf(fields: Fields): Omit<Claimed, 'checkpoint'> {
  return { token: fields.get('token') ?? '', seq: Number(fields.get('seq') ?? '0'), cid: fields.get('cid') ?? '' };
}

/** How full a server's memory is. With several primaries: the memory of the fullest, and the evictions of all. */
export interface StoreUsage {
  readonly usedBytes: number;
  /** maxmemory; undefined: none is set. */
  readonly limitBytes: number | undefined;
  /** Keys evicted since the server started. */
  readonly evicted: number;
  /** maxmemory-policy, if it is one that evicts keys. */
  readonly evictionPolicy?: string | undefined;
}

/** Where a unit's durable state lives, and what it guarantees (specification: commit 1). */
export interface Store {
  /** Takes the unit over: from now on commits under any other token are FENCED. */
  claim(unit: string, token: string): Promise<Claimed>;
  commit(commit: Commit): Promise<CommitAnswer>;
  /** All fields of each key, in order. A key that is absent, or is no hash, is an empty map. */
  read(keys: readonly string[]): Promise<readonly Fields[]>;
  /** Like `read`, for these fields only; a field that a key does not have is left out. Optional: callers fall back to `read`. */
  readonly readFields?: (keys: readonly string[], fields: readonly string[]) => Promise<readonly Fields[]>;
}

const UNANSWERED: ReadonlySet<string> = new Set(['NOT_CONNECTED', 'TIMEOUT', 'DISCONNECTED', 'LOADING']);

/**
 * The store did not reply, or refused. `retriable`: the same call may succeed later, when the server has recovered. `outcome`
 * refused: nothing was written. unknown: the write may have been applied, or may still be; send the same commit again. The
 * message contains no argument of a command and no secret.
 */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
  /** The first word of the server's error, such as OOM; or TIMEOUT, DISCONNECTED (the connection broke), NOT_CONNECTED, TLS, NOT_REDIS. */
  readonly code: string;
  readonly retriable: boolean;
  readonly outcome: 'refused' | 'unknown';

  constructor(code: string, message: string, { retriable, outcome }: Pick<StoreUnavailable, 'retriable' | 'outcome'>) {
    super(message);
    this.code = code;
    this.retriable = retriable;
    this.outcome = outcome;
  }

  /** Whether no server replied, except perhaps that it is not ready yet. */
  get isUnanswered(): boolean {
    return UNANSWERED.has(this.code);
  }
}
