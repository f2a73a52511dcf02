/** The part of the catalogue that experiments fill (specification: metrics 5). */
import type { Metric } from './metric.ts';

function experimentGauge(part: string, help: string, ...labels: readonly string[]): Metric {
  return {
    name: `receval_experiment_${part}`,
    type: 'gauge',
    help,
    labels: ['experiment', ...labels],
    role: 'exporter',
  };
}

const COMPARED = ['variant', 'measure', 'horizon'] as const;

/** Since the start of an experiment's run, a variant against the control. */
export const EXPERIMENT_METRICS: readonly Metric[] = [
  experimentGauge('effect', "Variant minus control, in the measure's unit, since the start of the run.", ...COMPARED),
  experimentGauge(
    'ci_lower',
    'Lower bound of the effect, of a confidence sequence: it holds at all looks together.',
    ...COMPARED,
  ),
  experimentGauge('ci_upper', 'Upper bound of the effect, of the same confidence sequence.', ...COMPARED),
  experimentGauge(
    'p_value',
    'Smallest p of all looks so far, two-sided, not adjusted for the number of comparisons.',
    ...COMPARED,
  ),
  experimentGauge('log_e_value', 'Evidence of this look against no effect: natural logarithm of e.', ...COMPARED),
  experimentGauge('mde', 'Smallest effect that would have been seen at this look with power 0.8.', ...COMPARED),
  experimentGauge(
    'srm_p_value',
    'Smallest p of all looks so far for users being split between the variants as their weights say.',
  ),
  experimentGauge(
    'decision',
    'A variant against the control, as of the newest look: 1 for the label that holds, 0 for the others.',
    'variant',
    'decision',
  ),
];
