/** What the live page shows about a worker: the present state of its partitions, commits and delays, and drops by minute. */
import type { PartitionView, WorkView } from '../page/model.ts';
import { FEEDBACK_DROPS, type FeedbackDrop, IMPRESSION_DROPS } from '../vocabulary/drops.ts';
import type { EpochMs } from '../vocabulary/events.ts';
import type { UnitStatus, WorkerStatus } from '../worker/status.ts';

const MINUTE = 60_000;
/** Number of minutes that are kept. */
const MOST_MINUTES = 180;

const REASONS: readonly FeedbackDrop[] = [...new Set([...IMPRESSION_DROPS, ...FEEDBACK_DROPS])];

/** Events that were dropped in one minute, in the order of `REASONS`. */
interface Minute {
  readonly at: EpochMs;
  readonly drops: number[];
}

export class LiveWork {
  #minutes: Minute[] = [];
  /** Drops of each unit at the last update; a new unit adds nothing at first. */
  #known: ReadonlyMap<number, readonly number[]> = new Map();

  /** Adds what was dropped since the last update, which costs a few additions per partition. */
  update({ units }: WorkerStatus, now: EpochMs): void {
    const at = Math.floor(now / MINUTE) * MINUTE;
    if (this.#minutes.at(-1)?.at !== at) {
      this.#minutes.push({ at, drops: REASONS.map(() => 0) });
      if (this.#minutes.length > MOST_MINUTES) this.#minutes.shift();
    }
    const current = this.#minutes[this.#minutes.length - 1].drops;
    const seen = new Map(units.map((unit) => [unit.partition, dropsOf(unit)] as const));
    for (const [partition, drops] of seen) {
      const before = this.#known.get(partition);
      // If there are fewer drops than before, the unit has resumed from another state.
      if (before !== undefined) for (const [r, n] of drops.entries()) current[r] += Math.max(0, n - before[r]);
    }
    this.#known = seen;
  }

  view({ topics, units, commits, commitDuration, feedbackDelay, lastCommit }: WorkerStatus): WorkView {
    const durations = commitDuration.counts.reduce((sum, n) => sum + n, 0);
    const partitions = units.map(partitionView);
    const reasons = REASONS.map((reason, r) => ({ reason, counts: this.#minutes.map(({ drops }) => drops[r]) }));
    return {
      topics,
      partitions: partitions.sort(
        (a, b) =>
          Number(a.stopped === null) - Number(b.stopped === null) || lagOf(b) - lagOf(a) || a.partition - b.partition,
      ),
      delays: { bounds: feedbackDelay.bounds, counts: feedbackDelay.counts },
      commits,
      commitSeconds: durations === 0 ? null : commitDuration.sum / durations,
      lastCommit: lastCommit === undefined ? null : new Date(lastCommit).toISOString(),
      drops: {
        times: this.#minutes.map(({ at }) => at),
        reasons: reasons.filter(({ counts }) => counts.some((n) => n > 0)),
      },
    };
  }
}

function dropsOf({ counts }: UnitStatus): readonly number[] {
  return REASONS.map((reason) =>
    counts.reduce((sum, { impressions, feedback }) => {
      const ofImpressions: Readonly<Partial<Record<string, number>>> = impressions.drops;
      const ofFeedback: Readonly<Partial<Record<string, number>>> = feedback.drops;
      return sum + (ofImpressions[reason] ?? 0) + (ofFeedback[reason] ?? 0);
    }, 0),
  );
}

function partitionView(unit: UnitStatus): PartitionView {
  return {
    partition: unit.partition,
    watermark: Number.isFinite(unit.watermark) ? unit.watermark : null,
    stopped: unit.stopped ?? null,
    openLists: unit.openImpressions,
    waitingFeedback: unit.waitingFeedback,
    lag: unit.lag.map((records) => records ?? null),
  };
}

/** Lag in records; 0 if unknown. */
function lagOf({ lag }: PartitionView): number {
  return lag.reduce<number>((sum, records) => sum + (records ?? 0), 0);
}
