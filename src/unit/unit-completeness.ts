import { type Batch, countOf } from '../consumers/source/source-port.ts';
import type { TopicCheckpoint } from '../vocabulary/checkpoint.ts';
import type { DurationMs, EpochMs, Offset, TopicRole } from '../vocabulary/events.ts';

/** What the completeness of a unit starts from. The fields are those of `Resumed`. */
interface StoredCompleteness {
  readonly incompleteBefore: EpochMs;
  readonly hasGap: boolean;
  readonly feedbackFrom: EpochMs;
  readonly join: { readonly topics: readonly TopicCheckpoint[] } | undefined;
}

/**
 * Since when the panes of a unit are complete (specification: windows 3.3): from its first impression on, and from the end of
 * each gap on. What a gap has taken was written no later than the first record behind it. If there is a gap at the beginning of
 * feedback, no list from before its end is counted (specification: windows 3.5).
 */
export class UnitCompleteness {
  readonly #topics: readonly TopicRole[];
  readonly #backward: DurationMs;
  readonly #futureSkew: DurationMs;
  #incompleteBefore: EpochMs;
  /** Whether no impression was accepted yet. */
  #awaitsAny: boolean;
  /** Whether no new impression was accepted since the checkpoint: everything that is read again precedes a gap. */
  #awaitsNew: boolean;
  /** The first offset behind the gap of each topic, while no record from there on was read; undefined: there is no gap. */
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
    // Earlier releases did not store which topic has the gap.
    const isAnywhere = hasGap && !this.#awaitsAny && stored.every((topic) => topic?.hasGap !== true);
    this.#behindGap = stored.map((topic) => (isAnywhere || topic?.hasGap === true ? topic?.committed : undefined));
    this.#feedbackFrom = feedbackFrom;
    for (const [topic, one] of stored.entries()) {
      if (one?.isBeginning !== true || !topics[topic].feedback) continue;
      this.#beginnings.add(topic);
      // What precedes the replay offset was written up to this time, however late the first record behind it was written.
      this.#feedbackFrom = Math.max(this.#feedbackFrom, one.replayWatermark + outOfOrderness + backward);
    }
  }

  /** The time before which lists may lack feedback that the unit has not read. It is known before a later list closes. */
  get feedbackFrom(): EpochMs {
    return this.#feedbackFrom;
  }

  /** Notes where a new unit begins to read a topic. Kafka may keep lists for longer than their feedback, which is lost then. */
  begins(topic: number, offset: Offset): void {
    const { impressions, feedback } = this.#topics[topic];
    if (offset === 0 || !feedback || impressions) return;
    this.lost(topic, offset);
    this.#beginnings.add(topic);
  }

  /** Notes that records of a topic below `behind` were lost before they could be read, or cannot be read again. */
  lost(topic: number, behind: Offset): void {
    this.#behindGap[topic] = Math.max(this.#behindGap[topic] ?? 0, behind);
  }

  /** Whether impressions that are accepted from now on change nothing. */
  get isSettled(): boolean {
    return !this.#awaitsAny && !this.#awaitsNew;
  }

  /** Notes an accepted impression. `isReplayed`: it was judged before the checkpoint. */
  accepted(ts: EpochMs, isReplayed: boolean): void {
    if (!this.#awaitsAny && (isReplayed || !this.#awaitsNew)) return;
    this.#raise(ts);
    this.#awaitsAny = false;
    this.#awaitsNew &&= isReplayed;
  }

  /**
   * Notes that a batch was applied. `newest`: the greatest time of its topic after that. Records that are ahead of the clock are
   * ignored, as they are for the watermark.
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

  /** Notes that a topic was read to its end, and has had nothing new since `silentSince`. */
  silent(topic: number, silentSince: EpochMs): void {
    if (this.#behindGap[topic] !== undefined) this.#ends(topic, silentSince);
  }

  /** Ends the gap of a topic: what it has lost was written by `time`. */
  #ends(topic: number, time: EpochMs): void {
    if (time === Number.NEGATIVE_INFINITY) return;
    this.#behindGap[topic] = undefined;
    // Lost feedback may have belonged to an impression that is later by `backward`.
    const complete = this.#topics[topic].feedback ? time + this.#backward : time;
    if (this.#beginnings.delete(topic)) this.#feedbackFrom = Math.max(this.#feedbackFrom, complete);
    this.#raise(complete);
  }

  #raise(time: EpochMs): void {
    this.#incompleteBefore = Math.max(this.#incompleteBefore, time);
  }

  /** What the checkpoint stores: before when panes are incomplete, whether that time is still to rise, and which lists are left out. */
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

  /** The topics as the checkpoint stores them, marked with the gaps behind which nothing was read yet. */
  marked(topics: readonly TopicCheckpoint[]): readonly TopicCheckpoint[] {
    return topics.map((topic, t) => ({
      ...topic,
      ...(this.#behindGap[t] === undefined ? {} : { hasGap: true as const }),
      ...(this.#beginnings.has(t) ? { isBeginning: true as const } : {}),
    }));
  }
}
