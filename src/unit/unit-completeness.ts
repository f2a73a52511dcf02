import { countOf } from '../consumers/source/run-batch.ts';
import type { Batch } from '../consumers/source/source-port.ts';
import type { TopicCheckpoint } from '../vocabulary/checkpoint.ts';
import type { DurationMs, EpochMs, Offset, TopicRole } from '../vocabulary/events.ts';

/** What the completeness of a unit starts from: as in `Resumed`. */
interface StoredCompleteness {
  readonly incompleteBefore: EpochMs;
  readonly hasGap: boolean;
  readonly feedbackFrom: EpochMs;
  readonly join: { readonly topics: readonly TopicCheckpoint[] } | undefined;
}

/**
 * Since when the panes of a unit are complete (specification: windows 3.3): from its first impression on, and from the end of
 * each gap on. What a gap has taken was written no later than the first record behind it. Of lists from before the end of a gap at the
 * beginning of feedback none is counted (specification: windows 3.5).
 */
export class UnitCompleteness {
  readonly #topics: readonly TopicRole[];
  readonly #backward: DurationMs;
  readonly #futureSkew: DurationMs;
  #incompleteBefore: EpochMs;
  /** No impression was accepted yet. */
  #awaitsAny: boolean;
  /** No impression was accepted since the checkpoint, and none before it: everything that is read again precedes a gap. */
  #awaitsNew: boolean;
  /** By topic: the first offset behind a gap, of which no record was read yet; undefined: there is no gap. */
  readonly #behindGap: (Offset | undefined)[];
  /** Topics of feedback that do not begin with their first record, and of which nothing was read yet. */
  readonly #beginnings = new Set<number>();
  #feedbackFrom: EpochMs;

  constructor(
    {
      topics,
      backward,
      futureSkew,
      outOfOrderness,
    }: {
      readonly topics: readonly TopicRole[];
      readonly backward: DurationMs;
      readonly futureSkew: DurationMs;
      readonly outOfOrderness: DurationMs;
    },
    { incompleteBefore, hasGap, feedbackFrom, join }: StoredCompleteness,
  ) {
    this.#topics = topics;
    this.#backward = backward;
    this.#futureSkew = futureSkew;
    this.#incompleteBefore = incompleteBefore;
    // The time before the very first impression counts as a gap.
    this.#awaitsAny = incompleteBefore === Number.NEGATIVE_INFINITY;
    this.#awaitsNew = hasGap;
    const stored = topics.map((_, topic) => join?.topics[topic]);
    // Earlier releases did not store of which topic it is.
    const isAnywhere = hasGap && !this.#awaitsAny && stored.every((topic) => topic?.hasGap !== true);
    this.#behindGap = stored.map((topic) => (isAnywhere || topic?.hasGap === true ? topic?.committed : undefined));
    this.#feedbackFrom = feedbackFrom;
    for (const [topic, one] of stored.entries()) {
      if (one?.isBeginning !== true || !topics[topic].feedback) continue;
      this.#beginnings.add(topic);
      // So late was what precedes the replay offset, however late the first record behind it was written.
      this.#feedbackFrom = Math.max(this.#feedbackFrom, one.replayWatermark + outOfOrderness + backward);
    }
  }

  /** Lists from before this time may lack feedback that the unit has not read. Known before any list closes that it leaves in. */
  get feedbackFrom(): EpochMs {
    return this.#feedbackFrom;
  }

  /** Where a new unit begins to read a topic. Lists may be kept for longer than their feedback, which is lost then. */
  begins(topic: number, offset: Offset): void {
    const { impressions, feedback } = this.#topics[topic];
    if (offset === 0 || !feedback || impressions) return;
    this.lost(topic, offset);
    this.#beginnings.add(topic);
  }

  /** Records of a topic below `behind` were lost before they could be read, or cannot be read again. */
  lost(topic: number, behind: Offset): void {
    this.#behindGap[topic] = Math.max(this.#behindGap[topic] ?? 0, behind);
  }

  /** Impressions that are accepted from now on change nothing. */
  get isSettled(): boolean {
    return !this.#awaitsAny && !this.#awaitsNew;
  }

  /** An impression was accepted. `isReplayed`: it was judged before the checkpoint. */
  accepted(ts: EpochMs, isReplayed: boolean): void {
    if (!this.#awaitsAny && (isReplayed || !this.#awaitsNew)) return;
    this.#raise(ts);
    this.#awaitsAny = false;
    this.#awaitsNew &&= isReplayed;
  }

  /**
   * A batch was applied. `newest`: the greatest time of its topic since. A record that is ahead of the clock tells nothing, as
   * for the watermark.
   */
  read(batch: Batch, newest: EpochMs, now: EpochMs | undefined): void {
    const { topic } = batch;
    const behind = this.#behindGap[topic];
    if (behind === undefined || countOf(batch) === 0) return;
    const latest = now === undefined ? Number.POSITIVE_INFINITY : now + this.#futureSkew;
    const first = batch.records.find(
      ({ offset, timestamp }) => offset >= behind && (timestamp ?? Number.NEGATIVE_INFINITY) <= latest,
    );
    if (first !== undefined) this.#ends(topic, first.timestamp ?? newest);
  }

  /** A topic was read to its end, and has had nothing new since `silentSince`. */
  silent(topic: number, silentSince: EpochMs): void {
    if (this.#behindGap[topic] !== undefined) this.#ends(topic, silentSince);
  }

  /** What a gap of this topic has lost was written by `time`. */
  #ends(topic: number, time: EpochMs): void {
    if (time === Number.NEGATIVE_INFINITY) return;
    this.#behindGap[topic] = undefined;
    // Lost feedback may have belonged to an impression that is later by that much.
    const complete = this.#topics[topic].feedback ? time + this.#backward : time;
    if (this.#beginnings.delete(topic)) this.#feedbackFrom = Math.max(this.#feedbackFrom, complete);
    this.#raise(complete);
  }

  #raise(time: EpochMs): void {
    this.#incompleteBefore = Math.max(this.#incompleteBefore, time);
  }

  /** For the checkpoint: before when panes are incomplete, whether that time is still to rise, and which lists are left out. */
  state(): Omit<StoredCompleteness, 'join'> {
    const hasGap = this.#awaitsAny || this.#awaitsNew || this.#behindGap.some((behind) => behind !== undefined);
    return {
      incompleteBefore: Math.max(
        this.#incompleteBefore,
        this.#awaitsAny ? Number.NEGATIVE_INFINITY : this.#feedbackFrom,
      ),
      hasGap,
      feedbackFrom: this.#feedbackFrom,
    };
  }

  /** For the checkpoint: the topics, marked with the gaps behind which nothing was read yet. */
  marked(topics: readonly TopicCheckpoint[]): readonly TopicCheckpoint[] {
    return topics.map((topic, t) => ({
      ...topic,
      ...(this.#behindGap[t] === undefined ? {} : { hasGap: true as const }),
      ...(this.#beginnings.has(t) ? { isBeginning: true as const } : {}),
    }));
  }
}
