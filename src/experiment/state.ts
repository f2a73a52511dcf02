import type { Since } from '../accumulators/runs.ts';
import type { ExperimentSettings } from '../config/settings.ts';
import type { Result } from '../statistics/absent.ts';
import type { ArmMean } from '../statistics/arm.ts';
import type { Exposed, Exposure } from '../statistics/exposure.ts';
import type { DurationMs, EpochMs } from '../vocabulary/events.ts';
import type { YoungLists } from '../vocabulary/young-lists.ts';
import type { ExperimentLooks } from './experiment-looks.ts';

/** One variant since the start of the experiment's run, over all units, at the experiment's horizon. */
export interface VariantState {
  readonly impressions: number;
  /** Number of lists with a positive. */
  readonly positives: number;
  /** Number of lists without a user id. */
  readonly userless: number;
  /** Number of lists without slots (`isEmptyList`). */
  readonly empty: number;
  /** Number of user buckets that are not empty. */
  readonly buckets: number;
  /** Approximate share of the lists, 0 to 1, that come from the heaviest user (`arm.ts`). */
  readonly heaviest: number;
  /** Means by canonical name, from the sums by bucket. A measure that is missing has no data. The share of empty lists is EMPTY_SHARE. */
  readonly means: ReadonlyMap<string, Result<ArmMean>>;
}

/** Name of the share of empty lists, of which less is better, among the means and looks of measures. */
export const EMPTY_SHARE = 'empty';

/**
 * All that is known about one run of an experiment at one time, from which a comparison is made. It contains final results only, never
 * provisional ones (specification: statistics 4.4).
 */
export interface ExperimentState {
  readonly settings: ExperimentSettings;
  /** Canonical names of all measures, in the order of the configuration. */
  readonly measures: readonly string[];
  /**
   * The time since which each measure is kept: lists that closed later count in it, in all units. -Infinity: all lists of the run;
   * Infinity: not yet those of all units.
   */
  readonly since: Since;
  /** Event time up to which all results are included; undefined: nothing is final yet. */
  readonly asOf: EpochMs | undefined;
  /** Variants by name. A configured variant that is missing has no impressions. */
  readonly variants: ReadonlyMap<string, VariantState>;
  /** Impressions with variants that are not configured: counted, but not compared. */
  readonly others: ReadonlyMap<string, number>;
  /** Users of all units; variants are numbered in the order of the settings. */
  readonly exposed: Exposed;
  /** Number of records that were lost to gaps and rebuilt spans. */
  readonly missing: number;
  /** Present if the store has lost results of looks. */
  readonly looksLost?: boolean;
  /** Number of partitions of which nothing is stored, so that their lists are in no number. Absent: 0. */
  readonly unstored?: number;
  /** Event time at which other settings ended the run; undefined: it continues. */
  readonly ended?: EpochMs | undefined;
  /** undefined for a service, whose logs go on. */
  readonly end?: EndOfLogs | undefined;
  /** All looks of the run so far; this state's look is included only after `takeLooks`. */
  readonly looks: ExperimentLooks;
}

/** How the logs of files end (specification: join 4.1). */
export interface EndOfLogs {
  /** Event time of the newest event. */
  readonly at: EpochMs;
  /** Time after a list until its result is known. */
  readonly delay: DurationMs;
  /** ISO time of the newest feedback; null: there is none, or nothing waits for it. */
  readonly feedbackEnd: string | null;
  /** Lists that are too young to count, by value of the experiment's dimension. */
  readonly young: ReadonlyMap<string, YoungLists>;
}

const NO_IMPRESSIONS: VariantState = {
  impressions: 0,
  positives: 0,
  userless: 0,
  empty: 0,
  buckets: 0,
  heaviest: 0,
  means: new Map(),
};

export function variantOf({ variants }: Pick<ExperimentState, 'variants'>, name: string): VariantState {
  return variants.get(name) ?? NO_IMPRESSIONS;
}

/** The variants that are compared with the control, in the order of the configuration. */
export function treatmentsOf({ variants, control }: Pick<ExperimentSettings, 'variants' | 'control'>): string[] {
  return [...variants.keys()].filter((name) => name !== control);
}

export type Role = 'primary' | 'guardrail' | 'other';

export function roleOf({ primary, guardrails }: ExperimentSettings, measure: string): Role {
  if (measure === primary) return 'primary';
  return guardrails.includes(measure) ? 'guardrail' : 'other';
}

/** Share of the lists without a user, 0 to 1. */
export function userlessShare({ impressions, userless }: Pick<VariantState, 'impressions' | 'userless'>): number {
  return impressions === 0 ? 0 : userless / impressions;
}

/** Number of distinct users that saw a variant, approximate if the sample had to become coarser. */
export function usersSeen({ settings }: ExperimentState, variant: string, { seen, level }: Exposure): number {
  return seen[[...settings.variants.keys()].indexOf(variant)] * 2 ** level;
}
