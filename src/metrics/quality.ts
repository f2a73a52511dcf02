import { reservedCohorts } from '../accumulators/admission.ts';
import { addRow, copyRow, type Row, shapeOf, sumsStarts } from '../accumulators/row.ts';
import { PART } from '../accumulators/store/fingerprint-difference.ts';
import { setText } from '../accumulators/store/layout.ts';
import { namedValues } from '../config/experiments.ts';
import type { Settings } from '../config/settings.ts';
import type { QualityDecision } from '../exporter/cohort-watch.ts';
import type { QualityRow, QualitySnapshot } from '../exporter/exporter-contract.ts';
import type { Measure } from '../measures/definition.ts';
import { itemPartOf } from '../measures/item-part.ts';
import { type Exact, SUMS_WIDTH } from '../measures/sums.ts';
import { measureScore, measureWeight } from '../measures/value.ts';
import { absent } from '../statistics/absent.ts';
import { LABELS } from '../statistics/decision.ts';
import { OTHER_COHORT } from '../vocabulary/events.ts';
import { isOverItemLimit, rowValue } from '../windows/windows.ts';
import { Exposition, joinLabels, labelText } from './exposition.ts';
import { hasScore, type MetricSpec, stderrName, valueName, weighsImpressions } from './metric-specs.ts';

type QualitySettings = Pick<
  Settings,
  'cohorts' | 'experiments' | 'incompleteWindows' | 'itemFile' | 'limits' | 'measures'
>;

/** Each measure has a value and its standard error. */
const SERIES_PER_MEASURE = 2;

/** How the value of a measure is read from a row, and how its series are labelled. */
export interface Column {
  readonly measure: Measure;
  /** The labels `k` and `params`, if the measure has them. */
  readonly labels: string;
  readonly hasScore: boolean;
  readonly hasWeight: boolean;
  /** undefined if the row has no value of the measure. */
  value(row: Row): number | undefined;
  /** The sum that is divided by the weight, or by the impressions. */
  score(sums: readonly Exact[]): number;
  weight(sums: readonly Exact[]): number;
}

/**
 * The gauges of the last snapshot. What to show is decided when the snapshot is taken, because what is not shown is counted; the text is
 * made when it is requested, and kept until there is something else to show.
 */
export class Quality {
  readonly #metrics: readonly MetricSpec[];
  readonly #settings: QualitySettings;
  readonly #columns: readonly Column[];
  #last: { readonly snapshot: QualitySnapshot; readonly shown: Shown } | undefined;
  #capped = 0;
  /** The text of `#last`; undefined: not rendered yet. */
  #text: string | undefined;

  /** @param metrics if empty, nothing is shown */
  constructor(metrics: readonly MetricSpec[], settings: QualitySettings) {
    this.#metrics = metrics;
    this.#settings = settings;
    this.#columns = columnsOf(settings.measures, settings.itemFile?.size);
  }

  /** Number of rows and decisions that had no series of their own, summed over all snapshots. */
  get capped(): number {
    return this.#capped;
  }

  take(snapshot: QualitySnapshot): void {
    if (this.#metrics.length === 0) return;
    if (this.#last === undefined || !isSame(snapshot, this.#last.snapshot)) {
      const shown = withinLimit(snapshot, this.#columns.length * SERIES_PER_MEASURE, this.#settings);
      this.#last = { snapshot, shown };
      this.#text = undefined;
    }
    this.#capped += this.#last.shown.capped;
  }

  /** The text; before the first snapshot only HELP and TYPE. */
  text(): string {
    this.#text ??= this.#render();
    return this.#text;
  }

  #render(): string {
    const page = new Exposition(this.#metrics);
    if (this.#last !== undefined) {
      const { snapshot, shown } = this.#last;
      const isAll = this.#settings.incompleteWindows === 'show';
      const rows = isAll ? shown.rows : wholeOf(shown.rows, snapshot);
      const lacks: Lacks = isAll ? () => false : lackedBy(snapshot.windows);
      writeQuality(page, this.#columns, snapshot, { ...shown, rows, lacks });
    }
    return page.text();
  }
}

function isSame(a: QualitySnapshot, b: QualitySnapshot): boolean {
  return a.rows === b.rows && a.windows === b.windows && a.decisions === b.decisions;
}

/** The rows of windows that are not known to be incomplete. */
function wholeOf(rows: readonly QualityRow[], { windows }: QualitySnapshot): readonly QualityRow[] {
  const name = ({ window, horizon }: Pick<QualityRow, 'window' | 'horizon'>): string => `${window}|${horizon}`;
  const incomplete = new Set(windows.filter(({ complete }) => !complete).map(name));
  return rows.filter((row) => !incomplete.has(name(row)));
}

/** Writes all gauges of a snapshot. A value without data has no series. */
function writeQuality(
  page: Exposition,
  columns: readonly Column[],
  { windows, resultTimes }: QualitySnapshot,
  { rows, decisions, lacks }: Shown & { readonly lacks: Lacks },
): void {
  const labels = rows.map(rowLabels);
  writeMeasures(page, columns, rows, { labels, lacks });
  const impressions = page.series('receval_window_impressions');
  const positives = page.series('receval_window_positives');
  for (const [i, { row }] of rows.entries()) {
    impressions(labels[i], row.impressions);
    positives(labels[i], row.positives);
  }
  page.series('receval_item_limit_rows')('', rows.filter(({ row }) => isOverItemLimit(row)).length);
  const complete = page.series('receval_window_complete');
  for (const { window, horizon, complete: whole } of windows) complete(labelText({ window, horizon }), Number(whole));
  const completeAt = page.series('receval_window_complete_timestamp_seconds');
  for (const { window, horizon, completeAt: at } of windows)
    if (at !== undefined) completeAt(labelText({ window, horizon }), at / 1000);
  const resultTime = page.series('receval_result_timestamp_seconds');
  for (const [horizon, at] of resultTimes) resultTime(labelText({ horizon }), at / 1000);
  writeDecisions(page, decisions);
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
  { labels, lacks }: { readonly labels: readonly string[]; readonly lacks: Lacks },
): void {
  for (const column of columns) {
    const add = page.series(valueName(column.measure.name));
    for (const [i, row] of rows.entries()) {
      const value = lacks(row, column.measure) ? undefined : column.value(row.row);
      if (value !== undefined) add(joinLabels(labels[i], column.labels), value);
    }
  }
  for (const [m, column] of columns.entries()) {
    const add = page.series(stderrName(column.measure.name));
    for (const [i, row] of rows.entries()) {
      const stderr = lacks(row, column.measure) ? undefined : row.stderrs[m];
      if (typeof stderr === 'number') add(joinLabels(labels[i], column.labels), stderr);
    }
  }
}

/** Whether a window has a measure, or a set, only for its newest lists, because it was added later. */
type Lacks = (row: QualityRow, measure: Measure) => boolean;

function lackedBy(windows: QualitySnapshot['windows']): Lacks {
  const parts = new Map(windows.map(({ window, horizon, lacks }) => [`${window} ${horizon}`, new Set(lacks)] as const));
  return ({ window, horizon, by }, measure) => {
    const of = parts.get(`${window} ${horizon}`);
    if (of === undefined) return false;
    const isKeptByItem = itemPartOf(measure) !== undefined;
    return (
      of.has(PART.measure(measure.canonical)) || of.has(PART.cohorts(by)) || (isKeptByItem && of.has(PART.itemSets(by)))
    );
  };
}

function rowLabels({ window, horizon, by, values }: QualityRow): string {
  const cohort = labelText(Object.fromEntries(by.map((name, i) => [name, values[i]])));
  return joinLabels(labelText({ window, horizon, by: by.join(',') }), cohort);
}

/** A snapshot within the limit, and how many rows and decisions lost their own name. */
interface Shown {
  readonly rows: readonly QualityRow[];
  readonly decisions: readonly QualityDecision[];
  readonly capped: number;
}

/**
 * Limits a snapshot. This is a second bound after the admission tables, which bound the cohorts of each unit: units that admitted
 * different ones can together exceed `limits.series`. Then the cohorts with the fewest impressions are added to the rest of their set,
 * all rows of a cohort or none, and their decisions are left out. The cohort of everything, and those that the configuration names,
 * always stay: sending other values must never hide a variant. As in the product that the configuration computes, the rest of a set and
 * the weights do not count.
 */
function withinLimit({ rows, decisions }: QualitySnapshot, seriesPerRow: number, settings: QualitySettings): Shown {
  const room = Math.floor(settings.limits.series / Math.max(1, seriesPerRow));
  const decisionRoom = Math.floor(settings.limits.series / LABELS.length);
  const named = rows.filter(({ values }) => !values.includes(OTHER_COHORT));
  if (named.length <= room && decisions.length <= decisionRoom) return { rows, decisions, capped: 0 };
  const reserved = reservedIn(settings);
  const bySize = largestFirst(named);
  const names = (cohorts: readonly Cohort[], most: number): ReadonlySet<string> => {
    const sizes = new Map<string, number>();
    for (const cohort of cohorts) sizes.set(cohortText(cohort), (sizes.get(cohortText(cohort)) ?? 0) + 1);
    return fitting([...new Set([...bySize, ...sizes.keys()])], { sizes, reserved, most });
  };
  const shown = names(named, room);
  const judged = names(decisions, decisionRoom);
  const left = named.filter((row) => !shown.has(cohortText(row)));
  const kept = decisions.filter((decision) => judged.has(cohortText(decision)));
  return {
    rows: left.length === 0 ? rows : folded(rows, new Set(left)),
    decisions: kept,
    capped: left.length + decisions.length - kept.length,
  };
}

type Cohort = Pick<QualityRow, 'by' | 'values'>;

function cohortText({ by, values }: Cohort): string {
  return `${setText(by)}|${values.join(',')}`;
}

/** The cohort of everything, and the cohorts that the configuration names. */
function reservedIn({ cohorts, experiments, limits }: QualitySettings): ReadonlySet<string> {
  const named = namedValues(experiments);
  const texts = cohorts.flatMap((by) =>
    [...reservedCohorts(by, named, limits.cohortsPerSet)].map((values) => `${setText(by)}|${values}`),
  );
  return new Set(['|', ...texts]);
}

/**
 * Cohorts by the most impressions in any window, so that a cohort is shown in all windows or in none; among equal ones, fewer dimensions
 * first.
 */
function largestFirst(rows: readonly QualityRow[]): readonly string[] {
  const cohorts = new Map<string, { impressions: number; readonly dimensions: number }>();
  for (const row of rows) {
    const text = cohortText(row);
    const { impressions } = row.row;
    const known = cohorts.get(text);
    if (known === undefined) cohorts.set(text, { impressions, dimensions: row.by.length });
    else known.impressions = Math.max(known.impressions, impressions);
  }
  return [...cohorts]
    .sort(([, a], [, b]) => b.impressions - a.impressions || a.dimensions - b.dimensions)
    .map(([text]) => text);
}

/**
 * The first of `cohorts` that, together with all that is reserved, fit into `most`.
 * @param sizes number of series of each
 */
function fitting(
  cohorts: readonly string[],
  at: { readonly sizes: ReadonlyMap<string, number>; readonly reserved: ReadonlySet<string>; readonly most: number },
): ReadonlySet<string> {
  const fits = new Set(cohorts.filter((cohort) => at.reserved.has(cohort)));
  let room = at.most;
  for (const cohort of fits) room -= at.sizes.get(cohort) ?? 0;
  for (const cohort of cohorts) {
    if (fits.has(cohort)) continue;
    room -= at.sizes.get(cohort) ?? 0;
    if (room < 0) break;
    fits.add(cohort);
  }
  return fits;
}

/** Adds the rows of `left` to the rest of their set, which then has no standard error: windows keep no sums by user bucket. */
function folded(rows: readonly QualityRow[], left: ReadonlySet<QualityRow>): readonly QualityRow[] {
  const rests = new Map<string, QualityRow[]>();
  for (const row of rows) {
    if (!left.has(row) && !row.values.includes(OTHER_COHORT)) continue;
    const text = [row.horizon, row.window, setText(row.by)].join('|');
    const known = rests.get(text);
    if (known === undefined) rests.set(text, [row]);
    else known.push(row);
  }
  const firsts = new Map([...rests.values()].map((parts) => [parts[0], parts] as const));
  return rows.flatMap((row) => {
    const parts = firsts.get(row);
    if (parts !== undefined) return [restOf(parts)];
    return left.has(row) || row.values.includes(OTHER_COHORT) ? [] : [row];
  });
}

function restOf(parts: readonly QualityRow[]): QualityRow {
  const [first] = parts;
  if (parts.length === 1 && first.values.includes(OTHER_COHORT)) return first;
  const row = copyRow(first.row);
  for (const part of parts.slice(1)) addRow(row, part.row);
  const stderrs = first.stderrs.map(() => absent('no_vector'));
  return { ...first, values: first.by.map(() => OTHER_COHORT), row, stderrs };
}

/**
 * Columns for rows of these measures, one per measure.
 * @param catalogueSize number of items in the catalogue
 */
export function columnsOf(measures: readonly Measure[], catalogueSize = 0): readonly Column[] {
  const shape = shapeOf(measures);
  const { kinds } = shape;
  const starts = sumsStarts(shape);
  return measures.map((measure, m) => {
    const at = starts[m];
    const own = (sums: readonly Exact[]): readonly Exact[] => sums.slice(at, at + SUMS_WIDTH[kinds[m]]);
    return {
      measure,
      labels: labelText({ k: measure.k?.toString(), params: paramsOf(measure) }),
      hasScore: hasScore(measure),
      hasWeight: hasScore(measure) && !weighsImpressions(measure),
      value: (row) => rowValue(measure, row, own(row.sums), catalogueSize).value,
      score: (sums) => measureScore(measure, own(sums)),
      weight: (sums) => measureWeight(measure, own(sums)),
    };
  });
}

/** The text between the parentheses of the canonical name. */
export function paramsOf({ canonical }: Measure): string | undefined {
  return /\((.*)\)/.exec(canonical)?.[1];
}
