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
  /** Number of targets of the job `receval` that must be up. */
  readonly targets: number;
  /** Additional matchers for every selector, such as namespace="staging"; undefined: none. */
  readonly select: string | undefined;
  /** Address of the runbook, to which `#<alert>` is appended. */
  readonly runbook: string;
  /** Address of a dashboard; undefined: alerts do not link to one. */
  readonly dashboard: string | undefined;
}

/** Where docs/ is published. Links are absolute, because people on call have no checkout at hand. */
const DOCUMENTATION = 'https://github.com/receval/receval/blob/main/docs';

export const USUAL_RULE_OPTIONS: RuleOptions = {
  targets: 1,
  select: undefined,
  runbook: `${DOCUMENTATION}/runbook.md`,
  dashboard: undefined,
};

/** An alert without the parts that all alerts share. */
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

/** Matches the metric of a selector, and whether matchers follow it. */
const SELECTOR = /\b(up\b|receval_\w+)(\{?)/g;

function narrowed(expr: string, select: string): string {
  return expr.replace(SELECTOR, (_, metric: string, brace: string) =>
    brace === '' ? `${metric}{${select}}` : `${metric}{${select}, `,
  );
}

/** Whether a counter grew within a span. A series that first appears above 0 has grown too, which `increase` does not see. */
export function grew(counter: string, span: string): string {
  return `increase(${counter}[${span}]) > 0
or (${counter} > 0 unless ${counter} offset ${span})`;
}

/**
 * Whether a gauge of decisions has this label. All exporters make the same decisions, so it takes one. The last value is kept for 5
 * minutes, so that a lost scrape or a restarted exporter neither resolves an alert nor fires it twice.
 */
export function decisionIs(gauge: string, label: Label): string {
  return `max without (instance, pod) (last_over_time(${gauge}{decision="${label}"}[5m])) == 1
unless on () (max(receval_replay_in_progress) == 1)`;
}
