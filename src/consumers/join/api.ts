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
import type { UnmetCondition } from '../../vocabulary/unmapped.ts';
import type { ScanCalls } from '../engine/engine.ts';
import type { RecordRows } from '../engine/record-rows.ts';
import type { FeedbackTexts, PackedFeedback, PackedImpression } from '../packed/packed-events.ts';

/** An event to judge. Packed events need to be valid only until `record` returns. */
export type JoinEvent = Event | PackedImpression | PackedFeedback;

/** An impression that the engine has read itself. */
export interface FedImpression {
  readonly kind: 'impression';
  readonly ts: EpochMs;
  readonly requestId: string;
  readonly sampleKey: number;
  readonly dimensions: readonly string[];
  readonly tuple: string;
  /** Number of its context, from which its dimensions come. */
  readonly context: number;
}

/** An impression from the caller. `tuple` is its dimensions joined by ',', if it was packed. */
export type GivenImpression = (Impression & { readonly tuple?: undefined }) | PackedImpression;

/** An accepted impression, from the caller or read by the engine. */
export type AcceptedImpression = GivenImpression | FedImpression;

/**
 * How the records of a topic are read: what the engine needs to know, and what it calls to learn about the current record of its scanner.
 */
export interface RecordReader extends ScanCalls {
  /** Number of the scanner. */
  readonly number: number;
  /** Address of what it looks for in records. */
  readonly program: number;
  /** Bits for the sides of its topic, and for whether categories are needed. */
  readonly holds: number;
  readonly itemsPerList: number;
  readonly positionBase: number;
  /** Size of the largest valid record in bytes. */
  readonly limit: number;
  /** Whether a whole number of the size of milliseconds is a time in milliseconds. */
  readonly hasMilliseconds: boolean;
  readonly carriesScores: boolean;
  /** The dimensions of impressions by the number of their context; valid until the next call of `begin`. */
  contextOf(number: number): { readonly dimensions: readonly string[]; readonly tuple: string };
  /** The key in user samples of the user whose id is at [from, end) in the engine's memory; -1: none, or none is needed. */
  sampleKeyOf(from: number, end: number): number;
  /** Called before records are fed that have not been read yet. */
  begin(): void;
  /** Reports the number of keys of contexts that were no names of dimensions. */
  ignored(keys: number): void;
}

/** The record that is being judged. Valid until the call returns. */
export interface RecordPlace {
  readonly topic: number;
  readonly offset: Offset;
  /** Whether it was judged before the checkpoint and is read again. */
  readonly isReplayed: boolean;
}

/** Callbacks of the join, called synchronously and in the order of the rules (specification: join 3, 4). */
export interface JoinSink {
  /** Called when an impression was accepted. Returns the tag (an unsigned 32-bit integer) under which it will be closed. */
  accepted(impression: AcceptedImpression, from: RecordPlace): number;
  /** Called when the impression with this tag no longer needs it, because its longest horizon has closed. */
  unref(tag: number): void;
  /** Called when one (impression, horizon) has finally closed. Not called for what closed before the checkpoint. */
  closed(closing: Closing, names: ClosingNames): void;
  /** Whether `closed` reads names; default: yes. Names have a cost that many closings passed together avoid. */
  readonly readsNames?: boolean | undefined;
  /**
   * Address of an `Adder` in the engine's memory (wasm/engine/adding.ts). With it, closings may be added up without a call of `closed`,
   * and holders of tags counted without calls of `unref`, or of `accepted` if a context has a tag. Default: none.
   */
  readonly adder?: number | undefined;
  /** Observes what becomes of single events; default: none. */
  readonly observer?: JoinObserver | undefined;
}

/** Texts of the list that closes, made on demand and valid until the call returns. */
export interface ClosingNames {
  /** Identifies a list while its longest horizon is open; another list may get it later. */
  readonly handle: number;
  requestId(): string;
  /** The items of the first `most` slots. */
  items(most: number): readonly string[];
}

/**
 * Observes which feedback is dropped and why, for samples: no result depends on it. Texts are valid until the call returns. Not called
 * for what the checkpoint already contains, nor for records that are not feedback.
 */
export interface JoinObserver {
  /**
   * Called when feedback was dropped. `handle` is its list, as in `ClosingNames`; 0 if it has no open list. `from` is its record, if that
   * was passed to `record` and is being judged now; undefined: the feedback had waited, or the record is not known.
   */
  dropped(reason: FeedbackDrop, handle: number, feedback: FeedbackTexts, from?: RecordPlace): void;
  /**
   * Called when an event passed to `record` does not count now: it waits for its impression, or is dropped. Not called for feedback that
   * is reported by `dropped`.
   */
  notTaken?(why: 'waits' | 'future' | 'excluded' | 'late' | 'duplicate', event: JoinEvent, from: RecordPlace): void;
  /**
   * Called when feedback names no item of this list, whose last closing is yet to come. The feedback waits for another list of its
   * request.
   */
  strayed(handle: number, feedback: FeedbackTexts): void;
  /** Called when waiting feedback has found its list. */
  found(feedback: FeedbackTexts): void;
}

/** Offsets [from, to), and the number of records in them. */
export interface UndecodableRange {
  readonly from: Offset;
  readonly to: Offset;
  readonly records: number;
}

/** The readable state of the join of one unit. */
export interface JoinView {
  /** True until every topic has reached the committed offset of the checkpoint that this join started from. */
  readonly replaying: boolean;
  /** The combined watermark, W. */
  readonly watermark: EpochMs;
  topicWatermark(topic: number): EpochMs;
  /** The watermark, or a higher one that a leap would set and that waits to be confirmed. */
  topicNewest(topic: number): EpochMs;
  position(topic: number): Offset;
  /** Records below this offset were judged before the checkpoint that this join started from. */
  judgedBelow(topic: number): Offset;
  readonly counts: readonly TopicCounts[];
  /** Delays of the feedback attributed since this join was made. */
  readonly delays: Delays;
  readonly openImpressions: number;
  readonly waitingFeedback: number;
  /** Items and records compared, plus links of indexes followed, since this join was made: the work that depends on ids. */
  readonly steps: number;
  /** Approximate time of the oldest impression in memory, open or closed and remembered; undefined: there is none. */
  readonly oldestRemembered: EpochMs | undefined;
  /** Bytes of everything open, waiting or remembered: whole segments, tables and indexes, used or not. */
  readonly stateBytes: number;
}

/** The join of one unit. It is pure: no clock, no randomness, no I/O. */
export interface UnitJoin extends JoinView {
  /**
   * Judges all events of one record.
   * @param timestamp of the record; undefined: none
   * @param now wall clock; undefined: none, and nothing is `future`
   * @param excluded events that conditions leave out; default: none
   */
  record(
    topic: number,
    offset: Offset,
    timestamp: EpochMs | undefined,
    events: readonly JoinEvent[],
    now: EpochMs | undefined,
    excluded?: readonly Event[],
  ): void;
  /**
   * Judges records of one topic, as long as the engine can read each of them as one event. Returns the index of the first that it cannot
   * read: the caller must judge that one with `record` or `refused`, then call again. -1: all were judged.
   */
  feed(topic: number, reader: RecordReader, rows: RecordRows, now: EpochMs | undefined): number;
  /** Judges a record without a valid event, which counts once, on the given side. */
  refused(topic: number, offset: Offset, side: Side, reason: 'tombstone' | 'invalid'): void;
  /** Counts a record for which its topic has no map, once and on no side. */
  passedOver(topic: number, offset: Offset, condition: UnmetCondition): void;
  /**
   * Skips the records [from, to), which cannot be decoded. Returns how many of `records` were counted on the given side; those judged
   * before the checkpoint are not. `from` must not be below the position.
   */
  undecodable(topic: number, batch: UndecodableRange, side: Side): number;
  /** Whether this topic is being read again and holds records that were skipped as undecodable the first time. */
  skipsInReplay(topic: number): boolean;
  /** Whether all of [from, to) was skipped as undecodable before the checkpoint. A replay skips it again. */
  wasSkipped(topic: number, from: Offset, to: Offset): boolean;
  /**
   * Moves to the next record of the topic, which has this offset or a higher one: there is none below for us (control records,
   * compaction), or it is lost.
   */
  seek(topic: number, offset: Offset): void;
  /** Raises the watermark of a topic that has nothing new (specification: join 6); returns whether it moved. */
  idle(topic: number, watermark: EpochMs): boolean;
  /** Closes, settles and evicts up to the combined watermark. Results do not depend on how often it is called. */
  advance(): void;
  checkpoint(): JoinCheckpoint;
  /** Gives back the memory of everything open. Counts and figures stay readable; no other call may follow. */
  close(): void;
}

/** The settings that the join needs. */
export interface JoinSettings {
  /** Exactly one topic carries impressions. Feedback of a list is ordered by topic in this order. */
  readonly topics: readonly TopicRole[];
  /** Lengths in ascending order, at most 31. */
  readonly horizons: readonly DurationMs[];
  readonly outOfOrderness: DurationMs;
  readonly backward: DurationMs;
  readonly futureSkew: DurationMs;
  /** Most events of one topic that are attributed to one impression. */
  readonly feedbackPerImpression: number;
  /** Actions that grades or measures use. Feedback with other actions is kept for its identity and has index -1. */
  readonly actions: readonly string[];
  /** Whether closed lists carry their items and categories (`Joined.items`); default: no. */
  readonly namesItems?: boolean;
  /**
   * The key of all hashes of ids, a non-negative integer. Each process draws its own, so that nobody can choose ids that collide. No
   * result depends on it.
   */
  readonly hashSeed?: number;
  /**
   * Up to this many records of one list or request are searched one by one; an index is built for more. Tests lower it. No result depends
   * on it.
   */
  readonly searchUpTo?: number;
}

/** H, the attribution window. */
export function windowOf({ horizons }: Pick<JoinSettings, 'horizons'>): DurationMs {
  return horizons[horizons.length - 1];
}

/** Times from impressions to attributed feedback, as counts by upper bound. */
export class Delays {
  /** Upper bounds in seconds, ascending. */
  static readonly bounds = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21_600, 86_400] as const;
  readonly #figures: Float64Array;

  /** @param figures the sum, then the counts */
  constructor(figures: Float64Array) {
    this.#figures = figures;
  }

  /** `counts[i]` is the number at or below `bounds[i]` and above the previous bound; the last count has no bound. */
  get counts(): Float64Array {
    return this.#figures.subarray(1);
  }

  /** Sum of the times in seconds. */
  get sum(): number {
    return this.#figures[0];
  }
}
