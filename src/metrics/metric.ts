/** What is known of a metric before it has a series. */
export type MetricType = 'counter' | 'gauge' | 'histogram';

/** Who exposes a metric: exporters the numbers of all units, workers their own part. */
export type MetricRole = 'exporter' | 'worker' | 'both';

export interface Metric {
  readonly name: string;
  readonly type: MetricType;
  readonly help: string;
  /** Labels that a series may have. A dimension that is not in a series' grouping set, and k and params of a measure without, are left out. */
  readonly labels: readonly string[];
  readonly role: MetricRole;
}
