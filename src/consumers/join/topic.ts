import type { ClockBlocks, IdleAdvance, TopicCheckpoint, TopicCounts } from '../../vocabulary/checkpoint.ts';
import type { DurationMs, EpochMs, Offset } from '../../vocabulary/events.ts';
import { countBefore, Ranges } from '../../vocabulary/ranges.ts';
import { TOPIC_STATE } from '../engine/engine-layout.ts';
import { ClockDrops } from './clock-drops.ts';
import { Leaps } from './leaps.ts';

/** Approximate bytes of a recorded input: an object or a pair, and its element in a list. */
const INPUT_BYTES = 64;

interface Note {
  /** The record is needed until the end of this slice of time. */
  readonly slice: number;
  readonly offset: Offset;
  readonly watermark: EpochMs;
}

/** Number of doubles of a topic's state that the engine shares. */
export const STATE_SIZE = TOPIC_STATE.BYTES / 8;

/** One topic of the unit: its position, its watermark, and the recorded inputs (specification: join 1.4, 2.1, 2.3). */
export class Topic {
  readonly counts: TopicCounts;
  readonly notes: ReplayNotes;
  /** Records below this offset were judged before the checkpoint that we started from. */
  readonly committed: Offset;
  #state: Float64Array;
  readonly #idleAdvances: IdleAdvance[];
  /** Number of idle advances that have been applied. */
  #applied = 0;
  readonly #clockDrops: ClockDrops;
  /** Offsets of batches that could not be decoded and were skipped. */
  readonly #undecodable: Ranges;
  readonly #reach: DurationMs;
  /**
   * The offset from which leaps wait to be confirmed. An earlier build judged the records below, and their leaps raised the watermark at
   * once.
   */
  readonly #leapsFrom: Offset;
  /** Leaps that wait to be confirmed. The engine knows their number. */
  readonly #leaps: Leaps;
  /** The offset after the last leap. */
  #leaptBelow: Offset;

  /**
   * @param state what the engine knows of the topic too (`TOPIC_STATE`)
   * @param blocks the blocks that `from` counts
   */
  constructor(
    state: Float64Array,
    counts: TopicCounts,
    { attribution, reach }: { readonly attribution: DurationMs; readonly reach: DurationMs },
    from: TopicCheckpoint | undefined,
    blocks: ClockBlocks = [],
  ) {
    if (blocks.length !== (from?.clockBlocks ?? 0)) {
      throw new Error(
        `the checkpoint counts ${from?.clockBlocks ?? 0} blocks of clock verdicts, and ${blocks.length} are there`,
      );
    }
    this.#state = state;
    this.counts = counts;
    this.notes = new ReplayNotes(attribution, state);
    this.committed = from?.committed ?? 0;
    state[TOPIC_STATE.committed] = this.committed;
    state[TOPIC_STATE.position] = from?.replay ?? 0;
    state[TOPIC_STATE.watermark] = from?.replayWatermark ?? Number.NEGATIVE_INFINITY;
    this.#idleAdvances = [...(from?.idleAdvances ?? [])];
    this.#clockDrops = new ClockDrops(from?.clockDrops, blocks);
    this.#undecodable = new Ranges(from?.undecodable);
    this.#reach = reach;
    this.#leapsFrom = from?.leaps?.from ?? this.committed;
    this.#leaps = new Leaps(reach, from?.leaps?.levels);
    this.#leaptBelow = from?.leaps === undefined ? 0 : this.committed;
    state[TOPIC_STATE.leaps] = this.#leaps.size;
    this.applyIdleAdvances();
    state[TOPIC_STATE.hasClockDrops] = this.#clockDrops.bytes > 0 ? 1 : 0;
  }

  /** Offset of the next record. */
  get position(): Offset {
    return this.#state[TOPIC_STATE.position];
  }

  /** The watermark before the record at `position`. */
  get watermark(): EpochMs {
    return this.#state[TOPIC_STATE.watermark];
  }

  /** The watermark, or a higher one that a leap would set and that waits to be confirmed. */
  get newest(): EpochMs {
    return Math.max(this.watermark, this.#leaps.highest);
  }

  /** Whether some of what was read before the checkpoint is skipped in a replay. */
  get hasSkipped(): boolean {
    return this.position < this.committed && !this.#undecodable.isEmpty;
  }

  /** Adds what the engine has read since the last call. */
  countRead(): void {
    const state = this.#state;
    const { impressions, feedback } = this.counts;
    impressions.read += state[TOPIC_STATE.impressionsRead];
    impressions.drops.future += state[TOPIC_STATE.impressionsFuture];
    feedback.read += state[TOPIC_STATE.feedbackRead];
    feedback.drops.future += state[TOPIC_STATE.feedbackFuture];
    state.fill(0, TOPIC_STATE.impressionsRead, TOPIC_STATE.feedbackFuture + 1);
  }

  /** Detaches its numbers from those of the engine. */
  detach(): void {
    this.countRead();
    this.#state = this.#state.slice();
    this.notes.detach(this.#state);
  }

  /**
   * Moves past the record before `next`. Its valid events raise the watermark to `raised` (-Infinity: it had none), unless that is a
   * leap. A record without a timestamp never leaps.
   */
  moveTo(next: Offset, raised = Number.NEGATIVE_INFINITY, hasTimestamp = true): void {
    const state = this.#state;
    state[TOPIC_STATE.position] = next;
    const by = raised - this.watermark;
    if (hasTimestamp && (by > this.#reach || (state[TOPIC_STATE.leaps] > 0 && by >= -this.#reach))) this.vote(raised);
    else if (by > 0) state[TOPIC_STATE.watermark] = raised;
    if (next >= state[TOPIC_STATE.stopAt]) this.applyIdleAdvances();
  }

  /**
   * Records the vote of the record before the position, which would raise the watermark to `raised`: it leaps, or votes against earlier
   * leaps (specification: join 2.3).
   */
  vote(raised: EpochMs): void {
    const { position, watermark } = this;
    const isLeap = raised - watermark > this.#reach;
    if (!isLeap || watermark === Number.NEGATIVE_INFINITY || position <= this.#leapsFrom) {
      if (raised > watermark) this.#state[TOPIC_STATE.watermark] = raised;
      if (position > this.committed) this.#leaps.contradict();
    } else if (position > this.committed) {
      // What was confirmed before the checkpoint is among the idle advances.
      this.#leaptBelow = position;
      const confirmed = this.#leaps.add(raised);
      if (confirmed > watermark) this.#advance(confirmed);
    }
    this.#state[TOPIC_STATE.leaps] = this.#leaps.size;
  }

  /** Records an idle advance of the watermark; returns whether it moved. */
  idle(watermark: EpochMs): boolean {
    if (watermark <= this.watermark) return false;
    this.#advance(watermark);
    this.#leaps.clear();
    this.#state[TOPIC_STATE.leaps] = 0;
    return true;
  }

  /** Raises the watermark. A replay raises it at the same offset. */
  #advance(watermark: EpochMs): void {
    this.#state[TOPIC_STATE.watermark] = watermark;
    const all = this.#idleAdvances;
    if (all.length > 0 && all[all.length - 1].before === this.position) all.pop();
    all.push({ before: this.position, watermark });
    this.#applied = all.length;
    this.#state[TOPIC_STATE.stopAt] = Number.POSITIVE_INFINITY;
  }

  /** Whether this record is in the future of the wall clock. Below the committed offset, returns the recorded decision. */
  isAheadOfClock(offset: Offset, timestamp: EpochMs, latest: EpochMs | undefined): boolean {
    if (offset < this.committed) return this.#clockDrops.has(offset);
    if (latest === undefined || timestamp <= latest) return false;
    this.#clockDrops.add(offset);
    return true;
  }

  /** Whether all of [from, to) was skipped before the checkpoint because it could not be decoded. */
  wasSkipped(from: Offset, to: Offset): boolean {
    return to <= this.committed && this.#undecodable.covers(from, to);
  }

  /** Records that [from, to) was skipped because it cannot be decoded. Returns the first offset that was not judged before. */
  skip(from: Offset, to: Offset): Offset {
    const first = Math.max(from, this.committed);
    this.#undecodable.add(first, to);
    return first;
  }

  /** Bytes of the recorded inputs. */
  get bytes(): number {
    return INPUT_BYTES * (this.#idleAdvances.length + this.#undecodable.size) + this.#clockDrops.bytes;
  }

  checkpoint(): TopicCheckpoint {
    const least = this.notes.least();
    const replay = Math.min(least?.offset ?? this.position, this.position);
    const clockBlocks = this.#clockDrops.blocks(replay).length;
    const undecodable = new Ranges(this.#undecodable.toJSON());
    undecodable.cutBelow(replay);
    const levels = this.#leaps.toJSON();
    const hasLeaps = levels.length > 0 || this.#leaptBelow > replay;
    return {
      committed: this.position,
      replay,
      replayWatermark: least === undefined ? this.watermark : least.watermark,
      idleAdvances: this.#idleAdvances.filter((advance) => advance.before >= replay),
      clockDrops: this.#clockDrops.ranges(replay),
      ...(clockBlocks === 0 ? {} : { clockBlocks }),
      ...(undecodable.isEmpty ? {} : { undecodable: undecodable.toJSON() }),
      ...(hasLeaps ? { leaps: { from: this.#leapsFrom, levels } } : {}),
    };
  }

  /** The blocks that a checkpoint would count now. */
  clockBlocks(): ClockBlocks {
    return this.#clockDrops.blocks(Math.min(this.notes.least()?.offset ?? this.position, this.position));
  }

  /** Applies the advances recorded for the current position, which the wall clock caused. */
  applyIdleAdvances(): void {
    const all = this.#idleAdvances;
    const state = this.#state;
    for (; this.#applied < all.length && all[this.#applied].before <= this.position; this.#applied++) {
      state[TOPIC_STATE.watermark] = Math.max(this.watermark, all[this.#applied].watermark);
    }
    state[TOPIC_STATE.stopAt] = this.#applied < all.length ? all[this.#applied].before : Number.POSITIVE_INFINITY;
  }

  /** Drops recorded inputs that no replay needs any more. */
  forget(watermark: EpochMs): void {
    this.notes.forget(watermark);
    const replay = this.notes.least()?.offset ?? this.position;
    this.#clockDrops.cutBelow(Math.min(replay, this.position));
    this.#undecodable.cutBelow(Math.min(replay, this.position));
    const all = this.#idleAdvances;
    let gone = 0;
    while (gone < this.#applied && all[gone].before < replay) gone++;
    if (gone === 0) return;
    all.splice(0, gone);
    this.#applied -= gone;
  }
}

/**
 * Tracks from where a topic must be read again if another owner takes over. Each record that is needed until some watermark is noted,
 * together with the topic's watermark just before it. Notes are deliberately coarse, by slices of time, since any lower offset with its
 * own watermark is as good (specification: join 5.3).
 *
 * A note is kept only while no lower offset is needed for longer, so the first note has the least offset, however far apart the times
 * are.
 */
export class ReplayNotes {
  readonly #sliceMs: DurationMs;
  /** Notes, ascending by slice and by offset. */
  readonly #notes: Note[] = [];

  #state: Float64Array;

  /**
   * @param attribution the longest time for which a record can be needed; a slice is a small part of it
   * @param state that of the topic
   */
  constructor(attribution: DurationMs, state: Float64Array = new Float64Array(STATE_SIZE)) {
    this.#sliceMs = Math.max(1, Math.floor(attribution / 128));
    this.#state = state;
    state[TOPIC_STATE.sliceMs] = this.#sliceMs;
    this.#publishLast();
  }

  detach(state: Float64Array): void {
    this.#state = state;
  }

  /** Writes for the engine the slice of the last note: it need not report records whose effect ends before that slice. */
  #publishLast(): void {
    const last = this.#notes.at(-1);
    this.#state[TOPIC_STATE.notedSlice] = last === undefined ? Number.NEGATIVE_INFINITY : last.slice;
  }

  /** Notes that the record at `offset` is needed until W reaches `until`. */
  note(offset: Offset, watermark: EpochMs, until: EpochMs): void {
    const notes = this.#notes;
    const slice = Math.floor(until / this.#sliceMs);
    const at = this.#firstFrom(slice);
    if (at < notes.length && notes[at].offset <= offset) return;
    // A note of this slice has a higher offset, and so may notes of earlier slices.
    const end = at < notes.length && notes[at].slice === slice ? at + 1 : at;
    let from = at;
    while (from > 0 && notes[from - 1].offset >= offset) from--;
    notes.splice(from, end - from, { slice, offset, watermark });
    this.#publishLast();
  }

  /** Drops notes of records that are needed no longer than `watermark`. */
  forget(watermark: EpochMs): void {
    const notes = this.#notes;
    let done = 0;
    while (done < notes.length && (notes[done].slice + 1) * this.#sliceMs <= watermark) done++;
    if (done === 0) return;
    notes.splice(0, done);
    this.#publishLast();
  }

  /** The least offset that is still needed and the watermark before it; undefined: none is needed. */
  least(): { readonly offset: Offset; readonly watermark: EpochMs } | undefined {
    return this.#notes.length === 0 ? undefined : this.#notes[0];
  }

  /** Index of the first note at or after this slice. */
  #firstFrom(slice: number): number {
    const notes = this.#notes;
    const { length } = notes;
    // The slice is mostly later than those of all notes.
    if (length > 0 && notes[length - 1].slice < slice) return length;
    return countBefore(length, (index) => notes[index].slice < slice);
  }
}
