import { DAY } from '../vocabulary/durations.ts';
import type { DurationMs, EpochMs } from '../vocabulary/events.ts';

/** An arm of the shop's experiment `default`. */
export interface VariantSettings {
  readonly name: string;
  /** Share of the users, relative to the other weights. */
  readonly weight: number;
  /** Correlation of the ranker's scores with the true utility, 0 to 1. 0 ranks at random, 1 ranks perfectly. */
  readonly quality: number;
}

/** From `from` to before `to`, each list of `variant` is ranked at random with probability `share`. */
export interface RegressionSettings {
  readonly variant: string;
  readonly from: EpochMs;
  readonly to: EpochMs;
  /** A number from 0 to 1. */
  readonly share: number;
}

/** How users click (docs/simulate.md has the formulas). */
export type ClickSettings =
  | { readonly model: 'position'; readonly eta: number }
  | { readonly model: 'cascade'; readonly satisfaction: number; readonly perseverance: number };

/** The faults of records on their way. */
export const FAULTS = ['late', 'duplicate', 'orphan', 'malformed', 'outOfOrder', 'clockAhead'] as const;
export type Fault = (typeof FAULTS)[number];
/** Share of the records (orphan: of the requests) with a fault, 0 to 1; 0 turns it off. */
export type FaultRates = Readonly<Record<Fault, number>>;

export interface SimulationSettings {
  /** Whole number from 0 to 2^53 - 1. */
  readonly seed: number;
  /** Number of records of both topics together; Infinity: unlimited. */
  readonly events: number;
  /** Mean number of records of both topics per second of event time, before faults add or lose some. */
  readonly rate: number;
  /** Event time of the first impression. */
  readonly start: EpochMs;
  readonly users: number;
  readonly items: number;
  /** The attribution window: feedback arrives within it, `late` arrives after it. */
  readonly window: DurationMs;
  readonly variants: readonly VariantSettings[];
  readonly regression: RegressionSettings | undefined;
  readonly clicks: ClickSettings;
  readonly faults: FaultRates;
  /** Whether items are bare ids, without a predicted score. */
  readonly plainItems: boolean;
}

/** Number of slots of a page. */
export const PAGE_LENGTH = 10;
/** Number of items that a ranker orders for a request. */
export const CANDIDATES = 30;
/** The pipeline's default `attribution.outOfOrderness`, for which `late` records are late. It is longer than any arrival jitter. */
export const OUT_OF_ORDERNESS: DurationMs = 10_000;

export const USUAL_FAULTS: FaultRates = {
  late: 0.002,
  duplicate: 0.002,
  orphan: 0.001,
  malformed: 0.0005,
  outOfOrder: 0.05,
  clockAhead: 0.0005,
};
export const NO_FAULTS: FaultRates = { late: 0, duplicate: 0, orphan: 0, malformed: 0, outOfOrder: 0, clockAhead: 0 };
/** Records overtake each other, and have no other faults. */
export const CLEAN_FAULTS: FaultRates = { ...NO_FAULTS, outOfOrder: USUAL_FAULTS.outOfOrder };

export const USUAL_CLICKS: { readonly [M in ClickSettings['model']]: Extract<ClickSettings, { model: M }> } = {
  position: { model: 'position', eta: 1 },
  cascade: { model: 'cascade', satisfaction: 0.8, perseverance: 0.9 },
};

export const USUAL_SETTINGS: SimulationSettings = {
  seed: 1,
  events: 100_000,
  rate: 20,
  start: Date.UTC(2025, 10, 3, 8),
  users: 5000,
  items: 1000,
  window: 1_800_000,
  variants: [
    { name: 'control', weight: 0.5, quality: 0.6 },
    { name: 'treatment', weight: 0.5, quality: 0.7 },
  ],
  regression: undefined,
  clicks: USUAL_CLICKS.position,
  faults: USUAL_FAULTS,
  plainItems: false,
};

/** 2001-09-09T01:46:40Z, the first time that is unambiguously in milliseconds: with `auto` units, earlier times are refused. */
const EARLIEST = 1e12;

/** Says what is wrong with the settings, one short sentence each; empty: nothing. */
export function settingsProblems(settings: SimulationSettings): readonly string[] {
  const problems: string[] = [];
  const need = (holds: boolean, problem: string): void => {
    if (!holds) problems.push(problem);
  };
  const share = (value: number): boolean => value >= 0 && value <= 1;
  need(Number.isSafeInteger(settings.seed) && settings.seed >= 0, 'seed must be a whole number from 0');
  need(
    settings.events === Number.POSITIVE_INFINITY || (Number.isSafeInteger(settings.events) && settings.events > 0),
    'events must be a whole number from 1',
  );
  need(settings.rate > 0 && settings.rate <= 1e6, 'rate must be above 0 and at most 1000000 events per second');
  need(
    Number.isSafeInteger(settings.start) && settings.start >= EARLIEST,
    'start must be a time from 2001-09-09T01:46:40Z on',
  );
  need(wholeFrom(settings.users, 1, 10_000_000), 'users must be a whole number from 1 to 10000000');
  need(wholeFrom(settings.items, 2, 1_000_000), 'items must be a whole number from 2 to 1000000');
  need(wholeFrom(settings.window, 1000, 30 * DAY), 'window must be from 1s to 30d');
  const names = settings.variants.map((variant) => variant.name);
  need(names.length > 0 && names.length <= 255, 'there must be from 1 to 255 variants');
  need(new Set(names).size === names.length, `variants must differ in name: ${names.join(', ')}`);
  need(
    settings.variants.some((variant) => variant.weight > 0),
    'at least one variant must have a weight above 0',
  );
  for (const { name, weight, quality } of settings.variants) {
    need(name !== '', 'a variant must have a name');
    need(weight >= 0 && Number.isFinite(weight), `variant ${name}: weight must be a number from 0`);
    need(share(quality), `variant ${name}: quality must be from 0 to 1`);
  }
  const { regression, clicks } = settings;
  if (regression !== undefined) {
    need(
      names.includes(regression.variant),
      `regression: no variant "${regression.variant}"; there are ${names.join(', ')}`,
    );
    need(regression.from < regression.to, 'regression: its end must be after its start');
    need(share(regression.share), 'regression: its amount must be from 0 to 1');
  }
  if (clicks.model === 'position') need(clicks.eta >= 0 && clicks.eta <= 10, 'eta must be from 0 to 10');
  else {
    need(share(clicks.satisfaction), 'satisfaction must be from 0 to 1');
    need(share(clicks.perseverance), 'perseverance must be from 0 to 1');
  }
  for (const fault of FAULTS) need(share(settings.faults[fault]), `${fault} must be a share from 0 to 1`);
  return problems;
}

function wholeFrom(value: number, least: number, most: number): boolean {
  return Number.isSafeInteger(value) && value >= least && value <= most;
}
