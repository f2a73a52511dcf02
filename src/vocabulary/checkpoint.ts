import type { FeedbackDrop, ImpressionDrop } from './drops.ts';
import type { EpochMs, Offset } from './events.ts';
import type { UnmappedRecords } from './unmapped.ts';

/** Half-open ranges of offsets, ascending and apart: [from, to). */
export type OffsetRanges = readonly (readonly [from: Offset, to: Offset])[];

/** Offsets of one block of wall-clock verdicts. Part of the stored format. */
export const CLOCK_BLOCK = 1024;

/**
 * Blocks of offsets, ascending: block b holds [b · CLOCK_BLOCK, (b + 1) · CLOCK_BLOCK). Bits are hexadecimal digits: the first digit has
 * those of the first four offsets, the first offset in the lowest bit.
 */
export type ClockBlocks = readonly (readonly [block: number, bits: string])[];

/**
 * The watermark of a topic was raised before the record at `before` by the wall clock (specification: join 6.2), or by a leap that
 * the record before confirmed (join 2.3).
 */
export interface IdleAdvance {
  readonly before: Offset;
  readonly watermark: EpochMs;
}

/** The state of one topic. Plain JSON, except for -Infinity, which the codec of the checkpoint writes as null. */
export interface TopicCheckpoint {
  /** Offset of the next record to read: every record below it has been judged. */
  readonly committed: Offset;
  /** Reading again from here rebuilds what is open. */
  readonly replay: Offset;
  /** The topic's watermark just before the record at `replay`. */
  readonly replayWatermark: EpochMs;
  /** Recorded inputs at or beyond `replay`. */
  readonly idleAdvances: readonly IdleAdvance[];
  /** Offsets in [replay, committed) that the wall clock judged to be `future`, except those in blocks. */
  readonly clockDrops: OffsetRanges;
  /** Number of blocks that hold further such offsets (`JoinCheckpoint.clockBlocks`). Absent: none. */
  readonly clockBlocks?: number;
  /**
   * Offsets in [replay, committed) of record batches that could not be decoded and were skipped: a replay skips them again,
   * even if it could decode them. Absent: none.
   */
  readonly undecodable?: OffsetRanges;
  /**
   * Leaps wait from offset `from` on. `levels` are those that wait at `committed`, ascending, each with its votes (specification: join
   * 2.3). Absent: no record in [replay, committed) has leapt, or an earlier build judged them, for which a leap was nothing special.
   */
  readonly leaps?: { readonly from: Offset; readonly levels: readonly (readonly [raised: EpochMs, votes: number])[] };
  /** Records below `committed` were lost, and none was read since (unit/unit-completeness.ts). Absent: no. */
  readonly hasGap?: true;
  /**
   * Likewise, and the unit or its generation has begun after these records, so it may count lists whose feedback is among them. Absent:
   * no.
   */
  readonly isBeginning?: true;
}

/** Totals of one topic since the unit's first record. `late` counts by horizon: events that count, but came too late for it. */
export interface TopicCounts {
  readonly impressions: {
    read: number;
    accepted: number;
    readonly drops: Record<ImpressionDrop, number>;
    readonly late: number[];
  };
  readonly feedback: {
    read: number;
    attributed: number;
    readonly drops: Record<FeedbackDrop, number>;
    readonly late: number[];
  };
  /** Records for which the topic has no map. Absent: none. */
  unmapped?: UnmappedRecords[];
}

/** Everything that a new owner needs to resume as if nothing had happened, given the logs from the replay offsets on. */
export interface JoinCheckpoint {
  readonly topics: readonly TopicCheckpoint[];
  readonly counts: readonly TopicCounts[];
  /** The combined watermark. Everything that closes, is settled or is deleted at or below it has done so. */
  readonly watermark: EpochMs;
  /** Blocks by topic, as many as the topic counts; stored beside the checkpoint (unit/clock-blocks.ts). Absent: none. */
  readonly clockBlocks?: readonly ClockBlocks[];
}
