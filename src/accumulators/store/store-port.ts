/** Fields of one stored hash. Values are opaque text: digits travel as strings (specification: faults R10). */
export type Fields = ReadonlyMap<string, string>;

/** One commit of one unit: all of it is applied, or nothing. Rows are absolute, so applying it twice changes nothing. */
export interface Commit {
  /** Key of the unit's hash (layout.ts). */
  readonly unit: string;
  /** The claim under which we own the unit. */
  readonly token: string;
  /** Number of this commit: one above the state that it builds on. */
  readonly seq: number;
  /** Unique id of this commit, and of the one that it builds on ('' for none). */
  readonly cid: string;
  readonly parent: string;
  /** The checkpoint's fields, the same ones in every commit; token, seq and cid are the store's own and not among them. */
  readonly checkpoint: Fields;
  /** Changed rows: for each key the fields to set; its other fields stay. */
  readonly rows: ReadonlyMap<string, Fields>;
  /** Keys to delete, before the rows are set. */
  readonly deletes: readonly string[];
  /** For each key the fields to remove, before the rows are set; its other fields stay. Default: none. */
  readonly removes?: ReadonlyMap<string, readonly string[]>;
}

/**
 * OK: applied. ALREADY: this very commit had been applied, our reply was lost. FENCED: another claim owns the unit.
 * CONFLICT: the store is not at the state that the commit builds on. A rejected promise means unknown: send it again.
 */
export type CommitAnswer = 'OK' | 'ALREADY' | 'FENCED' | 'CONFLICT';

/** What stood in the unit's hash when the claim replaced its token. */
export interface Claimed {
  /** Token of the claim before this one; '' for none. */
  readonly token: string;
  readonly seq: number;
  readonly cid: string;
  /** undefined: nobody has committed to this unit yet, or what was committed is gone and only claims are left. */
  readonly checkpoint: Fields | undefined;
}

/** How full a server's memory is. Of several primaries: the fullest, and what all have evicted. */
export interface StoreUsage {
  readonly usedBytes: number;
  /** maxmemory; undefined: none is set. */
  readonly limitBytes: number | undefined;
  /** Keys that were thrown out for want of memory, since the server started. */
  readonly evicted: number;
}

/** Where a unit's durable state lives, and what it guarantees (specification: commit 1). */
export interface Store {
  /** Takes the unit over: from now on a commit under any other token is FENCED. */
  claim(unit: string, token: string): Promise<Claimed>;
  commit(commit: Commit): Promise<CommitAnswer>;
  /** All fields of each key, in order; an absent key is an empty map. */
  read(keys: readonly string[]): Promise<readonly Fields[]>;
}

const UNANSWERED: ReadonlySet<string> = new Set(['NOT_CONNECTED', 'TIMEOUT', 'DISCONNECTED', 'LOADING']);

/**
 * The store did not answer, or refused. `retriable`: the same call may succeed later, when the server is well again.
 * `outcome` refused: surely nothing was written. unknown: it may have been, or may still be; send the same commit again.
 * The message holds no argument of a command and no secret.
 */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
  /** The first word of the server's answer, such as OOM; or TIMEOUT, DISCONNECTED (it broke), NOT_CONNECTED, TLS. */
  readonly code: string;
  readonly retriable: boolean;
  readonly outcome: 'refused' | 'unknown';

  constructor(code: string, message: string, { retriable, outcome }: Pick<StoreUnavailable, 'retriable' | 'outcome'>) {
    super(message);
    this.code = code;
    this.retriable = retriable;
    this.outcome = outcome;
  }

  /** No server said anything about it, but perhaps that it is not ready yet. */
  get isUnanswered(): boolean {
    return UNANSWERED.has(this.code);
  }
}
