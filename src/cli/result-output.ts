import type { Settings } from '../config/settings.ts';
import { itemPartOf } from '../measures/item-part.ts';
import { needsFeedback } from '../measures/needs.ts';
import { stableJson } from '../output/stable-json.ts';
import { type Cells, csvTable, LATEX, MARKDOWN, plainForm, plainWidth, type TextForm } from '../output/table.ts';
import { type ReplayResult, tooYoung } from '../replay/replay-result.ts';
import type { ResultMeasure, ResultRow } from '../replay/result-rows.ts';
import { ABSENT_DIMENSION, assertNever } from '../vocabulary/events.ts';
import { grouped } from '../vocabulary/grouped.ts';
import { NORMAL_95_WORDS, percent, plusMinus } from '../vocabulary/numbers.ts';
import { recordsOf, unmappedText } from '../vocabulary/unmapped.ts';
import { CLOSE_ALL_COUNTS } from '../vocabulary/young-lists.ts';
import { findingsBlock } from './findings-output.ts';

export const OUTPUTS = ['table', 'json', 'csv', 'md', 'html', 'latex'] as const;
type Output = (typeof OUTPUTS)[number];

/** The result of a replay as text, ending with a newline. @param columns greatest width of a plain table */
export function printResult(
  result: ReplayResult,
  settings: Settings,
  output: Exclude<Output, 'html'>,
  columns = Number.POSITIVE_INFINITY,
): string {
  switch (output) {
    case 'table':
      return tables(result, settings, plainForm(columns));
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
export function resultJson(result: ReplayResult): string {
  const { asOf, feedbackEnd, closeAll, impressions, feedback, join, unmapped, rows, unknownItems, findings } = result;
  const catalogue = unknownItems === undefined ? {} : { catalogue: { unknownItems } };
  return stableJson({
    asOf,
    closeAll,
    feedbackEnd,
    findings,
    impressions,
    feedback,
    ...(join === undefined ? {} : { join }),
    unmapped,
    rows,
    ...catalogue,
  });
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
      row.open,
    ]),
  );
  return csvTable(
    ['by', 'cohort', 'horizon', 'window', 'impressions', 'positives', 'measure', 'value', 'n', 'stderr', 'open'],
    lines,
  );
}

/** In forms without a width, tables of more measures show values without errors. */
const MOST_WITH_ERRORS = 4;

/** With more rows, a terminal shows only those at the longest horizon. */
const MOST_ROWS = 12;

/** One table per grouping set, and the outcome of the events. */
function tables(result: ReplayResult, { attribution, cohorts, measures, itemSets }: Settings, form: TextForm): string {
  const names = measures.map((measure) => measure.canonical);
  const horizons = attribution.horizons.map((horizon) => horizon.text);
  const young = tooYoung(result);
  const parts = cohorts.flatMap((by) => {
    const rows = result.rows
      .filter((row) => row.by.join() === by.join() && !young.has(row.horizon))
      .sort((a, b) => (cohort(a) === cohort(b) ? horizons.indexOf(b.horizon) - horizons.indexOf(a.horizon) : 0));
    if (rows.length === 0) return [];
    const missing = by.filter((dimension) => rows.every((row) => row.labels[dimension] === ABSENT_DIMENSION));
    if (missing.length > 0) {
      const what = `no event has a ${missing.join(' or a ')}, so there is nothing to tell apart`;
      return [form.note(`by ${by.join(', ')}: ${what}`)];
    }
    const isKept = itemSets.some((set) => set.join() === by.join());
    const absent = isKept ? [] : measures.filter((measure) => itemPartOf(measure) !== undefined);
    const unkept = absent.map(({ canonical }) => canonical).join(', ');
    const note =
      unkept === '' ? '' : form.note(`not kept by ${by.join(', ')}, unless itemSets has [${by.join(', ')}]: ${unkept}`);
    const [{ horizon: last }] = rows;
    const isLong = form.columns !== undefined && form.columns < Number.POSITIVE_INFINITY && rows.length > MOST_ROWS;
    const shown = isLong ? rows.filter(({ horizon }) => horizon === last) : rows;
    const others = shown.length === rows.length ? '' : form.note(`at ${last}; --wide also shows the other horizons`);
    return [`${cohortTable(by, shown, names, form)}${others}${note}`];
  });
  // In the place of the rows of a horizon.
  const instead = [...young.values()].map((words) => form.note(words)).join('');
  const [first = '', ...others] = parts;
  const shown = first === '' && instead === '' ? [form.note(NOTHING_ACCEPTED)] : [`${first}${instead}`, ...others];
  const asOf = result.asOf === null ? [] : [`impressions up to ${result.asOf}`];
  const isSoFar = !result.closeAll && result.feedbackEnd === null && result.feedback.attributed > 0;
  const positives = isSoFar && !needsFeedback(measures) ? [POSITIVES_SO_FAR] : [];
  const ends = [...closingWords(result, result.rows), ...positives, ...asOf].map((words) => form.note(words)).join('');
  const findings = findingsBlock(result.findings, form);
  return form.whole([
    ...(findings === '' ? [] : [findings]),
    ...shown,
    fate(result, form),
    ...(ends === '' ? [] : [ends]),
  ]);
}

const POSITIVES_SO_FAR = 'positives: with the feedback so far, as no measure waits for it';
const NOTHING_ACCEPTED = 'No impression was accepted, so there is nothing to show. See the counts below.';

export const CLOSED_ALL = '--close-all: lists that are younger than a horizon count there with the feedback so far';

/** What became of lists that were younger than a horizon at the end; nothing where there is nothing to say beside these rows. */
export function closingWords({ closeAll, feedbackEnd }: ReplayResult, rows: readonly ResultRow[]): string[] {
  if (closeAll) return [CLOSED_ALL];
  if (!rows.some(({ open, impressions }) => open > 0 && impressions > 0)) return [];
  return [
    `open: lists younger than the horizon at the end of the feedback, ${feedbackEnd}, in no other number; ${CLOSE_ALL_COUNTS}`,
  ];
}

function cohort(row: ResultRow): string {
  return row.by.map((dimension) => row.labels[dimension]).join(',');
}

/** What follows a value, if there is room. */
interface Behind {
  readonly error: boolean;
  /** The weight if it is not the row's, and other remarks. */
  readonly notes: boolean;
}

const MOST: Behind = { error: true, notes: true };
const LESS: Behind = { error: false, notes: true };
const LEAST: Behind = { error: false, notes: false };

function cohortTable(
  by: readonly string[],
  rows: readonly ResultRow[],
  names: readonly string[],
  form: TextForm,
): string {
  const { columns } = form;
  const weights = rows.map(usualWeight);
  const withOpen = rows.some(({ open }) => open > 0);
  const withWeight = rows.some(({ impressions }, i) => weights[i] !== impressions);
  const header = [
    ...by,
    'horizon',
    'impressions',
    ...(withOpen ? ['open'] : []),
    'positives',
    ...(withWeight ? ['n'] : []),
    ...names,
  ];
  // On a terminal values are aligned, whatever n follows them.
  const widths = names.map((name) =>
    columns === undefined ? 0 : Math.max(...rows.map(({ measures }) => grouped(measures[name].n).length)),
  );
  const linesOf = (behind: Behind): Cells =>
    rows.map((row, i) => [
      ...by.map((dimension) => row.labels[dimension]),
      row.horizon,
      grouped(row.impressions),
      ...(withOpen ? [grouped(row.open)] : []),
      grouped(row.positives),
      ...(withWeight ? [grouped(weights[i])] : []),
      ...names.map((name, m) => valueText(row.measures[name], weights[i], behind, widths[m])),
    ]);
  const hasErrors = rows.some(({ measures }) => names.some((name) => measures[name].stderr !== null));
  const write = (behind: Behind): string => {
    const legend = behind.error && hasErrors ? form.note(`± ${NORMAL_95_WORDS}`) : '';
    return `${form.table(header, linesOf(behind), by.length + 1)}${legend}`;
  };
  if (columns === undefined) return write(names.length <= MOST_WITH_ERRORS ? MOST : LESS);
  const fitting = [MOST, LESS].find((behind) => plainWidth(header, linesOf(behind)) <= columns);
  if (fitting !== undefined) return write(fitting);
  const odd = names.filter((name) => rows.some(({ measures }, i) => notesOf(measures[name], weights[i], 0).length > 0));
  const note =
    odd.length === 0 ? '' : form.note(`--wide also shows n of ${odd.join(', ')}, which is not that of the row`);
  return `${write(LEAST)}${note}`;
}

/** The n of most measures of a row: the number of lists, or of whatever they weigh by. */
function usualWeight({ impressions, measures }: ResultRow): number {
  const counts = new Map<number, number>([[impressions, 0]]);
  for (const { value, n } of Object.values(measures)) if (value !== null) counts.set(n, (counts.get(n) ?? 0) + 1);
  return [...counts].reduce((most, one) => (one[1] > most[1] ? one : most))[0];
}

/** Six decimals, then ± if the error is known, and remarks. */
function valueText(measure: ResultMeasure, usual: number, behind: Behind, width: number): string {
  const { value, stderr } = measure;
  if (value === null) return '-';
  const error = stderr === null || !behind.error ? '' : ` ${plusMinus(stderr, (half) => half.toFixed(6))}`;
  const notes = behind.notes ? notesOf(measure, usual, width) : [];
  return `${value.toFixed(6)}${error}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}`;
}

/** @param usual n of the row */
function notesOf({ value, n, pairs, scoredShare }: ResultMeasure, usual: number, width: number): readonly string[] {
  if (value === null) return [];
  return [
    ...(n === usual ? [] : [`n ${grouped(n).padStart(width)}`]),
    ...(pairs === undefined || pairs === n ? [] : [`pairs ${grouped(pairs)}`]),
    ...(typeof scoredShare !== 'number' || scoredShare === 1 ? [] : [`${(100 * scoredShare).toFixed(1)} % scored`]),
  ];
}

/** The table of the events' outcome. */
export function fate(
  result: Pick<
    ReplayResult,
    'impressions' | 'feedback' | 'invalid' | 'join' | 'unmapped' | 'ignoredCohortKeys' | 'unknownItems'
  >,
  form: TextForm,
): string {
  const { impressions, feedback, invalid, unmapped, ignoredCohortKeys, unknownItems } = result;
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
      : [`keys of cohorts that are not dimension names, ignored: ${grouped(ignoredCohortKeys)}`];
  const unknown =
    unknownItems === undefined ? [] : [`slots with items that the catalogue does not know: ${counts(unknownItems)}`];
  return `${text}${[...codes, ...unmappedLines(unmapped), ...touchLines(result), ...keys, ...unknown].map((words) => form.note(words)).join('')}`;
}

/** How feedback without the id of its list was joined. Empty if all feedback must have one. */
export function touchLines({ join }: Pick<ReplayResult, 'join'>): readonly string[] {
  if (join === undefined) return [];
  const { by, touch, looked, several, none, listsWithoutKey } = join;
  const share = (n: number): string => `${grouped(n)}${looked === 0 ? '' : ` (${percent(n / looked)})`}`;
  const lists = `lists without a ${by}, which such feedback cannot find: ${grouped(listsWithoutKey)}`;
  return [
    `feedback without the id of a list, joined by ${by} (touch ${touch}): ${grouped(looked)}; several lists have the item of ${share(several)}, no list that of ${share(none)}`,
    ...(listsWithoutKey === 0 ? [] : [lists]),
  ];
}

/** One line for each option whose files hold records that no map is for. */
function unmappedLines(unmapped: ReplayResult['unmapped']): readonly string[] {
  return Object.entries(unmapped).map(
    ([input, of]) =>
      `records of --${input} that meet no when of its maps, and are passed over: ${grouped(recordsOf(of))} (${unmappedText(of)})`,
  );
}
