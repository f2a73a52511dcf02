import type { ExperimentSettings } from '../config/settings.ts';
import { type Absence, absent, isAbsent, orNull, type Result } from '../statistics/absent.ts';
import { type CohortExposure, CohortSample } from '../statistics/cohort-sample.ts';
import { holm } from '../statistics/corrections.ts';
import { expectedUsers, largestDeviation, logBayesFactor, MISMATCH_P } from '../statistics/sample-ratio.ts';
import { type Largest, larger, runningP } from '../statistics/sequence.ts';
import type { EpochMs } from '../vocabulary/events.ts';

/**
 * Tests whether the users of each cohort of a dimension are split between the variants as configured. A split that is broken in one
 * country hardly changes the total (Fabijan et al., "Diagnosing sample ratio mismatch in online controlled experiments", KDD 2019).
 *
 *     p of a cohort: running p of `sample-ratio.ts`, over all looks        warning: p by Holm < .001
 *
 * It is adjusted by Holm over all cohorts of all requested dimensions, because among a hundred cohorts one small p is to be expected. A
 * warning shows where to look; no decision depends on it.
 */
export class CohortSplits {
  readonly by: string;
  readonly #variants: readonly string[];
  readonly #weights: readonly number[];
  readonly #sample: CohortSample;
  readonly #evidence = new Map<string, Largest>();

  /**
   * @param by the dimension whose values are the cohorts
   * @param sample as in `CohortSample`
   */
  constructor(
    by: string,
    { variants }: Pick<ExperimentSettings, 'variants'>,
    sample: { readonly hashSeed?: number; readonly capacity?: number } = {},
  ) {
    this.by = by;
    this.#variants = [...variants.keys()];
    this.#weights = [...variants.values()];
    this.#sample = new CohortSample(variants.size, sample);
  }

  /**
   * Takes one more look, at all exposures before `at`.
   * @param exposures those since the last look, in any order
   */
  look(exposures: readonly CohortExposure[], at: EpochMs): void {
    this.#sample.take(exposures);
    for (const [cohort, counts] of this.#sample.counts()) {
      const logE = logBayesFactor(counts, this.#weights);
      const evidence = larger(this.#evidence.get(cohort), isAbsent(logE) ? undefined : { logE, at });
      if (evidence !== undefined) this.#evidence.set(cohort, evidence);
    }
  }

  get sampled(): number {
    return this.#sample.sampled;
  }

  get users(): number {
    return this.sampled * 2 ** this.#sample.level;
  }

  /** The splits as of the last look; p is not adjusted yet. */
  splits(): readonly CohortSplit[] {
    const scale = 2 ** this.#sample.level;
    const byVariant = (values: readonly number[]): Readonly<Record<string, number>> =>
      Object.fromEntries(this.#variants.map((name, v) => [name, values[v] * scale]));
    const known = this.#sample.counts();
    // Evidence is kept, even for a cohort that has no user left since the sample became coarser.
    return [...new Set([...known.keys(), ...this.#evidence.keys()])].map((value) => {
      const counts = known.get(value) ?? this.#weights.map(() => 0);
      const evidence = this.#evidence.get(value);
      const expected = expectedUsers(counts, this.#weights);
      return {
        value,
        users: byVariant(counts),
        expected: isAbsent(expected) ? expected : byVariant(expected),
        deviation: largestDeviation(counts, this.#weights),
        p: evidence === undefined ? absent(isAbsent(expected) ? expected.absent : 'no_data') : runningP(evidence),
      };
    });
  }
}

interface CohortSplit {
  readonly value: string;
  readonly users: Readonly<Record<string, number>>;
  readonly expected: Result<Readonly<Record<string, number>>>;
  readonly deviation: Result<number>;
  readonly p: Result<number>;
}

/** The users of one cohort. Absent values are null, with their `reason`. */
export interface ComparedCohort {
  /** Value of the dimension. */
  readonly value: string;
  /** Number of users who saw each variant first, and in this cohort. */
  readonly users: Readonly<Record<string, number>>;
  /** Number of users expected for each variant by its weight. */
  readonly expected: Readonly<Record<string, number>> | null;
  /** Largest |observed - expected| / expected. */
  readonly deviation: number | null;
  /** Running p of the sequential test. */
  readonly p: number | null;
  /** p adjusted by Holm over all cohorts of all dimensions. */
  readonly pAdjusted: number | null;
  /** Whether the adjusted p is < .001. */
  readonly warning: boolean;
  readonly reason?: Absence;
}

/** The part of `receval compare --ratio-by` for one dimension. */
export interface ComparedCohorts {
  readonly by: string;
  /** Number of distinct users. */
  readonly users: number;
  /** Number of users that were counted: all up to a million, above that a fair sample. */
  readonly sampled: number;
  /** Cohorts by p, ascending; those with equal p by number of users, descending. */
  readonly cohorts: readonly ComparedCohort[];
}

/** Number of cohorts that are shown without a warning. */
const SHOWN_COHORTS = 20;

/** The cohorts that are shown: all with a warning, and the first of the others. */
export function shownCohorts({ cohorts }: ComparedCohorts): readonly ComparedCohort[] {
  return cohorts.filter(({ warning }, i) => warning || i < SHOWN_COHORTS);
}

export function comparedCohorts(all: readonly CohortSplits[]): readonly ComparedCohorts[] {
  const dimensions = all.map((dimension) => ({ dimension, splits: dimension.splits() }));
  const adjusted = holm(dimensions.flatMap(({ splits }) => splits.map(({ p }) => p)))[Symbol.iterator]();
  return dimensions.map(({ dimension: { by, users, sampled }, splits }) => {
    const cohorts = splits.map((split) => comparedCohort(split, adjusted.next().value ?? split.p));
    return { by, users, sampled, cohorts: cohorts.sort(byEvidence) };
  });
}

function comparedCohort(
  { value, users, expected, deviation, p }: CohortSplit,
  adjusted: Result<number>,
): ComparedCohort {
  const missing = [expected, deviation, p].find(isAbsent);
  return {
    value,
    users,
    expected: orNull(expected),
    deviation: orNull(deviation),
    p: orNull(p),
    pAdjusted: orNull(adjusted),
    warning: !isAbsent(adjusted) && adjusted < MISMATCH_P,
    ...(missing === undefined ? {} : { reason: missing.absent }),
  };
}

function byEvidence(a: ComparedCohort, b: ComparedCohort): number {
  return (a.p ?? 2) - (b.p ?? 2) || usersOf(b) - usersOf(a) || (a.value < b.value ? -1 : 1);
}

function usersOf({ users }: ComparedCohort): number {
  return Object.values(users).reduce((sum, n) => sum + n, 0);
}
