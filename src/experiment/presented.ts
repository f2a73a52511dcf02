/** A comparison for readers, as tables and sentences: the text of commands and the page write the same. */
import { MOST_COHORTS } from '../statistics/cohort-sample.ts';
import { ABSENT_DIMENSION, OTHER_COHORT } from '../vocabulary/events.ts';
import { grouped } from '../vocabulary/grouped.ts';
import {
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
import { type ComparedCohort, type ComparedCohorts, shownCohorts } from './cohort-splits.ts';
import type { ComparedVariant, Comparison } from './comparison.ts';
import { countsUsers, emptyWords, errorNotes, likelyBots, otherVariants } from './comparison-words.ts';
import { type PlannedEffect, type PlannedVariant, REACHABLE_DAYS } from './experiment-plan.ts';

export interface TableColumn {
  readonly name: string;
  readonly isNumber?: boolean;
  /** Left out where there is little room. */
  readonly isRoomy?: boolean;
}

export interface PresentedTable {
  readonly columns: readonly TableColumn[];
  readonly rows: readonly (readonly string[])[];
}

/** Every measure of every variant. */
export function measuresTable(variants: readonly ComparedVariant[], alpha: number): PresentedTable {
  const level = levelOf(alpha);
  const numbers = [
    ...['control', 'value', 'effect', `${level} interval`, 'lift', `${level} lift interval`],
    ...['p', 'p adjusted', 'detectable'],
  ].map((name): TableColumn => ({ name, isNumber: true }));
  const hasReasons = variants.some(({ measures }) => measures.some(({ reason }) => reason !== undefined));
  return {
    columns: [
      ...['variant', 'measure', 'role'].map((name) => ({ name })),
      ...numbers,
      ...(hasReasons ? [{ name: 'absent because' }] : []),
    ],
    rows: variants.flatMap(({ variant, measures }) =>
      measures.map(({ measure, role, control, value, effect, ci, lift, liftCi, p, pAdjusted, mde, reason }) => [
        variant,
        measure,
        role,
        shown(control, plain),
        shown(value, plain),
        shown(effect, signed),
        range(ci, signed),
        shown(lift, change),
        range(liftCi, change),
        shown(p, probability),
        shown(pAdjusted, probability),
        shown(mde, plain),
        ...(hasReasons ? [reason ?? ''] : []),
      ]),
    ),
  };
}

/** What the intervals and the p of the table are. */
export const INTERVAL_NOTES = [
  'Intervals hold however often you look; each stands for itself, not adjusted for the number of comparisons.',
  'p is the smallest of all looks so far; of a guardrail one-sided (worse). Adjusted by Holm within a role.',
] as const;

/**
 * Users and lists of each variant; columns that say nothing are left out.
 * @param lists their name; @param expected users of a variant by its weight; default: not shown
 */
export function splitTable(
  comparison: Comparison,
  lists: 'lists' | 'impressions',
  expected?: (variant: string) => number | undefined,
): PresentedTable {
  const { users, impressions, userless, open = {}, emptyLists } = comparison;
  const names = Object.keys(users);
  const hasUsers = countsUsers(comparison);
  const columns: readonly (TableColumn & { readonly isShown: boolean; readonly of: (name: string) => string })[] = [
    { name: 'variant', isShown: true, of: (name) => name },
    { name: 'users', isNumber: true, isShown: hasUsers, of: (name) => grouped(users[name]) },
    {
      name: 'expected',
      isNumber: true,
      isShown: hasUsers && expected !== undefined,
      of: (name) => shown(expected?.(name), grouped),
    },
    { name: lists, isNumber: true, isRoomy: true, isShown: true, of: (name) => grouped(impressions[name]) },
    {
      name: 'without a user',
      isNumber: true,
      isShown: names.some((name) => userless[name] > 0),
      of: (name) => percent(userless[name]),
    },
    {
      name: 'open',
      isNumber: true,
      isShown: names.some((name) => open[name] > 0),
      of: (name) => grouped(open[name]),
    },
    {
      name: 'empty',
      isNumber: true,
      isShown: emptyLists !== undefined,
      of: (name) => shown(emptyLists?.[name].share, percent),
    },
  ];
  const drawn = columns.filter(({ isShown }) => isShown);
  return { columns: drawn, rows: names.map((name) => drawn.map(({ of }) => of(name))) };
}

/** What is odd about the traffic, in sentences. @param lists their name */
export function oddTraffic(comparison: Comparison, lists: 'lists' | 'impressions'): readonly string[] {
  const { crossovers, experiment } = comparison;
  const others = otherVariants(comparison);
  return [
    ...(crossovers > 0 ? [`Users seen in more than one variant: ${grouped(crossovers)} of the sampled ones.`] : []),
    ...emptyWords(comparison),
    ...errorNotes(comparison),
    ...likelyBots(comparison).map(
      ([name, share]) =>
        `About ${percent(share)} of the ${lists} of ${name} come from one user, or from few that share its bucket: a bot? Then leave it out with drop (docs/events.md).`,
    ),
    ...(others === ''
      ? []
      : [
          `${lists === 'lists' ? 'Lists' : 'Impressions'} of other variants, which take no part: ${others}. Name them in experiments.${experiment}.variants if they should.`,
        ]),
  ];
}

/** Users of each cohort of a dimension: those with a warning, and the first of the others. */
export function cohortTable({ users }: Comparison, dimension: ComparedCohorts): PresentedTable {
  const names = Object.keys(users);
  return {
    columns: [
      { name: dimension.by },
      { name: '' },
      ...[...names.flatMap((name) => [name, 'expected']), 'deviation', 'p', 'p adjusted'].map((name) => ({
        name,
        isNumber: true,
      })),
    ],
    rows: shownCohorts(dimension).map(({ value, users, expected, deviation, p, pAdjusted, warning }) => [
      value,
      warning ? 'WARNING' : '',
      ...names.flatMap((name) => [grouped(users[name]), shown(expected?.[name], grouped)]),
      shown(deviation, percent),
      shown(p, probability),
      shown(pAdjusted, probability),
    ]),
  };
}

/** What the table of cohorts says, and what a reader must know of it. */
export function cohortWords(
  { srm }: Comparison,
  dimension: ComparedCohorts,
): readonly [result: string, ...notes: readonly string[]] {
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
    ...(hidden > 0 ? [`Not shown: ${grouped(hidden)} more without a warning. JSON has all.`] : []),
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

/** Users and days until an effect is seen with power .8, and until equal variants are called healthy. */
export function planTable(plan: readonly PlannedVariant[]): PresentedTable {
  const row = (variant: string, what: string, { effect, users, days }: PlannedEffect): readonly string[] => [
    variant,
    `${what} ${bound(effect)}`,
    grouped(users),
    daysWords(days),
  ];
  return {
    columns: [
      { name: 'variant' },
      { name: 'to see' },
      { name: 'users of both', isNumber: true },
      { name: 'days since the start', isNumber: true },
    ],
    rows: plan.flatMap(({ variant, effects, healthy }) => [
      ...(effects ?? []).map((planned) => row(variant, 'an effect of', planned)),
      ...(healthy === null ? [] : [row(variant, 'healthy within', healthy)]),
    ]),
  };
}

export function planWords({ primary, tolerance }: Comparison, plan: readonly PlannedVariant[]): readonly string[] {
  const words = plan.map(({ variant, usersPerDay, effects, healthy, withinReach }) => {
    if (effects === null) return `${variant}: ${primary} has no error yet, so nothing can be planned. Wait for users.`;
    if (usersPerDay === null || withinReach === null) {
      return `${variant}: too young to tell how many users come in a day.`;
    }
    const pace = `${variant}: ${grouped(usersPerDay)} new users a day with the control.`;
    if (healthy === null) return `${pace} A tolerance of 0 can never be called healthy.`;
    if (healthy.days !== null && healthy.days <= REACHABLE_DAYS) return pace;
    return `${pace} "healthy" within ${bound(tolerance)} is out of reach in ${REACHABLE_DAYS} days; within ${bound(roundedUp(withinReach))} it can be had. Set tolerance to what a loss may be.`;
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
