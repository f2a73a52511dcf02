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
import type { FeedbackTexts, PackedFeedback } from '../packed/packed-feedback.ts';
import type { PackedImpression } from '../packed/packed-impression.ts';

/** Packed events need to be valid only until `record` returns. */
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

/** `tuple`: its dimensions joined by ',', if it was packed. */
export type GivenImpression = (Impression & { readonly tuple?: undefined }) | PackedImpression;

/** The impression as it was given, or as the engine has read it. */
export type AcceptedImpression = GivenImpression | FedImpression;

/** How the records of a topic are read: what the engine needs to know of it, and asks about the record that its scanner has in hand. */
export interface RecordReader extends ScanCalls {
  /** Its number at the scanner. */
  readonly number: number;
  /** The sides of its topic, and whether categories are needed, as bits. */
  readonly holds: number;
  readonly itemsPerList: number;
  readonly positionBase: number;
  /** Bytes of the largest record. */
  readonly limit: number;
  /** Whether a whole number of the size of milliseconds is a time in milliseconds. */
  readonly hasMilliseconds: boolean;
  readonly carriesScores: boolean;
  /** The dimensions of impressions by the number of their context: good until the next call of `begin`. */
  contextOf(number: number): { readonly dimensions: readonly string[]; readonly tuple: string };
  /** The key in user samples of the user whose id is in these bytes of the memory, `from` to `end`; -1: none, or none is asked for. */
  sampleKeyOf(from: number, end: number): number;
  /** Before records are fed: they have not been read so far. */
  begin(): void;
  /** So many keys of contexts were no names of dimensions. */
  ignored(keys: number): void;
}

/** The record that is being judged. Valid until the call returns. */
export interface RecordPlace {
  readonly topic: number;
  readonly offset: Offset;
  /** It was judged before the checkpoint, and is read again. */
  readonly isReplayed: boolean;
}

/** Callbacks of the join. Called synchronously, in the order of specification: join 4.2. */
export interface JoinSink {
  /** An impression was accepted: returns the tag (an unsigned 32-bit integer) under which it will be closed. */
  accepted(impression: AcceptedImpression, from: RecordPlace): number;
  /** The impression with this tag no longer needs it: its longest horizon has closed. */
  unref(tag: number): void;
  /** One (impression, horizon) closed, finally. Not called for what closed before the checkpoint. */
  closed(closing: Closing, names: ClosingNames): void;
  /** Whether `closed` reads names; default: yes. It costs what many closings together need not. */
  readonly readsNames?: boolean | undefined;
  /**
   * Where closings may be added up without a call of `closed`, and holders of tags counted without one of `unref`, or of `accepted`
   * where a context has a tag: the place of an `Adder` in the engine's memory (wasm/engine/adding.ts). Default: nowhere.
   */
  readonly adder?: number | undefined;
  /** Observes what becomes of single events; default: none. */
  readonly observer?: JoinObserver | undefined;
}

/** Texts of the list that closes, made on demand; they may be read until the call returns. */
export interface ClosingNames {
  /** Identifies a list while its longest horizon is open; another list may get it later. */
  readonly handle: number;
  requestId(): string;
  /** Of the first `most` slots. */
  items(most: number): readonly string[];
}

/**
 * Observes which feedback is dropped and why, for samples: no result depends on it. Texts are valid until the call
 * returns. Not called for what the checkpoint holds already, nor for records that are not feedback.
 */
export interface JoinObserver {
  /**
   * Feedback was dropped. `handle`: its list, as in `ClosingNames`; 0: it has no open list. `from`: its record, if that was given by
   * itself (`record`) and is judged now; undefined: it had waited, or is not known.
   */
  dropped(reason: FeedbackDrop, handle: number, feedback: FeedbackTexts, from?: RecordPlace): void;
  /**
   * An event of a record that was given by itself does not count now: it waits for its impression, or is dropped. Not called for
   * feedback of which `dropped` tells.
   */
  notTaken?(why: 'waits' | 'future' | 'late' | 'duplicate', event: JoinEvent, from: RecordPlace): void;
  /** Feedback does not name an item of this list, whose last closing is yet to come: it waits for another list of its request. */
  strayed(handle: number, feedback: FeedbackTexts): void;
  /** Waiting feedback has found its list. */
  found(feedback: FeedbackTexts): void;
}

/** Offsets [from, to), and how many records they held. */
export interface UndecodableRange {
  readonly from: Offset;
  readonly to: Offset;
  readonly records: number;
}

/** What can be read of the join of one unit. */
export interface JoinView {
  /** True until every topic has reached the committed offset of the checkpoint that this join started from. */
  readonly replaying: boolean;
  /** Combined watermark W. */
  readonly watermark: EpochMs;
  topicWatermark(topic: number): EpochMs;
  /** The watermark, or what has leapt beyond it and waits until it is confirmed. */
  topicNewest(topic: number): EpochMs;
  position(topic: number): Offset;
  /** Records below this offset were judged before the checkpoint that this join started from. */
  judgedBelow(topic: number): Offset;
  readonly counts: readonly TopicCounts[];
  /** Delays of the feedback attributed since this join was made. */
  readonly delays: Delays;
  readonly openImpressions: number;
  readonly waitingFeedback: number;
  /** Items and records compared, and links of indexes followed, since this join was made: the work that depends on ids. */
  readonly steps: number;
  /** Approximate time of the oldest impression in memory, open or closed and remembered; undefined: there is none. */
  readonly oldestRemembered: EpochMs | undefined;
  /** Bytes of everything open, waiting or remembered: whole segments, tables and indexes, used or not. */
  readonly stateBytes: number;
}

/** The join of one unit. Pure: no clock, no randomness, no I/O. */
export interface UnitJoin extends JoinView {
  /**
   * Judges all events of one record. `timestamp`: of the record; undefined: none. `now`: wall clock; undefined: none, and
   * nothing is `future`.
   */
  record(
    topic: number,
    offset: Offset,
    timestamp: EpochMs | undefined,
    events: readonly JoinEvent[],
    now: EpochMs | undefined,
  ): void;
  /**
   * Judges records of one topic, as long as the engine can read each of them as one event. Returns the index of the first that it
   * cannot: the caller must judge that one by `record` or `refused`, then call again. -1: all were judged.
   */
  feed(topic: number, reader: RecordReader, rows: RecordRows, now: EpochMs | undefined): number;
  /** A record without a valid event: counts once, on the given side. */
  refused(topic: number, offset: Offset, side: Side, reason: 'tombstone' | 'invalid'): void;
  /** A record that no map of its topic is for: counts once, on no side. */
  passedOver(topic: number, offset: Offset, condition: UnmetCondition): void;
  /**
   * The records [from, to) cannot be decoded and are skipped. Returns how many of `records` were counted on the given side,
   * which excludes those that were judged before the checkpoint. `from` must not be below the position.
   */
  undecodable(topic: number, batch: UndecodableRange, side: Side): number;
  /** Whether this topic is read again, and holds records that were skipped as undecodable the first time. */
  skipsInReplay(topic: number): boolean;
  /** Whether the checkpoint says that all of [from, to) was skipped as undecodable. A replay skips it again. */
  wasSkipped(topic: number, from: Offset, to: Offset): boolean;
  /** The next record of the topic is at this offset or above: there is none below for us (control records, compaction), or it is lost. */
  seek(topic: number, offset: Offset): void;
  /** Raises the watermark of a topic that has nothing new (specification: join 6); returns whether it moved. */
  idle(topic: number, watermark: EpochMs): boolean;
  /** Closes, settles and evicts up to the combined watermark. Results do not depend on how often it is called. */
  advance(): void;
  checkpoint(): JoinCheckpoint;
  /** Gives back the memory of everything open. Counts and figures stay readable; nothing else may follow. */
  close(): void;
}

/** The part of the configuration that the join knows. */
export interface JoinSettings {
  /** Exactly one topic carries impressions. Feedback of a list is ordered by topic in this order. */
  readonly topics: readonly TopicRole[];
  /** Ascending, at most 31. */
  readonly horizons: readonly DurationMs[];
  readonly outOfOrderness: DurationMs;
  readonly backward: DurationMs;
  readonly futureSkew: DurationMs;
  /** Most events of one topic that are attributed to one impression. */
  readonly feedbackPerImpression: number;
  /** Actions that grades or measures use; feedback with other actions is kept for its identity and has index -1. */
  readonly actions: readonly string[];
  /** Whether closed lists carry their items and categories (`Joined.items`); default: no. */
  readonly namesItems?: boolean;
  /**
   * The key of all hashes of ids, drawn by each process for itself, so that nobody can choose ids that collide. A non-negative
   * integer. No result depends on it.
   */
  readonly hashSeed?: number;
  /**
   * Up to this many records of one list or request are searched one by one; for more an index is built. Tests lower it. No
   * result depends on it.
   */
  readonly searchUpTo?: number;
}

/** H, the attribution window. */
export function windowOf({ horizons }: Pick<JoinSettings, 'horizons'>): DurationMs {
  return horizons[horizons.length - 1];
}

/** Time from the impression to attributed feedback, as counts by upper bound. */
export class Delays {
  /** Seconds, ascending. */
  static readonly bounds = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21_600, 86_400] as const;
  readonly #figures: Float64Array;

  /** @param figures the sum, then the counts */
  constructor(figures: Float64Array) {
    this.#figures = figures;
  }

  /** `counts[i]`: at or below `bounds[i]` and above the bound before; the last has no bound. */
  get counts(): Float64Array {
    return this.#figures.subarray(1);
  }

  /** Seconds. */
  get sum(): number {
    return this.#figures[0];
  }
}
