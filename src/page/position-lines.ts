import type { PositionLine } from './model.ts';

/** A cohort with its counts by rank, if they are kept. */
interface Counted {
  /** The value of each dimension of its set. */
  readonly values: readonly string[];
  readonly impressions: number;
  readonly positions?: { readonly exposed: Iterable<number>; readonly positives: Iterable<number> } | undefined;
}

/** The lines of the control and then of the cohorts with most lists. */
export function positionLines(cohorts: readonly Counted[], control: string | undefined): readonly PositionLine[] {
  return cohorts
    .flatMap(({ values, impressions, positions }) =>
      positions === undefined ? [] : [{ name: values.join(' · ') || 'everything', impressions, ...positions }],
    )
    .sort((a, b) => Number(b.name === control) - Number(a.name === control) || b.impressions - a.impressions)
    .map(({ name, exposed, positives }) => ({ name, exposed: [...exposed], positives: [...positives] }));
}
