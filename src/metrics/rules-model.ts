/** Rules of Prometheus as data, and what can be chosen about them. */
export type Severity = 'critical' | 'warning' | 'info';

export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: Severity };
  readonly annotations: Readonly<Record<string, string>>;
}

export interface RuleGroup {
  readonly name: string;
  readonly rules: readonly AlertRule[];
}

export interface RuleOptions {
  /** Targets of the job `receval` that must answer. */
  readonly targets: number;
  /** Address of the runbook, to which `#<alert>` is added. */
  readonly runbook: string;
  /** Address of a dashboard; undefined: alerts name none. */
  readonly dashboard: string | undefined;
}

export const USUAL_RULE_OPTIONS: RuleOptions = {
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
