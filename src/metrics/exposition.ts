/**
 * Prometheus' text format 0.0.4, written without an object per series: at 10,000 series prom-client blocks for 36 ms to set and render
 * them, this for 7 (docs/decisions/0007-metrics-text.md). Tests compare the text with prom-client's.
 */
import type { MetricSpec } from './metric-specs.ts';

/** Adds one series: its labels as written by `labelText`, and its value. NaN and the infinities are left out. */
type AddSeries = (labels: string, value: number) => void;

/** Series of some metrics, in the order of `metricSpecs`. */
export class Exposition {
  readonly #metrics: readonly MetricSpec[];
  readonly #lines: ReadonlyMap<string, string[]>;

  constructor(metrics: readonly MetricSpec[]) {
    this.#metrics = metrics;
    this.#lines = new Map(metrics.map(({ name }) => [name, []] as const));
  }

  /**
   * The function that adds series of a metric.
   * @param suffix of a histogram's series
   * @throws for a name that is not among the metrics
   */
  series(name: string, suffix = ''): AddSeries {
    const lines = this.#lines.get(name);
    if (lines === undefined) throw new Error(`metric "${name}" is not in the catalogue`);
    return (labels, value) => {
      if (!Number.isFinite(value)) return;
      lines.push(labels === '' ? `${name}${suffix} ${value}` : `${name}${suffix}{${labels}} ${value}`);
    };
  }

  /** HELP, TYPE and series of every metric; '' if there are no metrics. */
  text(): string {
    const families = this.#metrics.map(({ name, help, type }) =>
      [`# HELP ${name} ${escapeHelp(help)}`, `# TYPE ${name} ${type}`, ...(this.#lines.get(name) ?? [])].join('\n'),
    );
    return families.length === 0 ? '' : `${families.join('\n\n')}\n`;
  }
}

/** Labels as `name="value",...`; a value of undefined is left out. */
export function labelText(labels: Readonly<Record<string, string | undefined>>): string {
  const parts: string[] = [];
  for (const [name, value] of Object.entries(labels)) {
    if (value !== undefined) parts.push(`${name}="${escapeValue(value)}"`);
  }
  return parts.join(',');
}

/** Joins two label texts, either of which may be empty. */
export function joinLabels(a: string, b: string): string {
  return a === '' || b === '' ? a + b : `${a},${b}`;
}

function escapeValue(value: string): string {
  return /[\\"\n]/.test(value) ? escapeHelp(value).replaceAll('"', '\\"') : value;
}

function escapeHelp(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}
