import type { Absence } from '../statistics/absent.ts';
import type { ExperimentVerdict } from '../statistics/decision.ts';
import type { Role } from './state.ts';

export type Bounds = readonly [lower: number, upper: number];

/**
 * One measure of one variant against the control. Absent values are null, and `reason` says why; if there are several reasons,
 * it is that of the first absent field below.
 */
export interface ComparedMeasure {
  readonly measure: string;
  readonly role: Role;
  readonly horizon: string;
  /** Whether higher or lower values are better; neither for bias, which is best near 0. */
  readonly better: 'higher' | 'lower' | 'neither';
  readonly control: number | null;
  readonly value: number | null;
  /** Value minus control, in the measure's unit. */
  readonly effect: number | null;
  readonly stderr: number | null;
  /** Confidence sequence: valid at all looks together. Not adjusted for the number of comparisons. */
  readonly ci: Bounds | null;
  /** Effect / |control|. */
  readonly lift: number | null;
  /** Fieller's bounds, which exclude 0 exactly when `ci` does. */
  readonly liftCi: Bounds | null;
  /** Smallest p of all looks, two-sided; for a guardrail one-sided, for `worse`. */
  readonly p: number | null;
  /** Smallest p of all looks, two-sided for all roles. */
  readonly pTwoSided: number | null;
  /** By Holm within its role, over all variants. */
  readonly pAdjusted: number | null;
  /** Evidence of this look alone. */
  readonly logE: number | null;
  /** Smallest effect that could have been seen, with power .8. */
  readonly mde: number | null;
  /** Welch's t-test: right only for one look at a time that was fixed in advance. */
  readonly fixedHorizon: { readonly ci: Bounds; readonly df: number; readonly p: number } | null;
  readonly reason?: Absence;
}

export interface ComparedVariant {
  readonly variant: string;
  readonly decision: ExperimentVerdict['label'];
  readonly reason: ExperimentVerdict['reason'];
  /** ISO time of the look since which the decision holds; null: no look yet. */
  readonly since: string | null;
  /** The decision in plain words. */
  readonly explanation: string;
  /** The primary first, then guardrails, then the others. */
  readonly measures: readonly ComparedMeasure[];
}

export interface ComparedSplit {
  /** Running p of the sequential test. */
  readonly p: number | null;
  /** p < .001 and a deviation of at least .002: the experiment is invalid. */
  readonly mismatch: boolean;
  /** p < .001 and a smaller deviation: only reported. */
  readonly warning: boolean;
  /** Largest |observed - expected| / expected. */
  readonly deviation: number | null;
  /** Chi-square test: right only for one look at a time that was fixed in advance. */
  readonly fixedHorizon: { readonly p: number } | null;
  readonly reason?: Absence;
}

/** What `receval compare --output json` prints (specification: commands 3.4). */
export interface Comparison {
  readonly experiment: string;
  readonly control: string;
  readonly horizon: string;
  /** Canonical name of the measure that decides. */
  readonly primary: string;
  readonly alpha: number;
  /** Loss that is still healthy, as a fraction of the control's mean. */
  readonly tolerance: number;
  /** ISO time up to which all results are included; null: none yet. */
  readonly asOf: string | null;
  /** ISO time before which impressions take no part; only where one is configured. */
  readonly start?: string;
  /** Distinct users that saw the variant. */
  readonly users: Readonly<Record<string, number>>;
  readonly impressions: Readonly<Record<string, number>>;
  /** Share of the impressions, 0 to 1, without a user: their errors assume independent requests. */
  readonly userless: number;
  /** By variant: the approximate share of its impressions, 0 to 1, that come from its heaviest user. */
  readonly heaviest: Readonly<Record<string, number>>;
  /** Impressions by variants that are not configured; they take no part. */
  readonly others: Readonly<Record<string, number>>;
  /** Sampled users that were seen in more than one variant. */
  readonly crossovers: number;
  readonly srm: ComparedSplit;
  /** `unclustered`: more than 5 % of the impressions have no user. `heavy_user`: one user has about 5 % of a variant's impressions or more. */
  readonly notes: readonly ('unclustered' | 'heavy_user')[];
  readonly variants: readonly ComparedVariant[];
}
