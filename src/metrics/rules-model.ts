/** Rules of Prometheus as data, and what can be chosen about them. */
import type { Span } from '../config/settings.ts';
import type { Measure } from '../measures/family.ts';

export type Severity = 'critical' | 'warning' | 'info';

export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: Severity };
  readonly annotations: Readonly<Record<string, string>>;
}

export interface RecordingRule {
  readonly record: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
}

export interface RuleGroup {
  readonly name: string;
  /** How often its rules are evaluated; undefined: as Prometheus is configured. */
  readonly interval?: string;
  readonly rules: readonly (AlertRule | RecordingRule)[];
}

export interface RuleOptions {
  /** Past with which a measure is compared. */
  readonly past: Span;
  /** The past ends this long ago; undefined: the shortest window, so that a fall does not pull its own past down. */
  readonly offset: Span | undefined;
  /** A fall by more than this share of the past alerts, 0..1. */
  readonly share: number;
  /** How long the fall must last. */
  readonly hold: Span;
  /** How often the measure is compared, and noted for later comparisons. */
  readonly interval: Span;
  /** Weights below which a window says nothing. */
  readonly minImpressions: number;
  readonly minPositives: number;
  /** The measure compared; undefined: the primary of the experiment `default`. */
  readonly measure: Measure | undefined;
  /** Targets of the job `receval` that must answer. */
  readonly targets: number;
  /** Address of the runbook, to which `#<alert>` is added. */
  readonly runbook: string;
  /** Address of a dashboard; undefined: alerts name none. */
  readonly dashboard: string | undefined;
}

export const USUAL_RULE_OPTIONS: RuleOptions = {
  past: { text: '24h', ms: 86_400_000 },
  offset: undefined,
  share: 0.1,
  hold: { text: '5m', ms: 300_000 },
  interval: { text: '1m', ms: 60_000 },
  minImpressions: 1000,
  minPositives: 50,
  measure: undefined,
  targets: 1,
  runbook: 'docs/alerts.md',
  dashboard: undefined,
};

/** An alert without what all alerts have in common. */
export interface AlertText {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly severity: Severity;
  readonly summary: string;
  readonly description: string;
}

export function alertRule(text: AlertText, { runbook, dashboard }: RuleOptions): AlertRule {
  const { alert, expr, severity, summary, description } = text;
  const links = { runbook_url: `${runbook}#${alert.toLowerCase()}` };
  return {
    alert,
    expr,
    for: text.for,
    labels: { severity },
    annotations: {
      summary,
      description,
      ...(dashboard === undefined ? links : { ...links, dashboard_url: dashboard }),
    },
  };
}
