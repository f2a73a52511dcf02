import type { DurationMs, EpochMs, Side } from '../vocabulary/events.ts';
import {
  type ClickSettings,
  FAULTS,
  type Fault,
  OUT_OF_ORDERNESS,
  type RegressionSettings,
  type SimulationSettings,
  type VariantSettings,
} from './simulation-settings.ts';

type BySide = Readonly<Record<Side, number>>;

/** The faults in the records delivered so far. */
export interface Plan {
  readonly seed: number;
  readonly start: EpochMs;
  /** Latest arrival so far; null: nothing has arrived. */
  readonly lastArrival: EpochMs | null;
  readonly window: DurationMs;
  readonly clicks: ClickSettings;
  readonly variants: readonly VariantSettings[];
  readonly regression: RegressionSettings | null;
  /** Number of delivered records, faulty ones included. */
  readonly records: BySide;
  /** Number of records with each fault. `orphan` counts feedback, including that of impressions that arrive too late. */
  readonly planted: Readonly<Record<Fault, BySide>>;
}

/** The counts of a worker with this attribution window and the usual outOfOrderness, in the form of `receval replay`. */
export interface Expectation {
  readonly impressions: {
    readonly read: number;
    readonly accepted: number;
    readonly drops: { readonly invalid: number; readonly late: number; readonly duplicate: number };
  };
  readonly feedback: {
    readonly read: number;
    readonly attributed: number;
    readonly drops: {
      readonly invalid: number;
      readonly late: number;
      readonly orphan: number;
      readonly duplicate: number;
    };
  };
}

export function expectation({ records, planted }: Plan): Expectation {
  const shown = {
    invalid: planted.malformed.impressions,
    late: planted.late.impressions,
    duplicate: planted.duplicate.impressions,
  };
  const given = {
    invalid: planted.malformed.feedback,
    late: planted.late.feedback,
    orphan: planted.orphan.feedback,
    duplicate: planted.duplicate.feedback,
  };
  const sum = (drops: Readonly<Record<string, number>>): number => Object.values(drops).reduce((a, b) => a + b, 0);
  return {
    impressions: { read: records.impressions, accepted: records.impressions - sum(shown), drops: shown },
    feedback: { read: records.feedback, attributed: records.feedback - sum(given), drops: given },
  };
}

/** A set of faults, one bit each. */
export const MARKS: Readonly<Record<Fault, number>> = {
  late: 1,
  duplicate: 2,
  orphan: 4,
  malformed: 8,
  outOfOrder: 16,
  clockAhead: 32,
};

/** The facts about a record that the tally needs. */
export interface Marked {
  readonly topic: Side;
  readonly at: EpochMs;
  readonly ts: EpochMs;
  /** A late record is late once its topic's watermark has reached this. */
  readonly deadline: EpochMs;
  readonly marks: number;
}

/** Counts faults as records are delivered. A record meant to be late counts as late only if the watermark says so. */
export class Tally {
  readonly #settings: SimulationSettings;
  readonly #records = { impressions: 0, feedback: 0 };
  readonly #planted = new Map(FAULTS.map((fault) => [fault, { impressions: 0, feedback: 0 }]));
  readonly #watermark = { impressions: Number.NEGATIVE_INFINITY, feedback: Number.NEGATIVE_INFINITY };
  #lastArrival: EpochMs | null = null;

  constructor(settings: SimulationSettings) {
    this.#settings = settings;
  }

  count(record: Marked): void {
    const { topic, marks } = record;
    this.#records[topic]++;
    this.#lastArrival = record.at;
    if (marks !== 0) {
      for (const [fault, counts] of this.#planted) {
        if ((marks & MARKS[fault]) === 0) continue;
        if (fault !== 'late' || this.#watermark[topic] >= record.deadline) counts[topic]++;
      }
      if ((marks & MARKS.malformed) !== 0) return;
    }
    const seen = Math.min(record.ts, record.at) - OUT_OF_ORDERNESS;
    if (seen > this.#watermark[topic]) this.#watermark[topic] = seen;
  }

  get plan(): Plan {
    const { seed, start, window, clicks, variants, regression } = this.#settings;
    const of = (fault: Fault): BySide => ({ impressions: 0, feedback: 0, ...this.#planted.get(fault) });
    return {
      seed,
      start,
      lastArrival: this.#lastArrival,
      window,
      clicks,
      variants,
      regression: regression ?? null,
      records: { ...this.#records },
      planted: {
        late: of('late'),
        duplicate: of('duplicate'),
        orphan: of('orphan'),
        malformed: of('malformed'),
        outOfOrder: of('outOfOrder'),
        clockAhead: of('clockAhead'),
      },
    };
  }
}
