import type { Settings } from '../config/settings.ts';
import { itemPartOf } from '../measures/item-part.ts';
import { csvTable } from '../output/csv.ts';
import { stableJson } from '../output/stable-json.ts';
import { LATEX, MARKDOWN, PLAIN, type TextForm } from '../output/text-form.ts';
import type { ReplayResult, ResultMeasure, ResultRow } from '../replay/result.ts';
import { ABSENT_DIMENSION, assertNever } from '../vocabulary/events.ts';
import { findingsBlock } from './findings-output.ts';
import { grouped } from './progress.ts';

export const OUTPUTS = ['table', 'json', 'csv', 'md', 'html', 'latex'] as const;
export type Output = (typeof OUTPUTS)[number];

export function isOutput(text: string): text is Output {
  return OUTPUTS.some((output) => output === text);
}

/** The result of a replay as text, ending with a newline. */
export function printResult(result: ReplayResult, settings: Settings, output: Exclude<Output, 'html'>): string {
  switch (output) {
    case 'table':
      return tables(result, settings, PLAIN);
    case 'md':
      return tables(result, settings, MARKDOWN);
    case 'latex':
      return tables(result, settings, LATEX);
    case 'json':
      return resultJson(result);
    case 'csv':
      return csv(result);
    default:
      return assertNever(output);
  }
}

/** One object, keys sorted at every level: equal results give equal bytes. */
export function resultJson({ asOf, impressions, feedback, rows, unknownItems, findings }: ReplayResult): string {
  const catalogue = unknownItems === undefined ? {} : { catalogue: { unknownItems } };
  return stableJson({ asOf, findings, impressions, feedback, rows, ...catalogue });
}

/** One line per cohort, horizon and measure. */
function csv({ rows }: ReplayResult): string {
  const lines = rows.flatMap((row) =>
    Object.entries(row.measures).map(([measure, { value, n, stderr }]) => [
      row.by.join(','),
      row.by.map((dimension) => `${dimension}=${row.labels[dimension]}`).join(','),
      row.horizon,
      row.window,
      row.impressions,
      row.positives,
      measure,
      value ?? undefined,
      n,
      stderr ?? undefined,
    ]),
  );
  return csvTable(
    ['by', 'cohort', 'horizon', 'window', 'impressions', 'positives', 'measure', 'value', 'n', 'stderr'],
    lines,
  );
}

/** Tables of more measures show values alone: with errors they would be wider than a screen. */
const MOST_WITH_ERRORS = 4;

/** One table per grouping set, and what became of the events. */
function tables(result: ReplayResult, { attribution, cohorts, measures, itemSets }: Settings, form: TextForm): string {
  const names = measures.map((measure) => measure.canonical);
  const horizons = attribution.horizons.map((horizon) => horizon.text);
  const parts = cohorts.flatMap((by) => {
    const rows = result.rows
      .filter((row) => row.by.join() === by.join())
      .sort((a, b) => (cohort(a) === cohort(b) ? horizons.indexOf(a.horizon) - horizons.indexOf(b.horizon) : 0));
    if (rows.length === 0) return [];
    const missing = by.filter((dimension) => rows.every((row) => row.labels[dimension] === ABSENT_DIMENSION));
    if (missing.length > 0) {
      const what = `no event has a ${missing.join(' or a ')}, so there is nothing to tell apart`;
      return [form.note(`by ${by.join(', ')}: ${what}`)];
    }
    const header = [...by, 'horizon', 'impressions', 'positives', ...names];
    const lines = rows.map((row) => line(row, names));
    const isKept = itemSets.some((set) => set.join() === by.join());
    const absent = isKept ? [] : measures.filter((measure) => itemPartOf(measure) !== undefined);
    const unkept = absent.map(({ canonical }) => canonical).join(', ');
    const note =
      unkept === '' ? '' : form.note(`not kept by ${by.join(', ')}, unless itemSets has [${by.join(', ')}]: ${unkept}`);
    return [`${form.table(header, lines, by.length + 1)}${note}`];
  });
  if (parts.length === 0)
    parts.push(form.note('No impression was accepted, so there is nothing to show. See the counts below.'));
  const asOf = result.asOf === null ? [] : [form.note(`impressions up to ${result.asOf}`)];
  const findings = findingsBlock(result.findings, form);
  return form.whole([...(findings === '' ? [] : [findings]), ...parts, fate(result, form), ...asOf]);
}

function cohort(row: ResultRow): string {
  return row.by.map((dimension) => row.labels[dimension]).join(',');
}

function line(row: ResultRow, names: readonly string[]): readonly string[] {
  return [
    ...row.by.map((dimension) => row.labels[dimension]),
    row.horizon,
    grouped(row.impressions),
    grouped(row.positives),
    ...names.map((name) => valueText(row.measures[name], row.impressions, names.length <= MOST_WITH_ERRORS)),
  ];
}

/**
 * Six digits after the point, then the standard error where it is known and wanted; the weight stands behind where it is
 * not the number of impressions.
 */
function valueText(measure: ResultMeasure, impressions: number, withErrors: boolean): string {
  const { value, n, stderr, pairs, scoredShare } = measure;
  if (value === null) return '-';
  const error = stderr === null || !withErrors ? '' : ` ± ${stderr.toFixed(6)}`;
  const notes = [
    ...(n === impressions ? [] : [`n ${grouped(n)}`]),
    ...(pairs === undefined || pairs === n ? [] : [`pairs ${grouped(pairs)}`]),
    ...(typeof scoredShare !== 'number' || scoredShare === 1 ? [] : [`${(100 * scoredShare).toFixed(1)} % scored`]),
  ];
  return `${value.toFixed(6)}${error}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}`;
}

/** What became of the events. */
export function fate(
  result: Pick<ReplayResult, 'impressions' | 'feedback' | 'invalid' | 'ignoredCohortKeys' | 'unknownItems'>,
  form: TextForm,
): string {
  const { impressions, feedback, invalid, ignoredCohortKeys, unknownItems } = result;
  const counts = (drops: Readonly<Record<string, number>>): string => {
    const some = Object.entries(drops).filter(([, n]) => n > 0);
    return some.length === 0 ? 'none' : some.map(([reason, n]) => `${reason} ${grouped(n)}`).join(', ');
  };
  const text = form.table(
    ['events', 'read', 'counted', 'dropped', 'late for a horizon'],
    [
      [
        'impressions',
        grouped(impressions.read),
        grouped(impressions.accepted),
        counts(impressions.drops),
        counts(impressions.late),
      ],
      ['feedback', grouped(feedback.read), grouped(feedback.attributed), counts(feedback.drops), counts(feedback.late)],
    ],
    5,
  );
  const codes = (['impressions', 'feedback'] as const)
    .filter((side) => invalid[side].size > 0)
    .map((side) => `invalid ${side}: ${[...invalid[side]].map(([code, n]) => `${code} ${grouped(n)}`).join(', ')}`);
  const keys =
    ignoredCohortKeys === 0
      ? []
      : [`keys of cohorts that are no dimension names, ignored: ${grouped(ignoredCohortKeys)}`];
  const unknown =
    unknownItems === undefined ? [] : [`slots with items that the catalogue does not know: ${counts(unknownItems)}`];
  return `${text}${[...codes, ...keys, ...unknown].map((words) => form.note(words)).join('')}`;
}
