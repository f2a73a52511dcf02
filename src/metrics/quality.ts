import { isOverItemLimit } from '../accumulators/row-value.ts';
import { setText } from '../accumulators/store/layout.ts';
import type { Settings } from '../config/settings.ts';
import { OTHER_COHORT } from '../events.ts';
import type { QualityRow, QualitySnapshot } from '../exporter/contract.ts';
import type { QualityDecision } from '../exporter/watch.ts';
import { LABELS } from '../statistics/decision-labels.ts';
import { stderrName, valueName } from './catalogue.ts';
import { type Column, columnsOf } from './columns.ts';
import { Exposition, joinLabels, labelText } from './exposition.ts';
import type { Metric } from './metric.ts';

export type QualitySettings = Pick<Settings, 'cohorts' | 'itemFile' | 'limits' | 'measures'>;

/** A value and its standard error. */
const SERIES_PER_MEASURE = 2;

/** What a snapshot says, as text, and how many rows were left out of it. */
export interface QualityText {
  readonly text: string;
  readonly capped: number;
}

/** Writes the gauges of a snapshot, all of them anew: what has no data has no series. undefined: nothing was read yet. */
export function qualityText(
  metrics: readonly Metric[],
  settings: QualitySettings,
  snapshot: QualitySnapshot | undefined,
): QualityText {
  const page = new Exposition(metrics);
  if (snapshot === undefined) return { text: page.text(), capped: 0 };
  const columns = columnsOf(settings.measures, settings.itemFile?.size);
  const rows = withinLimit(snapshot.rows, columns.length * SERIES_PER_MEASURE, settings);
  const labels = rows.map(rowLabels);
  writeMeasures(page, columns, rows, labels);
  const impressions = page.series('receval_window_impressions');
  const positives = page.series('receval_window_positives');
  for (const [i, { row }] of rows.entries()) {
    impressions(labels[i], row.impressions);
    positives(labels[i], row.positives);
  }
  page.series('receval_item_limit_rows')('', rows.filter(({ row }) => isOverItemLimit(row)).length);
  const complete = page.series('receval_window_complete');
  for (const { window, horizon, complete: whole } of snapshot.windows)
    complete(labelText({ window, horizon }), Number(whole));
  const resultTime = page.series('receval_result_timestamp_seconds');
  for (const [horizon, at] of snapshot.resultTimes) resultTime(labelText({ horizon }), at / 1000);
  const decisions = snapshot.decisions.slice(0, Math.floor(settings.limits.series / LABELS.length));
  writeDecisions(page, decisions);
  const left = snapshot.rows.length - rows.length + snapshot.decisions.length - decisions.length;
  return { text: page.text(), capped: left };
}

function writeDecisions(page: Exposition, decisions: readonly QualityDecision[]): void {
  const add = page.series('receval_quality_decision');
  for (const one of decisions) {
    const labels = decisionLabels(one);
    for (const label of LABELS)
      add(joinLabels(labels, labelText({ decision: label })), Number(one.decision.label === label));
  }
  const accepted = page.series('receval_quality_accepted_timestamp_seconds');
  for (const one of decisions) if (one.accepted !== undefined) accepted(decisionLabels(one), one.accepted.from / 1000);
}

function decisionLabels({ by, values, horizon, measure }: QualityDecision): string {
  const cohort = Object.fromEntries(by.map((name, i) => [name, values[i]]));
  return joinLabels(labelText({ measure, horizon, by: by.join(',') }), labelText(cohort));
}

function writeMeasures(
  page: Exposition,
  columns: readonly Column[],
  rows: readonly QualityRow[],
  labels: readonly string[],
): void {
  for (const column of columns) {
    const add = page.series(valueName(column.measure.name));
    for (const [i, { row }] of rows.entries()) {
      const value = column.value(row);
      if (value !== undefined) add(joinLabels(labels[i], column.labels), value);
    }
  }
  for (const [m, column] of columns.entries()) {
    const add = page.series(stderrName(column.measure.name));
    for (const [i, { stderrs }] of rows.entries()) {
      const stderr = stderrs[m];
      if (typeof stderr === 'number') add(joinLabels(labels[i], column.labels), stderr);
    }
  }
}

function rowLabels({ window, horizon, by, values }: QualityRow): string {
  const cohort = labelText(Object.fromEntries(by.map((name, i) => [name, values[i]])));
  return joinLabels(labelText({ window, horizon, by: by.join(',') }), cohort);
}

/**
 * A backstop behind the admission tables, which bound each unit's cohorts: units that admitted different ones can exceed
 * `limits.series` together. Then the finest grouping sets are left out, whole. As in the configuration's product, the
 * rest of a set and the weights do not count.
 */
function withinLimit(
  rows: readonly QualityRow[],
  seriesPerRow: number,
  { cohorts, limits }: QualitySettings,
): readonly QualityRow[] {
  const named = new Map<string, number>();
  let series = 0;
  for (const { by, values } of rows) {
    if (values.includes(OTHER_COHORT)) continue;
    named.set(setText(by), (named.get(setText(by)) ?? 0) + seriesPerRow);
    series += seriesPerRow;
  }
  const left = new Set<string>();
  for (const by of [...cohorts].reverse().sort((a, b) => b.length - a.length)) {
    if (series <= limits.series) break;
    left.add(setText(by));
    series -= named.get(setText(by)) ?? 0;
  }
  return left.size === 0 ? rows : rows.filter(({ by }) => !left.has(setText(by)));
}
