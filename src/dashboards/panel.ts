/** Dashboards as data, independent of Grafana. */
import type { Label } from '../statistics/decision.ts';

export interface Query {
  /** PromQL that contains Grafana's variables. */
  readonly expr: string;
  /** Name of a series, with its labels in {{ }}; in a table the title of its column. */
  readonly legend: string;
}

/** Units as Grafana names them. */
export type DisplayUnit = 'short' | 'percentunit' | 's' | 'bytes' | 'cps' | 'ops' | 'dateTimeAsIso';

/** A value with its text and its colour. */
export interface State {
  readonly value: number;
  readonly text: string;
  readonly color: string;
}

/** A line across a panel. Values above it have its colour. */
export interface Limit {
  readonly value: number;
  readonly color: string;
}

type Look =
  | { readonly kind: 'lines'; readonly log?: boolean; readonly limit?: Limit }
  /** Queries named `value`, `upper` and `lower`: the band between the last two is filled. */
  | { readonly kind: 'band' }
  | { readonly kind: 'number' }
  | { readonly kind: 'states'; readonly states: readonly State[] }
  /** The newest values: one row for each set of labels, one column for each query. */
  | { readonly kind: 'table'; readonly hidden?: readonly string[] };

export interface Panel {
  readonly title: string;
  /** Names of the metrics that it shows. Their help texts form its description. */
  readonly metrics: readonly string[];
  /** An addition to its description. */
  readonly note?: string;
  readonly look: Look;
  readonly queries: readonly Query[];
  readonly unit?: DisplayUnit;
  /** Width out of 24 columns. */
  readonly width: 6 | 8 | 12 | 16 | 24;
  /** A variable; the panel is repeated for each of its values. */
  readonly repeat?: string;
}

export interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

/** A choice at the top of a dashboard. */
export type Variable =
  | { readonly kind: 'datasource'; readonly name: string; readonly label: string }
  | {
      readonly kind: 'choice';
      readonly name: string;
      readonly label: string;
      readonly options: readonly Option[];
      /** One of `options`. */
      readonly first: Option;
    }
  | {
      readonly kind: 'query';
      readonly name: string;
      readonly label: string;
      /** `label_values(…)` or `query_result(…)` of Grafana's data source for Prometheus. */
      readonly query: string;
      readonly regex?: string;
      /** Whether several values can be chosen; all are chosen initially. */
      readonly several: boolean;
    };

export interface Option {
  readonly text: string;
  readonly value: string;
}

/** Marks across all panels of a dashboard, at the times of a metric in seconds. */
export interface Marks {
  readonly name: string;
  readonly expr: string;
  /** Title, with labels in {{ }}. */
  readonly title: string;
  readonly color: string;
}

export interface DashboardPlan {
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  readonly variables: readonly Variable[];
  readonly rows: readonly Row[];
  readonly marks?: readonly Marks[];
  /** How far back it looks initially, such as `6h`. */
  readonly span: string;
}

/** A variable of a dashboard in a query or a title: `raw` inserts its value, `text` what is displayed. */
export function chosen(name: string, format: 'raw' | 'text'): string {
  return `\${${name}:${format}}`;
}

const COLORS: Readonly<Record<Label, string>> = {
  insufficient: 'text',
  healthy: 'green',
  regressed: 'red',
  improved: 'blue',
  invalid: 'orange',
};

/** Labels of decisions. The number of each is its index. */
export const DECISIONS: readonly State[] = Object.entries(COLORS).map(([text, color], value) => ({
  value,
  text,
  color,
}));

/**
 * A query for a decision as the number of its label.
 * @param metric one whose series is 1 for the present `decision`
 * @param matchers select its series
 */
export function decisionNumber(metric: string, matchers: string): string {
  return DECISIONS.slice(1)
    .map(
      ({ text, value }) =>
        `${value} * max without (instance, pod, decision) (${metric}{${matchers}, decision="${text}"})`,
    )
    .join('\n+ ');
}
