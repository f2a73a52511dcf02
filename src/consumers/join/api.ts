import type { JoinCheckpoint, TopicCounts } from '../../vocabulary/checkpoint.ts';
import type { FeedbackDrop } from '../../vocabulary/drops.ts';
import type {
  Closing,
  DurationMs,
  EpochMs,
  Event,
  Impression,
  Offset,
  Side,
  TopicRole,
} from '../../vocabulary/events.ts';
import type { FeedbackTexts, PackedFeedback } from '../packed/packed-feedback.ts';
import type { PackedImpression } from '../packed/packed-impression.ts';

/** Packed ones need to be good only until `record` returns. */
export type JoinEvent = Event | PackedImpression | PackedFeedback;

/** As it came. `tuple`: its dimensions joined by ',', where they came so. */
export type AcceptedImpression = (Impression & { readonly tuple?: undefined }) | PackedImpression;

/** The record that is being judged. Good until the call returns. */
export interface RecordPlace {
  readonly topic: number;
  readonly offset: Offset;
  /** It was judged before the checkpoint, and is read again. */
  readonly isReplayed: boolean;
}

/** What the join asks and tells while it works. Called synchronously, in the order of the rules (specification: join 3, 4). */
export interface JoinSink {
  /** An impression was accepted: returns the tag (an unsigned 32-bit integer) under which it will be closed. */
  accepted(impression: AcceptedImpression, from: RecordPlace): number;
  /** The impression with this tag needs it no more: its longest horizon has closed. */
  released(tag: number): void;
  /** One (impression, horizon) closed, for good. Not called for what was decided before the checkpoint. */
  closed(closing: Closing, names: ClosingNames): void;
  /** Told what became of single events; default: nobody is. */
  readonly witness?: JoinWitness | undefined;
}

/** Texts of the list that closes: made when somebody asks, good to be asked for until the call returns. */
export interface ClosingNames {
  /** Tells lists apart while their longest horizon is open; another list may have it later. */
  readonly handle: number;
  requestId(): string;
  /** Of the first `most` slots. */
  items(most: number): readonly string[];
}

/**
 * Sees which feedback misses its list and why, for samples: no result depends on it. Texts are good until the call returns.
 * Not told of what the checkpoint holds already, nor of records that are no feedback.
 */
export interface JoinWitness {
  /** Feedback was dropped. `handle`: of its list, as in `ClosingNames`; 0: it has none that is open. */
  dropped(reason: FeedbackDrop, handle: number, feedback: FeedbackTexts): void;
  /** Feedback does not name an item of this list: it waits for another list of its request. */
  strayed(handle: number, feedback: FeedbackTexts): void;
  /** What waited has found its list. */
  found(feedback: FeedbackTexts): void;
}

/** Offsets [from, to), and how many records they held. */
export interface UndecodableRange {
  readonly from: Offset;
  readonly to: Offset;
  readonly records: number;
}

/** The engine of one unit. Pure: no clock, no randomness, no I/O. */
export interface JoinEngine {
  /** Judges all events of one record. `timestamp`: of the record, undefined: none. `now`: wall clock, undefined: it judges nothing. */
  record(
    topic: number,
    offset: Offset,
    timestamp: EpochMs | undefined,
    events: readonly JoinEvent[],
    now: EpochMs | undefined,
  ): void;
  /** A record without a valid event: counts once, on the given side. */
  refused(topic: number, offset: Offset, side: Side, reason: 'tombstone' | 'invalid'): void;
  /**
   * The records [from, to) cannot be decoded and are passed. Answers how many of `records` were counted, on the given side:
   * none of those that were judged before the checkpoint. `from` is not below the position.
   */
  undecodable(topic: number, batch: UndecodableRange, side: Side): number;
  /** Whether the checkpoint says that all of [from, to) was passed as undecodable: a replay passes it again. */
  wasPassed(topic: number, from: Offset, to: Offset): boolean;
  /** The next offset of the topic, past records that hold nothing for us (control records, compaction). */
  skipTo(topic: number, offset: Offset): void;
  /** Raises the watermark of a topic that has nothing new (specification: join 6); answers whether it moved. */
  idle(topic: number, watermark: EpochMs): boolean;
  /** Closes, settles and forgets up to the combined watermark. Results do not depend on how often it is called. */
  advance(): void;
  checkpoint(): JoinCheckpoint;

  /** True until every topic is past the committed offset of the checkpoint that this engine began from. */
  readonly replaying: boolean;
  /** Combined watermark W. */
  readonly watermark: EpochMs;
  topicWatermark(topic: number): EpochMs;
  position(topic: number): Offset;
  /** Records below were judged before the checkpoint that this engine began from. */
  judgedBelow(topic: number): Offset;
  readonly counts: readonly TopicCounts[];
  /** Of feedback attributed since this engine was made. */
  readonly delays: Delays;
  readonly openImpressions: number;
  readonly waitingFeedback: number;
  /** Items and records compared, or links of an index followed, since this engine was made: the work that ids decide. */
  readonly steps: number;
  /** About the time of the oldest impression that is remembered; undefined: none is. */
  readonly oldest: EpochMs | undefined;
  /** Bytes of all that is open, waits or is remembered: whole segments, tables and indices, used or not. */
  readonly stateBytes: number;
}

/** What shapes the join; the slice of the configuration that the engine knows. */
export interface JoinSettings {
  /** Exactly one topic carries impressions. Feedback takes part in this order. */
  readonly topics: readonly TopicRole[];
  /** Ascending; the last is the attribution window H. At most 31. */
  readonly horizons: readonly DurationMs[];
  readonly outOfOrderness: DurationMs;
  readonly backward: DurationMs;
  readonly futureSkew: DurationMs;
  /** Attributed events of one topic that one impression takes. */
  readonly feedbackPerImpression: number;
  /** Actions with a meaning to grades or measures; others are kept for their identity and have index -1. */
  readonly actions: readonly string[];
  /** Whether lists at close name their items and categories (`Joined.items`); default: not. */
  readonly namesItems?: boolean;
  /**
   * Keys all hashes of ids, so that who does not know it cannot choose ids that collide: drawn anew by every process. A
   * non-negative integer. No result depends on it.
   */
  readonly hashSeed?: number;
  /** How many records of one list or request are searched one by one before an index is made; tests lower it. No result depends on it. */
  readonly searchUpTo?: number;
}

/** How long after its impression attributed feedback happened, as counts by upper bound. */
export class Delays {
  /** Seconds, ascending. */
  static readonly bounds = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21_600, 86_400] as const;
  /** `counts[i]`: at or below `bounds[i]` and above the one before; the last has no bound. */
  readonly counts = new Float64Array(Delays.bounds.length + 1);
  /** Seconds. */
  sum = 0;

  add(delay: DurationMs): void {
    const seconds = delay > 0 ? delay / 1000 : 0;
    let i = 0;
    while (i < Delays.bounds.length && seconds > Delays.bounds[i]) i++;
    this.counts[i]++;
    this.sum += seconds;
  }
}
