import type { JoinCheckpoint, TopicCounts } from '../../vocabulary/checkpoint.ts';
import type { Closing } from '../../vocabulary/closing.ts';
import type { EpochMs, Event, Impression, Offset, Side } from '../../vocabulary/events.ts';
import type { PackedFeedback } from '../packed/feedback.ts';
import type { PackedImpression } from '../packed/impression.ts';
import type { Delays } from './delays.ts';

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
  closed(closing: Closing): void;
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
