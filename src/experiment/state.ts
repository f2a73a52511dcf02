import type { ExperimentSettings } from '../config/settings.ts';
import type { Measure } from '../measures/definition.ts';
import type { Result } from '../statistics/absent.ts';
import type { ArmMean } from '../statistics/arm.ts';
import type { Exposed, Exposure } from '../statistics/exposure.ts';
import type { EpochMs } from '../vocabulary/events.ts';
import { fmix32, fnv1a32 } from '../vocabulary/user-words.ts';
import type { ExperimentLooks } from './experiment-looks.ts';

/** One variant since the start of the experiment's run, of all units, at the experiment's horizon. */
export interface VariantState {
  readonly impressions: number;
  /** Lists with a positive. */
  readonly positives: number;
  /** Lists without a user id. */
  readonly userless: number;
  /** User buckets that are not empty. */
  readonly buckets: number;
  /** Approximate share of the lists, 0 to 1, that come from the heaviest user (`arm.ts`). */
  readonly heaviest: number;
  /** By canonical name, from the sums by bucket. A measure that is missing has no data. */
  readonly means: ReadonlyMap<string, Result<ArmMean>>;
}

/**
 * All that is known of one run of an experiment at one time: what a comparison is made from. Final results only, never
 * provisional ones (specification: statistics 4.4).
 */
export interface ExperimentState {
  readonly settings: ExperimentSettings;
  /** Canonical names of all measures, in the order of the configuration. */
  readonly measures: readonly string[];
  /** Event time up to which all results are included; undefined: nothing is final yet. */
  readonly asOf: EpochMs | undefined;
  /** By name. A configured variant that is missing has no impressions. */
  readonly variants: ReadonlyMap<string, VariantState>;
  /** Impressions by variants that are not configured: counted, but not compared. */
  readonly others: ReadonlyMap<string, number>;
  /** Users of all units; variants are numbered in the order of the settings. */
  readonly exposed: Exposed;
  /** Records that were lost to gaps and rebuilt spans. */
  readonly missing: number;
  /** All looks of the run so far; this state's look is included only after `takeLooks`. */
  readonly looks: ExperimentLooks;
}

const NO_IMPRESSIONS: VariantState = {
  impressions: 0,
  positives: 0,
  userless: 0,
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

/** Distinct users that saw a variant at all, approximate where the sample had to become coarser. */
export function usersSeen({ settings }: ExperimentState, variant: string, { seen, level }: Exposure): number {
  return seen[[...settings.variants.keys()].indexOf(variant)] * 2 ** level;
}

/**
 * Identifies a run of an experiment: 16 hexadecimal digits of everything whose change makes old and new sums incomparable. A total,
 * a user sample and the looks belong to one run; any change starts a new one at zero, even a ramp of the weights, because
 * traffic of two splits must not be pooled (specification: statistics 1.4). The order of variants counts, since the user sample
 * numbers them; that of guardrails and measures does not.
 */
export function runOf(settings: ExperimentSettings, measures: readonly Pick<Measure, 'canonical'>[]): string {
  const { variants, control, primary, guardrails, horizon, alpha, nStar, start, lowerIsBetter, interleaved } = settings;
  const text = JSON.stringify([
    [...variants],
    control,
    primary,
    [...guardrails].sort(),
    horizon.ms,
    alpha,
    nStar,
    start ?? null,
    interleaved,
    measures.map(({ canonical }) => canonical).sort(),
    ...(lowerIsBetter.size === 0 ? [] : [[...lowerIsBetter].sort()]),
  ]);
  return hex(fnv1a32(`receval/run/1:${text}`)) + hex(fnv1a32(`receval/run/2:${text}`));
}

function hex(word: number): string {
  return fmix32(word).toString(16).padStart(8, '0');
}
