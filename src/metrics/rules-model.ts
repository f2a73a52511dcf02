/** Prometheus rules as data, and their options. */
import type { Label } from '../statistics/decision.ts';

type Severity = 'critical' | 'warning' | 'info';

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
  /** Matchers that every selector gets besides, such as namespace="staging"; undefined: none. */
  readonly select: string | undefined;
  /** Address of the runbook, to which `#<alert>` is added. */
  readonly runbook: string;
  /** Address of a dashboard; undefined: alerts name none. */
  readonly dashboard: string | undefined;
}

/** Where docs/ is published. Links are absolute, because whoever is on call has no checkout at hand. */
const DOCUMENTATION = 'https://github.com/receval/receval/blob/main/docs';

export const USUAL_RULE_OPTIONS: RuleOptions = {
  targets: 1,
  select: undefined,
  runbook: `${DOCUMENTATION}/runbook.md`,
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

export function alertRule(text: AlertText, { runbook, dashboard, select }: RuleOptions): AlertRule {
  const { alert, expr, severity, summary, description } = text;
  const links = { runbook_url: `${runbook}#${alert.toLowerCase()}` };
  return {
    alert,
    expr: select === undefined ? expr : narrowed(expr, select),
    for: text.for,
    labels: { severity },
    annotations: {
      summary,
      description,
      ...(dashboard === undefined ? links : { ...links, dashboard_url: dashboard }),
    },
  };
}

/** Where the metric of a selector stands, and whether matchers follow it. */
const SELECTOR = /\b(up\b|receval_\w+)(\{?)/g;

function narrowed(expr: string, select: string): string {
  return expr.replace(SELECTOR, (_, metric: string, brace: string) =>
    brace === '' ? `${metric}{${select}}` : `${metric}{${select}, `,
  );
}

/** Whether a counter grew within a span. A series that is first seen above 0 grew too: `increase` does not see that. */
export function grew(counter: string, span: string): string {
  return `increase(${counter}[${span}]) > 0
or (${counter} > 0 unless ${counter} offset ${span})`;
}

/**
 * Where a gauge of decisions says this. All exporters decide alike; take one. What was said last holds for 5 minutes without
 * news, so that a lost scrape or an exporter that starts again neither resolves an alert nor fires it twice.
 */
export function decisionIs(gauge: string, label: Label): string {
  return `max without (instance, pod) (last_over_time(${gauge}{decision="${label}"}[5m])) == 1
unless on () (max(receval_replay_in_progress) == 1)`;
}
