import { emptyLists } from '../findings/empty-lists.ts';
import type { Finding } from '../findings/finding.ts';
import { scoredFindings, unjudgedFindings } from '../findings/scored-findings.ts';
import { COUNT_NAMES } from '../measures/grammar/other-tools.ts';
import { stableJson } from '../output/stable-json.ts';
import { type Cell, csvTable, LATEX, MARKDOWN, plainForm, type TextForm } from '../output/table.ts';
import type { Comparison } from '../score/comparisons.ts';
import { measureNames, type Names } from '../score/preset.ts';
import {
  countsOf,
  queriesOf,
  type RunScore,
  type ScoreResult,
  type ScoreTable,
  scoreTable,
} from '../score/score-result.ts';
import { assertNever } from '../vocabulary/events.ts';
import { grouped } from '../vocabulary/grouped.ts';
import { ascii, probability, range, shown, signed } from '../vocabulary/numbers.ts';
import { findingsBlock } from './findings-output.ts';
import type { ScoreOutput, ScoreSettings } from './score-settings.ts';

/** Scores as text, ending with a newline. @param comparisons if requested */
export function printScores(
  result: ScoreResult,
  comparisons: readonly Comparison[] | undefined,
  settings: ScoreSettings,
  output: Exclude<ScoreOutput, 'html'>,
): string {
  const { rows } = settings;
  switch (output) {
    case 'json':
      return scoresJson(result, comparisons, settings);
    case 'csv':
      return csv(scoreTable(result, settings, rows), settings.digits);
    case 'table':
      return tables(result, comparisons, settings, plainForm(settings.tableColumns));
    case 'md':
      return tables(result, comparisons, settings, MARKDOWN);
    case 'latex':
      return tables(result, comparisons, settings, LATEX);
    default:
      return assertNever(output);
  }
}

/** What looks wrong with the runs and their judgements. */
export function findingsOf({ runs, missing, evidence, measures }: ScoreResult): readonly Finding[] {
  // Where no item matches, ids differ, which is found by run.
  const tops = evidence.flatMap(({ run, top, matched }) => {
    return top === undefined || matched === 0 ? [] : [{ run, ...top }];
  });
  const byRun = runs.flatMap(({ name, queries, counts, emptyLists: empty = 0 }) => {
    const found = evidence.find(({ run }) => run === name);
    if (found === undefined) return emptyLists({ lists: queries, empty }, measures, `lists of ${name}`);
    const of = (side: 'run' | 'qrels'): readonly string[] =>
      missing.flatMap(({ run, query, missingFrom }) => (run === name && missingFrom === side ? [query] : []));
    const { relevant } = counts;
    const [lacking, unjudged] = [of('run'), of('qrels')];
    return scoredFindings({ ...found, queries, unjudged, lacking, relevant });
  });
  return [...byRun, ...unjudgedFindings(tops)];
}

/** Keys in order at every level; runs as they were given. Values are unrounded. */
export function scoresJson(
  result: ScoreResult,
  comparisons: readonly Comparison[] | undefined,
  { names, withCounts, rows, unjudged }: ScoreSettings,
): string {
  const { measures, runs, missing, reading, evidence } = result;
  const keys = measureNames(measures, names, reading);
  const object = (values: Iterable<number | undefined>): Readonly<Record<string, number | null>> =>
    Object.fromEntries(Array.from(values, (value, m) => [keys[m], value ?? null]));
  const counts = (of: RunScore['counts']): Readonly<Record<string, number>> =>
    withCounts ? Object.fromEntries(countsOf(of).map((n, i) => [COUNT_NAMES[i], n])) : {};
  const numbers = (values: readonly number[]): readonly (number | undefined)[] =>
    Array.from(values, (value) => (Number.isNaN(value) ? undefined : value));
  const only = (p: readonly (number | undefined)[]): Readonly<Record<string, number>> =>
    Object.fromEntries(p.flatMap((value, m) => (value === undefined ? [] : [[keys[m], value] as const])));
  return stableJson({
    findings: findingsOf(result),
    runs: runs.map((run) => {
      const asked = queriesOf(run, rows.query);
      const tested = run.perQuery.filter(({ p }) => p !== undefined);
      return {
        name: run.name,
        queries: run.queries,
        mean: { ...counts(run.counts), ...object(run.mean) },
        ...(run.emptyLists === undefined || run.emptyLists === 0 ? {} : { emptyLists: run.emptyLists }),
        ...(run.withoutValue.some((lists) => lists > 0) ? { withoutValue: object(run.withoutValue) } : {}),
        ...(run.unknownItems === undefined ? {} : { unknownItems: run.unknownItems }),
        ...(unjudged === 'skip' ? { unjudgedSkipped: skippedOf(evidence, run.name) } : {}),
        ...(run.queries === 1 && tested.length === 1 ? { p: only(tested[0].p ?? []) } : {}),
        ...(rows.perQuery
          ? {
              perQuery: Object.fromEntries(
                asked.map((one) => [one.query, { ...counts(one.counts), ...object(numbers(one.values)) }]),
              ),
            }
          : {}),
        ...(rows.perQuery && tested.length > 0
          ? { perQueryP: Object.fromEntries(asked.map(({ query, p = [] }) => [query, only(p)])) }
          : {}),
      };
    }),
    missing,
    ...(comparisons === undefined ? {} : { comparisons }),
  });
}

/** One line per row of the table; a missing value is an empty cell. */
function csv({ columns, counts, rows }: ScoreTable, digits: number | undefined): string {
  const cell = (value: number | undefined, i: number): Cell =>
    value === undefined || i < counts || digits === undefined ? value : { number: value, digits };
  return csvTable(
    ['run', 'query', ...columns],
    rows.map(({ run, query, values }) => [run, query, ...values.map(cell)]),
  );
}

const USUAL_DIGITS = 4;

/** The scores, then the comparisons if requested. */
function tables(
  result: ScoreResult,
  comparisons: readonly Comparison[] | undefined,
  settings: ScoreSettings,
  form: TextForm,
): string {
  const { rows: asked, digits = USUAL_DIGITS, relevantFrom } = settings;
  const { columns, counts, rows } = scoreTable(result, settings, asked);
  const text = (value: number | undefined, i: number): string =>
    value === undefined ? '-' : i < counts ? String(value) : value.toFixed(digits);
  const header = asked.perQuery ? ['run', 'query'] : ['run'];
  const lines = rows.map(({ run, query, values }) => [...(asked.perQuery ? [run, query] : [run]), ...values.map(text)]);
  const scores = form.table([...header, ...columns], lines, header.length);
  const against =
    comparisons === undefined || comparisons.length === 0
      ? []
      : [comparisonTable(comparisons, digits, form), form.note(NOT_ADJUSTED)];
  const notes = [
    ...(asked.query === undefined ? [queriesText(result, settings.names, relevantFrom)] : []),
    ...(settings.unjudged === 'skip' ? [skippedText(result)] : []),
  ];
  const counted = notes.map((text) => form.note(text)).join('');
  const found = findingsBlock(findingsOf(result), form);
  return form.whole([...(found === '' ? [] : [found]), `${scores}${counted}`, ...against]);
}

/** The number of queries behind each mean, and the default of `rel`, which names of measures omit. */
function queriesText(result: ScoreResult, names: Names, relevantFrom: number): string {
  const { runs } = result;
  const [first] = runs;
  const isSame = runs.every(({ queries }) => queries === first.queries);
  const numbers = isSame ? String(first.queries) : runs.map(({ name, queries }) => `${name} ${queries}`).join(', ');
  const left = withoutValueText(result, names);
  const but = left === undefined ? '' : `; left out without a value: ${left}`;
  const empty = runs.flatMap(({ name, emptyLists = 0 }) => (emptyLists === 0 ? [] : [`${name} (${emptyLists})`]));
  const found = empty.length === 0 ? '' : `; empty lists: ${empty.join(', ')}`;
  return `means over queries: ${numbers}${found}${but}${relevantFrom === 1 ? '' : `; relevant from grade ${relevantFrom}`}`;
}

/** How many items were taken out because nobody judged them. */
export function skippedText({ runs, evidence }: ScoreResult): string {
  const skipped = runs.map(({ name }) => `${name} ${grouped(skippedOf(evidence, name))}`);
  return `items that nobody judged are taken out (--unjudged skip): ${skipped.join(', ')}`;
}

function skippedOf(evidence: ScoreResult['evidence'], name: string): number {
  return evidence.find(({ run }) => run === name)?.skipped ?? 0;
}

/** How many queries of each run are not in its means, by measure where they differ. undefined: there are none. */
export function withoutValueText({ runs, measures, reading }: ScoreResult, names: Names): string | undefined {
  const keys = measureNames(measures, names, reading);
  const texts = runs.map(({ withoutValue }) => {
    const isSame = withoutValue.every((lists) => lists === withoutValue[0]);
    if (isSame) return withoutValue[0] === 0 ? '' : String(withoutValue[0]);
    return withoutValue.flatMap((lists, m) => (lists === 0 ? [] : [`${keys[m]} ${lists}`])).join(', ');
  });
  if (texts.every((text) => text === '')) return undefined;
  if (texts.every((text) => text === texts[0])) return texts[0];
  return runs.flatMap(({ name }, i) => (texts[i] === '' ? [] : [`${name} (${texts[i]})`])).join(', ');
}

const NOT_ADJUSTED =
  'Paired by query; each interval and p stands for itself, not adjusted for the number of comparisons.';

function comparisonTable(comparisons: readonly Comparison[], digits: number, form: TextForm): string {
  const sized = (value: number): string => signed(value, digits);
  const lines = comparisons.map(({ run, baseline, measure, queries, effect, stderr, ci, p, reason }) => [
    run,
    baseline,
    measure,
    String(queries),
    ascii(shown(effect, sized)),
    stderr === null ? '-' : stderr.toFixed(digits),
    ci === null ? (reason ?? '-') : ascii(range(ci, sized)),
    ascii(shown(p, probability)),
  ]);
  return form.table(['run', 'against', 'measure', 'queries', 'effect', 'stderr', '95 % interval', 'p'], lines, 3);
}
