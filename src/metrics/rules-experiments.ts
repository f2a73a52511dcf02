/** Experiments (specification: statistics 9). The looks decide; the rules only ask them. */
import type { Settings } from '../config/settings.ts';
import type { Label } from '../statistics/decision-labels.ts';
import { type AlertRule, type AlertText, alertRule, decisionIs, type RuleOptions } from './rules-model.ts';

/** Of the group `receval.quality`; none where there are no experiments. */
export function experimentRules({ experiments }: Settings, options: RuleOptions): readonly AlertRule[] {
  return experiments.length === 0 ? [] : [REGRESSED, INVALID].map((alert) => alertRule(alert, options));
}

const REGRESSED: AlertText = {
  alert: 'RecevalExperimentRegressed',
  expr: decided('regressed'),
  for: '0m',
  severity: 'critical',
  summary: '{{ $labels.variant }} of the experiment {{ $labels.experiment }} is worse than its control',
  description:
    'The variant {{ $labels.variant }} of the experiment {{ $labels.experiment }} is worse than the control on the primary' +
    ' measure or on a guardrail. This holds however often anybody looks, and stays for the rest of the run.',
};

const INVALID: AlertText = {
  alert: 'RecevalExperimentInvalid',
  expr: decided('invalid'),
  for: '10m',
  severity: 'warning',
  summary: 'The experiment {{ $labels.experiment }} says nothing about {{ $labels.variant }}',
  description:
    'For 10 minutes the experiment {{ $labels.experiment }} has been unsound for {{ $labels.variant }}: users are not split as' +
    ' configured or saw several variants, records are missing, or the effect changed its direction.',
};

function decided(label: Label): string {
  return decisionIs('receval_experiment_decision', label);
}
