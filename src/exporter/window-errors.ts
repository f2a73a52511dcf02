/**
 * Standard errors of windows (specification: statistics 2.4). A window has no sums by user bucket of its own: its error is that
 * of independent lists, widened by the design effect of the hours that overlap it.
 */
import { type Row, shapeOf, sumsStarts } from '../accumulators/row.ts';
import { setText } from '../accumulators/store/layout.ts';
import type { Measure } from '../measures/definition.ts';
import { type Exact, FIELD, PER_ONE, SUMS } from '../measures/sums.ts';
import { measureValue, measureWeight, sumsKind } from '../measures/value.ts';
import { absent, type Result } from '../statistics/absent.ts';
import { designEffect, type Moments, stretchedStderr, windowStderr } from '../statistics/design-effect.ts';
import { denominator, numerator, squares } from '../statistics/policy.ts';
import type { ErrorSource } from '../statistics/watched-blocks.ts';
import { emptyOf, stderrsOf } from '../windows/bucket-sums.ts';
import type { CohortRow } from '../windows/windows.ts';

/** Every kind with squares counts lists in the same way as a mean. */
const MEAN = FIELD.mean;
const { above: ABOVE, below: BELOW } = FIELD.fraction;

/** The errors of one measure over the hours. */
interface HourError {
  readonly stderr: Result<number>;
  /** Design effect of a mean. */
  readonly effect: Result<number>;
  /** Denominator. */
  readonly weight: number;
}

/** The standard errors of one window, from the hours that overlap it. */
export class WindowErrors {
  readonly #measures: readonly Measure[];
  readonly #starts: readonly number[];
  /** Grouping sets that have vectors, finest first. */
  readonly #clustered: readonly (readonly string[])[];
  /** Rows by set, then values. */
  readonly #hours: ReadonlyMap<string, ReadonlyMap<string, Row>>;
  readonly #known = new Map<Row, readonly HourError[]>();

  /** @param hours sums over the hours, for the sets that have vectors */
  constructor(measures: readonly Measure[], clustered: readonly (readonly string[])[], hours: readonly CohortRow[]) {
    this.#measures = measures;
    this.#starts = sumsStarts(shapeOf(measures));
    this.#clustered = [...clustered].sort((a, b) => b.length - a.length);
    const rows = new Map(clustered.map((by) => [setText(by), new Map<string, Row>()] as const));
    for (const { by, values, row } of hours) rows.get(setText(by))?.set(values.join(','), row);
    this.#hours = rows;
  }

  /**
   * Standard errors, one per measure. A cohort whose set has no vectors takes the design effect of the finest coarser set that has them.
   */
  of({ by, values, row }: CohortRow): readonly Result<number>[] {
    const found = this.#nearest(by, values);
    if (found === undefined) return this.#measures.map(() => absent('no_vector'));
    const hours = this.#errorsOf(found.row);
    return this.#measures.map((measure, m) => {
      const sums = row.sums.slice(this.#starts[m], this.#starts[m + 1]);
      if (hasMoments(measure)) return windowStderr(momentsOf(measure, sums), hours[m].effect);
      if (found.borrowed) return absent('no_vector');
      return stretchedStderr(hours[m].stderr, hours[m].weight, measureWeight(measure, sums));
    });
  }

  /**
   * The source of the errors of a cohort's blocks, by measure (specification: statistics 10.1). A mean without any vector has the error
   * of independent lists: the scale of the CUSUM absorbs an error that is wrong by a constant factor.
   */
  sourcesOf({ by, values }: Pick<CohortRow, 'by' | 'values'>): readonly ErrorSource[] {
    const found = this.#nearest(by, values);
    const hours = found === undefined ? [] : this.#errorsOf(found.row);
    return this.#measures.map((measure, m): ErrorSource => {
      if (hasMoments(measure)) return { from: 'lists', designEffect: found === undefined ? 1 : hours[m].effect };
      if (found === undefined || found.borrowed) return { from: 'hours', stderr: absent('no_vector'), weight: 0 };
      return { from: 'hours', stderr: hours[m].stderr, weight: hours[m].weight };
    });
  }

  #nearest(
    by: readonly string[],
    values: readonly string[],
  ): { readonly row: Row; readonly borrowed: boolean } | undefined {
    for (const set of this.#clustered) {
      if (!set.every((name) => by.includes(name))) continue;
      const own = set.map((name) => values[by.indexOf(name)]);
      const row = this.#hours.get(setText(set))?.get(own.join(','));
      if (row !== undefined) return { row, borrowed: set.length < by.length };
    }
    return undefined;
  }

  #errorsOf(row: Row): readonly HourError[] {
    const known = this.#known.get(row);
    if (known !== undefined) return known;
    const stderrs = stderrsOf(row, this.#measures);
    const errors = this.#measures.map((measure, m): HourError => {
      const sums = row.sums.slice(this.#starts[m], this.#starts[m + 1]);
      const isMean = hasMoments(measure);
      return {
        stderr: stderrs[m],
        effect: isMean ? designEffect(stderrs[m], momentsOf(measure, sums)) : absent('no_vector'),
        weight: measureWeight(measure, sums),
      };
    });
    this.#known.set(row, errors);
    return errors;
  }
}

/** Whether the row contains S and Q of the measure's lists. */
export function hasMoments(measure: Measure): boolean {
  return SUMS[sumsKind(measure)].squared;
}

/**
 * n, S and Q of a mean by its policy, in units of 1. For a kind without squares: its weight, its value times that weight (the numerator
 * of a plain ratio), and 0.
 */
export function momentsOf(measure: Measure, sums: readonly Exact[]): Moments {
  if (sumsKind(measure) === 'fraction')
    return { n: Number(sums[BELOW]) / PER_ONE, sum: Number(sums[ABOVE]) / PER_ONE, sumSquares: 0 };
  if (!hasMoments(measure)) {
    const n = measureWeight(measure, sums);
    return { n, sum: (measureValue(measure, sums) ?? 0) * n, sumSquares: 0 };
  }
  const empty = emptyOf(measure);
  const parts = {
    n: Number(sums[MEAN.n]),
    positives: Number(sums[MEAN.positives]),
    sum: Number(sums[MEAN.sum]) / PER_ONE,
  };
  return {
    n: denominator(empty, parts),
    sum: numerator(empty, parts),
    sumSquares: squares(empty, parts, Number(sums[MEAN.squares]) / PER_ONE),
  };
}
