/** The closed lists of what can be said about an experiment's variant and about a watched cohort (specification: statistics 9.1, 10.4). */
export const LABELS = ['insufficient', 'healthy', 'regressed', 'improved', 'invalid'] as const;
export type Label = (typeof LABELS)[number];

/** Reasons of an experiment's variant against the control, by label. */
export const EXPERIMENT_REASONS = {
  insufficient: ['no_data', 'few_users', 'few_buckets', 'few_positives', 'zero_variance', 'wide_interval'],
  healthy: ['within_tolerance'],
  regressed: ['guardrail_worse', 'primary_worse'],
  improved: ['primary_better'],
  invalid: ['incomplete', 'srm', 'crossover', 'effect_changed'],
} as const;

/** Reasons of a cohort against its own past, by label. */
export const WATCHED_REASONS = {
  insufficient: ['warming_up', 'few_impressions', 'no_baseline'],
  healthy: ['in_control'],
  // The second of each: of a measure of which less is better.
  regressed: ['below_baseline', 'above_baseline'],
  improved: ['above_baseline', 'below_baseline'],
  invalid: ['incomplete'],
} as const;

/** A label with one of its reasons: no other pair has this type. */
type Pair<Reasons extends Readonly<Record<Label, readonly string[]>>> = {
  [L in Label]: { readonly label: L; readonly reason: Reasons[L][number] };
}[Label];

export type ExperimentVerdict = Pair<typeof EXPERIMENT_REASONS>;
export type WatchedVerdict = Pair<typeof WATCHED_REASONS>;
