import type { Offset } from '../../../../vocabulary/events.ts';

/**
 * Where one topic of one unit is read. It is
 * - `claiming` from the join on, until the handler's `assigned` has ended: seeks are only noted;
 * - `placing` while its offset is compared with what the log holds;
 * - `open` when records flow, unless the worker paused it;
 * - `stopped` after a gap, a refused batch or a lost log, until it is sought again.
 */
export type Phase = 'claiming' | 'placing' | 'open' | 'stopped';

export class Position {
  readonly partition: number;
  /** Index in the configuration's order. */
  readonly topic: number;
  phase: Phase = 'claiming';
  /** Paused by the worker. */
  held = false;
  /** Whether more of it is fetched; what is fetched already is delivered in any case. */
  fetching = true;
  /** The next offset to deliver; undefined: wherever the log starts. */
  expected: Offset | undefined;
  /** The log has held all records below this offset: one that ends earlier is another log. */
  heldUpTo: Offset = 0;
  /** Number of seeks, by which work detects a seek since it started. */
  seeks = 0;
  /** A filtered batch that did not start at `expected`: only another fetch shows whether it was an old one. */
  #jumped: { readonly first: Offset; readonly end: Offset } | undefined;

  constructor(partition: number, topic: number) {
    this.partition = partition;
    this.topic = topic;
  }

  get flows(): boolean {
    return this.phase === 'open' && !this.held;
  }

  /** Offsets below are done or given up; those from here on are next. */
  moveTo(offset: Offset | undefined): void {
    this.expected = offset;
    if (offset !== undefined && offset > this.heldUpTo) this.heldUpTo = offset;
    this.#jumped = undefined;
  }

  seek(offset: Offset, heldUpTo: Offset): void {
    this.seeks++;
    this.heldUpTo = heldUpTo;
    this.moveTo(offset);
  }

  /** Whether a batch that was fetched from this offset continues what was delivered. */
  takes(fetched: Offset): boolean {
    if (fetched === this.expected) return true;
    if (fetched !== this.#jumped?.end) return false;
    this.moveTo(fetched);
    return true;
  }

  /**
   * A fetched batch had records with the offsets [first, end), none of which is delivered (control records, aborted
   * transactions, compaction). Returns whether the position moved. A batch that starts after the expected offset may follow a
   * hole, or have been fetched before a seek: `look again`, from the expected offset. If it comes a second time, it follows a
   * hole, since the client would have fetched from its end otherwise. At the end of a log nothing else would ever show this.
   */
  pass(first: Offset, end: Offset): 'moved' | 'look again' | 'old' {
    if (this.expected === undefined || end <= this.expected) return 'old';
    if (first > this.expected && (this.#jumped?.first !== first || this.#jumped.end !== end)) {
      this.#jumped = { first, end };
      return 'look again';
    }
    this.moveTo(end);
    return 'moved';
  }
}

/** All topics of one partition. */
export class PartitionPositions {
  readonly positions: readonly Position[];
  /** Settles when the last piece of work that was queued is done. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(partition: number, topics: number) {
    this.positions = Array.from({ length: topics }, (_, topic) => new Position(partition, topic));
  }

  /** Runs one piece of work at a time, in the order of the calls. */
  inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }
}
