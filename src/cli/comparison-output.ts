import type { ComparedCohorts } from '../experiment/cohort-splits.ts';
import type { ComparedVariant, Comparison } from '../experiment/comparison.ts';
import {
  detectableWords,
  earlierWords,
  hasIntervals,
  SPLIT_WORDS,
  splitState,
} from '../experiment/comparison-words.ts';
import type { PlannedVariant } from '../experiment/experiment-plan.ts';
import {
  cohortTable,
  cohortWords,
  INTERVAL_NOTES,
  measuresTable,
  oddTraffic,
  type PresentedTable,
  planTable,
  planWords,
  splitTable,
} from '../experiment/presented.ts';
import type { Finding } from '../findings/finding.ts';
import { stableJson } from '../output/stable-json.ts';
import {
  type Cells,
  MARKDOWN,
  markdownText,
  plainForm,
  type TableWriter,
  type TextForm,
  thinned,
} from '../output/table.ts';
import type { ReplayResult } from '../replay/replay-result.ts';
import { assertNever } from '../vocabulary/events.ts';
import { ascii, percent, probability } from '../vocabulary/numbers.ts';
import { findingsBlock } from './findings-output.ts';
import { closingWords, fate } from './result-output.ts';

export const COMPARISON_OUTPUTS = ['table', 'json', 'md', 'html'] as const;
type ComparisonOutput = (typeof COMPARISON_OUTPUTS)[number];

/** Optional parts of the output. */
export interface Extras {
  readonly plan?: readonly PlannedVariant[] | undefined;
  readonly ratioBy?: readonly ComparedCohorts[] | undefined;
  /** What looks wrong; default: nothing. */
  readonly findings?: readonly Finding[] | undefined;
  /** The outcome of the events of files. */
  readonly replayed?: ReplayResult | undefined;
}

/** A comparison as text, ending with a newline. @param columns greatest width of a plain table */
export function printComparison(
  comparison: Comparison,
  output: Exclude<ComparisonOutput, 'html'>,
  extras: Extras = {},
  columns = Number.POSITIVE_INFINITY,
): string {
  switch (output) {
    case 'json':
      return comparisonJson(comparison, extras);
    case 'table': {
      const form = plainForm(columns);
      return [
        ...found(extras, form),
        tableText(comparison, form),
        ...extraTexts(comparison, extras, form.table, (text) => text),
        ...events(extras, comparison, form),
      ].join('\n');
    }
    case 'md':
      return [
        ...found(extras, MARKDOWN),
        markdown(comparison),
        ...extraTexts(comparison, extras, MARKDOWN.table, markdownText),
        ...events(extras, comparison, MARKDOWN),
      ].join('\n');
    default:
      return assertNever(output);
  }
}

/** Keys, variants and measures in alphabetical order: equal comparisons give equal bytes. */
export function comparisonJson(comparison: Comparison, { plan, ratioBy, findings = [], replayed }: Extras): string {
  const variants = [...comparison.variants].sort((a, b) => (a.variant < b.variant ? -1 : 1));
  return stableJson({
    ...comparison,
    findings,
    ...(replayed === undefined
      ? {}
      : {
          closeAll: replayed.closeAll,
          events: {
            impressions: replayed.impressions,
            feedback: replayed.feedback,
            ...(replayed.join === undefined ? {} : { join: replayed.join }),
            unmapped: replayed.unmapped,
          },
          feedbackEnd: replayed.feedbackEnd,
        }),
    ...(plan === undefined ? {} : { plan }),
    ...(ratioBy === undefined ? {} : { ratioBy }),
    variants: variants.map((variant) => ({
      ...variant,
      measures: [...variant.measures].sort((a, b) => (a.measure < b.measure ? -1 : 1)),
    })),
  });
}

function found({ findings = [] }: Extras, form: TextForm): string[] {
  const text = findingsBlock(findings, form);
  return text === '' ? [] : [form === MARKDOWN ? text.trimStart() : text];
}

/** The outcome of the events of files. */
function events({ replayed }: Extras, { horizon }: Comparison, form: TextForm): string[] {
  if (replayed === undefined) return [];
  const closing = closingWords(
    replayed,
    replayed.rows.filter((row) => row.horizon === horizon),
  ).map((words) => form.note(words));
  return [fate(replayed, form), ...(closing.length === 0 ? [] : [closing.join('')])];
}

function tableText(comparison: Comparison, form: TextForm): string {
  const findings = comparison.variants.map(
    ({ variant, decision, reason, decidedAt, explanation }) =>
      `${variant}: ${decision} (${reason})${decidedText(decision, decidedAt)}\n  ${explanation}\n`,
  );
  const tables = [written(splitTable(comparison, 'impressions'), form.table), measures(comparison, form)];
  return `${[headline(comparison), '', ...findings, ...before(comparison), tables.join('\n'), ...notes(comparison)].join('\n')}\n`;
}

function markdown(comparison: Comparison): string {
  const findings = comparison.variants.map(
    ({ variant, decision, reason, decidedAt, explanation }) =>
      `**${variant}: ${decision}** (\`${reason}\`)${decidedText(decision, decidedAt)}. ${explanation}\n`,
  );
  const tables = [written(splitTable(comparison, 'impressions'), MARKDOWN.table), measures(comparison, MARKDOWN)];
  const list = notes(comparison).map((note) => `* ${note}`);
  return `${[`## ${headline(comparison)}`, '', ...findings, ...before(comparison), tables.join('\n'), ...list].join('\n')}\n`;
}

function before({ earlier }: Comparison): readonly string[] {
  return earlier === undefined ? [] : [`${earlierWords(earlier)}\n`];
}

/** Nothing is decided where it is not enough. */
function decidedText(decision: ComparedVariant['decision'], decidedAt: string | null): string {
  return decidedAt === null || decision === 'insufficient' ? '' : `, decided at ${decidedAt}`;
}

function headline({ experiment, control, horizon, asOf, start, ended }: Comparison): string {
  const from = start === undefined ? '' : `from ${start} `;
  const upTo = asOf === null ? 'nothing final yet' : `${from}up to ${asOf}`;
  const end = ended === undefined ? '' : `; other settings ended this run at ${ended}`;
  return `Experiment ${experiment} against ${control}, at ${horizon}, ${upTo}${end}`;
}

/** Text has no colours. */
const SPLIT_LOUD = { ...SPLIT_WORDS, off: 'NOT as configured', suspect: `WARNING, ${SPLIT_WORDS.suspect}` } as const;

/** A table as text: numbers have the minus of a keyboard. */
function written({ columns, rows }: PresentedTable, write: TableWriter): string {
  return write(
    columns.map(({ name }) => name),
    inAscii({ columns, rows }),
    columns.findIndex(({ isNumber }) => isNumber),
  );
}

function inAscii({ columns, rows }: PresentedTable): Cells {
  return rows.map((cells) => cells.map((cell, c) => (columns[c].isNumber ? ascii(cell) : cell)));
}

/** If the terminal is too narrow, redundant and rarely used columns are left out first. */
function measures({ variants, alpha }: Comparison, form: TextForm): string {
  const table = measuresTable(variants, alpha);
  const [effect, lift] = [4, 6].map((from) => table.columns.slice(from + 1, from + 3).map(({ name }) => name));
  const hasLifts = variants.some(({ measures }) => measures.some(({ liftCi }) => liftCi !== null));
  const whole = { header: table.columns.map(({ name }) => name), lines: inAscii(table) };
  const seldom = [['p', 'detectable'], hasLifts ? effect : lift];
  const fits = form.columns === undefined ? { ...whole, left: [] } : thinned(whole, seldom, form.columns);
  const note = fits.left.length === 0 ? '' : form.note(`Not shown: ${fits.left.join(', ')}. --wide shows all.`);
  return `${form.table(fits.header, fits.lines, 3)}${note}`;
}

/** @param safe escapes text that contains names from events */
function extraTexts(
  comparison: Comparison,
  { plan, ratioBy = [] }: Extras,
  write: TableWriter,
  safe: (text: string) => string,
): string[] {
  const block = (table: PresentedTable, words: readonly string[]): string =>
    `${written(table, write)}\n${words.join('\n')}\n`;
  return [
    ...(plan === undefined ? [] : [block(planTable(plan), planWords(comparison, plan))]),
    ...ratioBy.map((dimension) =>
      block(cohortTable(comparison, dimension), cohortWords(comparison, dimension).map(safe)),
    ),
  ];
}

/** What a reader of the tables must know, and anomalies of the traffic. */
function notes(comparison: Comparison): string[] {
  const { srm, experiment, start } = comparison;
  const split =
    srm.p === null || srm.deviation === null
      ? `Split of the users: not tested (${srm.reason ?? 'no_data'}).`
      : `Split of the users: ${SPLIT_LOUD[splitState(srm)]} (p ${probability(srm.p)}, largest deviation ${percent(srm.deviation)}; ${detectableWords(srm)}).`;
  return [
    split,
    ...(start === undefined ? [] : [`Impressions before ${start} take no part: experiments.${experiment}.start.`]),
    ...oddTraffic(comparison, 'impressions'),
    ...(hasIntervals(comparison) ? INTERVAL_NOTES : []),
  ];
}
