/** Watched cohorts against their own past (specification: statistics 10). The exporters judge; the rules only ask them. */
import { setText } from '../accumulators/store/layout.ts';
import type { Settings } from '../config/settings.ts';
import type { Label } from '../statistics/decision-labels.ts';
import { type AlertRule, type AlertText, alertRule, decisionIs, type RuleOptions } from './rules-model.ts';

/** Of the group `receval.quality`; none where nothing is watched. */
export function qualityRules(settings: Settings, options: RuleOptions): readonly AlertRule[] {
  if (settings.detect.sets.length === 0) return [];
  const who = cohortText(settings);
  return [regressed(who), unwatched(who)].map((alert) => alertRule(alert, options));
}

function regressed(who: string): AlertText {
  return {
    alert: 'RecevalQualityRegressed',
    expr: decided('regressed'),
    for: '0m',
    severity: 'critical',
    summary: `{{ $labels.measure }} of ${who} is worse than its own past`,
    description:
      `{{ $labels.measure }} (horizon {{ $labels.horizon }}) of ${who} is worse than it was at this hour of the` +
      ' last weeks or days, or of the hours before while that is all there is. The log of receval tells by how much and since when.',
  };
}

function unwatched(who: string): AlertText {
  return {
    alert: 'RecevalQualityUnwatched',
    expr: decided('insufficient'),
    for: '6h',
    severity: 'info',
    summary: `{{ $labels.measure }} of ${who} cannot be watched`,
    description:
      `For 6 hours there has not been enough to judge {{ $labels.measure }} (horizon {{ $labels.horizon }}) of ${who}: too few` +
      ' impressions or positives, or no past. The log of receval names the reason.',
  };
}

function decided(label: Label): string {
  return decisionIs('receval_quality_decision', label);
}

/** A template that names the cohort of an alert, whichever of the grouping sets it is of. */
function cohortText({ cohorts }: Settings): string {
  const cases = cohorts.map((by) => `if eq $labels.by ${JSON.stringify(setText(by))} }}${nameText(by)}`);
  return `{{ ${cases.join('{{ else ')}{{ end }}`;
}

function nameText(by: readonly string[]): string {
  return by.length === 0 ? 'all lists' : by.map((name) => `${name} {{ $labels.${name} }}`).join(', ');
}
