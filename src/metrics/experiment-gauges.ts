import type { ComparedMeasure, Comparison } from '../experiment/comparison.ts';
import { LABELS } from '../statistics/decision-facts.ts';
import { Exposition, joinLabels, labelText } from './exposition.ts';
import { EXPERIMENT_METRICS } from './metric-specs.ts';

/** What a gauge shows of one measure of one variant; null: nothing. */
const OF_MEASURES: Readonly<Record<string, (compared: ComparedMeasure) => number | null>> = {
  receval_experiment_effect: ({ effect }) => effect,
  receval_experiment_ci_lower: ({ ci }) => ci?.[0] ?? null,
  receval_experiment_ci_upper: ({ ci }) => ci?.[1] ?? null,
  receval_experiment_p_value: ({ pTwoSided }) => pTwoSided,
  receval_experiment_log_e_value: ({ logE }) => logE,
  receval_experiment_mde: ({ mde }) => mde,
};

/** Renders the gauges of all experiments: an absent value has no series. HELP and TYPE are always present. */
export function experimentsText(comparisons: readonly Comparison[]): string {
  const page = new Exposition(EXPERIMENT_METRICS);
  for (const [name, shownOf] of Object.entries(OF_MEASURES)) {
    const add = page.series(name);
    for (const { experiment, variants } of comparisons) {
      for (const { variant, measures } of variants) {
        for (const compared of measures) {
          const { measure, horizon } = compared;
          const value = shownOf(compared);
          if (value !== null) add(labelText({ experiment, variant, measure, horizon }), value);
        }
      }
    }
  }
  const split = page.series('receval_experiment_srm_p_value');
  const decided = page.series('receval_experiment_decision');
  for (const { experiment, srm, variants } of comparisons) {
    if (srm.p !== null) split(labelText({ experiment }), srm.p);
    for (const { variant, decision } of variants) {
      const labels = labelText({ experiment, variant });
      for (const label of LABELS)
        decided(joinLabels(labels, labelText({ decision: label })), Number(decision === label));
    }
  }
  return page.text();
}
