import type { Absence } from '../statistics/absent.ts';
import type { ExperimentVerdict } from '../statistics/decision.ts';
import type { Role } from './state.ts';

export type Bounds = readonly [lower: number, upper: number];

/**
 * One measure of one variant compared with the control. Absent values are null, and `reason` says why; if there are several reasons, it
 * is that of the first absent field below.
 */
export interface ComparedMeasure {
  readonly measure: string;
  readonly role: Role;
  readonly horizon: string;
  /** Which values are better; neither for bias, which is best near 0. */
  readonly better: 'higher' | 'lower' | 'neither';
  readonly control: number | null;
  readonly value: number | null;
  /** Value minus control, in the measure's unit. */
  readonly effect: number | null;
  readonly stderr: number | null;
  /** The confidence sequence, which is valid at all looks together. Not adjusted for the number of comparisons. */
  readonly ci: Bounds | null;
  /** Effect / |control|. */
  readonly lift: number | null;
  /** Fieller's bounds, which exclude 0 exactly when `ci` does. */
  readonly liftCi: Bounds | null;
  /** Smallest p of all looks, two-sided; for a guardrail one-sided, for `worse`. */
  readonly p: number | null;
  /** Smallest p of all looks, two-sided in all roles. */
  readonly pTwoSided: number | null;
  /** p adjusted by Holm within its role, over all variants. */
  readonly pAdjusted: number | null;
  /** Evidence of this look alone. */
  readonly logE: number | null;
  /** Smallest effect that could have been detected, with power .8. */
  readonly mde: number | null;
  /** Welch's t-test, valid only for one look at a time that was fixed in advance. */
  readonly fixedHorizon: { readonly ci: Bounds; readonly df: number; readonly p: number } | null;
  /** The newest lists alone, unless they are too few; only for the primary measure and guardrails. */
  readonly now?: ComparedSpan;
  /** ISO time: only lists that closed later count in it, because it was added to the run. Absent: all lists of the run count. */
  readonly since?: string;
  readonly reason?: Absence;
}

/** A measure over the lists of a span of time. Its bounds hold at 95 %, at one look, and not at all looks together. */
export interface ComparedSpan {
  /** ISO times of the span: lists from the first to before the second. */
  readonly from: string;
  readonly to: string;
  readonly control: number;
  readonly value: number;
  readonly effect: number;
  readonly ci: Bounds;
  /** Absent if the control is 0, or too uncertain. */
  readonly lift?: number;
  readonly liftCi?: Bounds;
}

/** ISO times of lists: the most likely one, and those between which it lies in 95 of 100 such runs. */
export interface ComparedTime {
  readonly at: string;
  readonly earliest: string;
  readonly latest: string;
}

/** When an effect that was found began and ended. */
export interface ComparedEpisode {
  /** The measure that gave the decision. */
  readonly measure: string;
  /** The effect existed from the first looks on. */
  readonly fromStart?: true;
  /** Absent also if the looks do not show since when it existed. */
  readonly began?: ComparedTime;
  /** Absent while it continues, as far as the looks show. */
  readonly ended?: ComparedTime;
}

export interface ComparedVariant {
  readonly variant: string;
  readonly decision: ExperimentVerdict['label'];
  readonly reason: ExperimentVerdict['reason'];
  /** ISO time up to which the lists of the first look with this decision reach, like `asOf`; null: no look yet. */
  readonly decidedAsOf: string | null;
  /** ISO time at which that look could first be taken, when its lists are as old as the horizon. null: no look yet. */
  readonly decidedAt: string | null;
  /** Present only if a difference was found and the looks show when it existed. */
  readonly episode?: ComparedEpisode;
  /** The decision in plain words: since the start, when, and now. */
  readonly explanation: string;
  /** The primary first, then guardrails, then the others. */
  readonly measures: readonly ComparedMeasure[];
}

/** The number of empty lists of a variant (`isEmptyList`). */
export interface ComparedEmpty {
  /** Share of its impressions, 0 to 1. */
  readonly share: number;
  /** Smallest p of all looks against the control, two-sided, by Holm over the variants. Absent for the control. */
  readonly p?: number | null;
  readonly reason?: Absence;
}

export interface ComparedSplit {
  /** Running p of the sequential test. */
  readonly p: number | null;
  /** Whether p < .001 with a deviation of at least .002: the experiment is invalid. */
  readonly mismatch: boolean;
  /** Whether p < .001 with a smaller deviation, which is only reported. */
  readonly warning: boolean;
  /** Largest |observed - expected| / expected. */
  readonly deviation: number | null;
  /** The smallest such deviation that would be a mismatch with this many users; null: none would. */
  readonly detectable: number | null;
  /** Chi-square test, valid only for one look at a time that was fixed in advance. */
  readonly fixedHorizon: { readonly p: number } | null;
  readonly reason?: Absence;
}

/** The output of `receval compare --output json` (specification: commands 3.4). */
export interface Comparison {
  readonly experiment: string;
  readonly control: string;
  readonly horizon: string;
  /** Canonical name of the measure that decides. */
  readonly primary: string;
  readonly alpha: number;
  /** The loss that is still healthy, as a fraction of the control's mean. */
  readonly tolerance: number;
  /** ISO time up to which all results are included; null: none yet. */
  readonly asOf: string | null;
  /** ISO time at which other settings ended the run. Absent: it continues. */
  readonly ended?: string;
  /** ISO time before which impressions do not take part; absent: none is configured. */
  readonly start?: string;
  /** Number of distinct users that saw each variant. */
  readonly users: Readonly<Record<string, number>>;
  readonly impressions: Readonly<Record<string, number>>;
  /** Number of lists that were younger than the horizon at the end of the feedback, and are in no other number; only for files. */
  readonly open?: Readonly<Record<string, number>>;
  /** Share of each variant's impressions, 0 to 1, that name no user. Their errors assume independent requests. */
  readonly userless: Readonly<Record<string, number>>;
  /** Approximate share of each variant's impressions, 0 to 1, that come from its heaviest user. */
  readonly heaviest: Readonly<Record<string, number>>;
  /**
   * Variants in which few users with large amounts cause most of the error of the primary measure, with the number of user buckets on
   * which it rests.
   */
  readonly carriedBy: Readonly<Record<string, number>>;
  /** Empty lists by variant; absent: no list is empty. */
  readonly emptyLists?: Readonly<Record<string, ComparedEmpty>>;
  /** Impressions with variants that are not configured; they do not take part. */
  readonly others: Readonly<Record<string, number>>;
  /** Sampled users that were seen in more than one variant. */
  readonly crossovers: number;
  readonly srm: ComparedSplit;
  /**
   * `unclustered`: more than 5 % of a variant's impressions have no user. `heavy_user`: one user has about 5 % of a variant's
   * impressions or more. `carried_by_few`: `carriedBy` has an entry. `empty_lists`: a variant has a share of empty lists that differs
   * from the control's, with p below .001.
   */
  readonly notes: readonly ('unclustered' | 'heavy_user' | 'carried_by_few' | 'empty_lists')[];
  readonly variants: readonly ComparedVariant[];
  /** The previous run, which other settings have ended; only for a service, for a week. */
  readonly earlier?: EarlierRun;
}

export interface EarlierRun {
  /** ISO time up to which lists closed in it. */
  readonly ended: string;
  readonly impressions: number;
  /** Variants, as in the comparison of that run. */
  readonly variants: readonly Pick<ComparedVariant, 'variant' | 'decision' | 'reason' | 'explanation'>[];
}
