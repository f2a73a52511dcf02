import { type ComparedCohort, type ComparedCohorts, shownCohorts } from '../experiment/cohort-splits.ts';
import type { ComparedMeasure, ComparedVariant, Comparison } from '../experiment/comparison.ts';
import { earlierWords } from '../experiment/earlier-run.ts';
import { emptyWords } from '../experiment/empty-lists.ts';
import { errorNotes, hasIntervals } from '../experiment/error-notes.ts';
import { type PlannedEffect, type PlannedVariant, REACHABLE_DAYS } from '../experiment/experiment-plan.ts';
import { likelyBots } from '../experiment/likely-bots.ts';
import { otherVariants } from '../experiment/other-variants.ts';
import { countsUsers, detectableWords, SPLIT_WORDS, splitState } from '../experiment/split-words.ts';
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
import { MOST_COHORTS } from '../statistics/cohort-sample.ts';
import { ABSENT_DIMENSION, assertNever, OTHER_COHORT } from '../vocabulary/events.ts';
import { grouped } from '../vocabulary/grouped.ts';
import {
  ascii,
  bound,
  change,
  daysWords,
  levelOf,
  percent,
  plain,
  probability,
  range,
  shown,
  signed,
} from '../vocabulary/numbers.ts';
import { findingsBlock } from './findings-output.ts';
import { closingWords, fate } from './result-output.ts';

export const COMPARISON_OUTPUTS = ['table', 'json', 'md', 'html'] as const;
type ComparisonOutput = (typeof COMPARISON_OUTPUTS)[number];

type Plans = readonly PlannedVariant[];

/** Optional parts of the output. */
export interface Extras {
  readonly plan?: Plans | undefined;
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
          events: { impressions: replayed.impressions, feedback: replayed.feedback, unmapped: replayed.unmapped },
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
  const tables = [arms(comparison, form.table), measures(comparison, form)];
  return `${[headline(comparison), '', ...findings, ...before(comparison), tables.join('\n'), ...notes(comparison)].join('\n')}\n`;
}

function markdown(comparison: Comparison): string {
  const findings = comparison.variants.map(
    ({ variant, decision, reason, decidedAt, explanation }) =>
      `**${variant}: ${decision}** (\`${reason}\`)${decidedText(decision, decidedAt)}. ${explanation}\n`,
  );
  const tables = [arms(comparison, MARKDOWN.table), measures(comparison, MARKDOWN)];
  const list = notes(comparison).map((note) => `* ${note}`);
  return `${[`## ${headline(comparison)}`, '', ...findings, ...before(comparison), tables.join('\n'), ...list].join('\n')}\n`;
}

function before({ earlier }: Comparison): readonly string[] {
  return earlier === undefined ? [] : [`${earlierWords(earlier)}\n`];
}

/** @param safe escapes text that contains names from events */
function extraTexts(
  comparison: Comparison,
  { plan, ratioBy = [] }: Extras,
  write: TableWriter,
  safe: (text: string) => string,
): string[] {
  return [
    ...(plan === undefined ? [] : [planText(comparison, plan, write)]),
    ...ratioBy.map((dimension) => {
      const words = cohortWords(comparison, dimension).map(safe);
      return `${cohortTable(comparison, dimension, write)}\n${words.join('\n')}\n`;
    }),
  ];
}

function cohortTable({ users }: Comparison, dimension: ComparedCohorts, write: TableWriter): string {
  const names = Object.keys(users);
  const rows = shownCohorts(dimension).map(({ value, users, expected, deviation, p, pAdjusted, warning }) => [
    value,
    warning ? 'WARNING' : '',
    ...names.flatMap((name) => [grouped(users[name]), ascii(shown(expected?.[name], grouped))]),
    ...[shown(deviation, percent), shown(p, probability), shown(pAdjusted, probability)].map(ascii),
  ]);
  const header = [dimension.by, '', ...names.flatMap((name) => [name, 'expected'])];
  return write([...header, 'deviation', 'p', 'p adjusted'], rows, 2);
}

function cohortWords({ srm }: Comparison, dimension: ComparedCohorts): string[] {
  const { by, cohorts, users, sampled } = dimension;
  const tested = cohorts.filter(({ p }) => p !== null);
  if (tested.length === 0) {
    return [`Split of the users by ${by}: not tested (${cohorts[0]?.reason ?? srm.reason ?? 'no_data'}).`];
  }
  const wrong = cohorts.filter(({ warning }) => warning);
  const hidden = cohorts.length - shownCohorts(dimension).length;
  return [
    wrong.length === 0
      ? `Split of the users by ${by}: as configured in each of ${grouped(tested.length)}.`
      : `Split of the users by ${by}: WARNING, not as configured in ${wrong.map(cohortWord).join('; ')}. Look at how users are assigned and logged there. It changes no decision.`,
    `A user counts once, in the ${by} and the variant seen first. p is the smallest of all looks so far; adjusted by Holm over all cohorts asked for, below 0.001 is a warning.`,
    ...(cohorts.every(({ value }) => value === ABSENT_DIMENSION)
      ? [`No impression of the experiment has a "${by}": is it a key of their "cohorts"?`]
      : []),
    ...(hidden > 0 ? [`Not shown: ${grouped(hidden)} more without a warning. --output json has all.`] : []),
    ...(cohorts.some(({ value }) => value === OTHER_COHORT)
      ? [`${OTHER_COHORT}: all beyond the first ${MOST_COHORTS}, together.`]
      : []),
    ...(sampled < users ? [`Tested on a fair sample: 1 user in ${grouped(users / sampled)}.`] : []),
  ];
}

/** Such as: DE (treatment 1,234 users, 1,500 expected), for the variant with the largest shortfall. */
function cohortWord({ value, users, expected }: ComparedCohort): string {
  if (expected === null) return value;
  const had = (name: string): number => (expected[name] > 0 ? users[name] / expected[name] : Number.POSITIVE_INFINITY);
  const [least] = Object.keys(users).sort((a, b) => had(a) - had(b));
  return `${value} (${least} ${grouped(users[least])} users, ${grouped(expected[least])} expected)`;
}

function planText(comparison: Comparison, plan: Plans, write: TableWriter): string {
  return `${planTable(plan, write)}\n${planWords(comparison, plan).join('\n')}\n`;
}

/** Users and days until an effect is seen with power .8, and until equal variants are called healthy. */
function planTable(plan: Plans, write: TableWriter): string {
  const rows = plan.flatMap(({ variant, effects, healthy }) => [
    ...(effects ?? []).map((planned) => [variant, `an effect of ${bound(planned.effect)}`, ...takes(planned)]),
    ...(healthy === null ? [] : [[variant, `healthy within ${bound(healthy.effect)}`, ...takes(healthy)]]),
  ]);
  return write(['variant', 'to see', 'users of both', 'days since the start'], rows, 2);
}

function takes({ users, days }: PlannedEffect): readonly string[] {
  return [grouped(users), ascii(daysWords(days))];
}

function planWords({ primary, tolerance }: Comparison, plan: Plans): string[] {
  const words = plan.flatMap(({ variant, usersPerDay, effects, healthy, withinReach }) => {
    if (effects === null)
      return [`${variant}: ${primary} has no error yet, so nothing can be planned. Wait for users.`];
    if (usersPerDay === null || withinReach === null)
      return [`${variant}: too young to tell how many users come in a day.`];
    const pace = `${variant}: ${grouped(usersPerDay)} new users a day with the control.`;
    if (healthy === null) return [`${pace} A tolerance of 0 can never be called healthy.`];
    if (healthy.days !== null && healthy.days <= REACHABLE_DAYS) return [pace];
    return [
      `${pace} "healthy" within ${bound(tolerance)} is out of reach in ${REACHABLE_DAYS} days; within ${bound(roundedUp(withinReach))} it can be had. Set tolerance to what a loss may be.`,
    ];
  });
  return [
    ...words,
    'With power .8, at any number of looks; days at the rate of new users so far, the least to expect: users who come back add less.',
  ];
}

/** Rounded up to two significant digits. */
function roundedUp(fraction: number): number {
  const unit = 10 ** (Math.floor(Math.log10(fraction)) - 1);
  return Math.ceil(fraction / unit) * unit;
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

function arms(comparison: Comparison, write: TableWriter): string {
  const { users, impressions, userless, open = {}, emptyLists } = comparison;
  const names = Object.keys(users);
  const isUserless = names.some((name) => userless[name] > 0);
  const hasOpen = names.some((name) => open[name] > 0);
  const hasUsers = countsUsers(comparison);
  const rows = names.map((name) => [
    name,
    ...(hasUsers ? [grouped(users[name])] : []),
    grouped(impressions[name]),
    ...(isUserless ? [percent(userless[name])] : []),
    ...(hasOpen ? [grouped(open[name])] : []),
    ...(emptyLists === undefined ? [] : [percent(emptyLists[name].share)]),
  ]);
  const header = [
    'variant',
    ...(hasUsers ? ['users'] : []),
    'impressions',
    ...(isUserless ? ['without a user'] : []),
    ...(hasOpen ? ['open'] : []),
    ...(emptyLists === undefined ? [] : ['empty']),
  ];
  return write(header, rows, 1);
}

/** If the terminal is too narrow, redundant and rarely used columns are left out first. */
function measures({ variants, alpha }: Comparison, form: TextForm): string {
  const level = levelOf(alpha);
  const [effect, lift] = [
    ['effect', `${level} interval`],
    ['lift', `${level} lift interval`],
  ];
  const header = [
    'variant',
    'measure',
    'role',
    'control',
    'value',
    ...effect,
    ...lift,
    'p',
    'p adjusted',
    'detectable',
  ];
  const rows = variants.flatMap(({ variant, measures }) => measures.map((measure) => line(variant, measure)));
  const compared = variants.flatMap((variant) => variant.measures);
  const hasReasons = compared.some(({ reason }) => reason !== undefined);
  const hasLifts = compared.some(({ liftCi }) => liftCi !== null);
  const table: { readonly header: readonly string[]; readonly lines: Cells } = hasReasons
    ? { header: [...header, 'absent because'], lines: rows }
    : { header, lines: rows.map((cells) => cells.slice(0, -1)) };
  const seldom = [['p', 'detectable'], hasLifts ? effect : lift];
  const shown = form.columns === undefined ? { ...table, left: [] } : thinned(table, seldom, form.columns);
  const note = shown.left.length === 0 ? '' : form.note(`Not shown: ${shown.left.join(', ')}. --wide shows all.`);
  return `${form.table(shown.header, shown.lines, 3)}${note}`;
}

function line(variant: string, compared: ComparedMeasure): readonly string[] {
  const { measure, role, control, value, effect, ci, lift, liftCi, p, pAdjusted, mde, reason } = compared;
  return [
    variant,
    measure,
    role,
    ...[
      shown(control, plain),
      shown(value, plain),
      shown(effect, signed),
      range(ci, signed),
      shown(lift, change),
      range(liftCi, change),
      shown(p, probability),
      shown(pAdjusted, probability),
      shown(mde, plain),
    ].map(ascii),
    reason ?? '',
  ];
}

/** Text has no colours. */
const SPLIT_LOUD = { ...SPLIT_WORDS, off: 'NOT as configured', suspect: `WARNING, ${SPLIT_WORDS.suspect}` } as const;

/** What a reader of the tables must know, and anomalies of the traffic. */
function notes(comparison: Comparison): string[] {
  const { srm, crossovers, experiment, start } = comparison;
  const split =
    srm.p === null || srm.deviation === null
      ? `Split of the users: not tested (${srm.reason ?? 'no_data'}).`
      : `Split of the users: ${SPLIT_LOUD[splitState(srm)]} (p ${probability(srm.p)}, largest deviation ${percent(srm.deviation)}; ${detectableWords(srm)}).`;
  const others = otherVariants(comparison);
  return [
    split,
    ...(crossovers > 0 ? [`Users seen in more than one variant: ${grouped(crossovers)} of the sampled ones.`] : []),
    ...emptyWords(comparison),
    ...errorNotes(comparison),
    ...likelyBots(comparison).map(
      ([name, share]) =>
        `About ${percent(share)} of the impressions of ${name} come from one user, or from few that share its bucket: a bot?`,
    ),
    ...(start === undefined ? [] : [`Impressions before ${start} take no part: experiments.${experiment}.start.`]),
    ...(others !== ''
      ? [
          `Impressions of other variants, which take no part: ${others}. Name them in experiments.${experiment}.variants if they should.`,
        ]
      : []),
    ...(hasIntervals(comparison)
      ? [
          'Intervals hold however often you look; each stands for itself, not adjusted for the number of comparisons.',
          'p is the smallest of all looks so far; of a guardrail one-sided (worse). Adjusted by Holm within a role.',
        ]
      : []),
  ];
}
