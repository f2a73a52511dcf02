/** What is said of a comparison beside its numbers: empty lists, the split, errors, the run before, other variants and likely bots. */
import { parseMeasure } from '../measures/grammar/measure-name.ts';
import { countsEmptyLists, isListOnly } from '../measures/needs.ts';
import { HEAVY_SHARE } from '../statistics/decision.ts';
import { LARGE_AMOUNTS } from '../statistics/explain.ts';
import { minute } from '../statistics/explain-numbers.ts';
import { MISMATCH_P } from '../statistics/sample-ratio.ts';
import { ABSENT_DIMENSION, INVALID_DIMENSION, OTHER_COHORT } from '../vocabulary/events.ts';
import { grouped } from '../vocabulary/grouped.ts';
import { percent, probability } from '../vocabulary/numbers.ts';
import type { ComparedEmpty, ComparedSplit, Comparison, EarlierRun } from './comparison.ts';

/** Variants whose share of empty lists differs from the control's, with the same certainty that a mismatch of the split requires. */
export function differingEmpty(empty: Readonly<Record<string, ComparedEmpty>>): readonly string[] {
  return Object.keys(empty).filter((name) => (empty[name].p ?? 1) < MISMATCH_P);
}

/** A sentence for each variant whose share of empty lists differs from the control's, and whether the primary measure shows it. */
export function emptyWords({
  emptyLists = {},
  control,
  primary,
}: Pick<Comparison, 'emptyLists' | 'control' | 'primary'>): readonly string[] {
  const measure = parseMeasure(primary, { relevantFrom: 1 });
  const what = isListOnly(measure)
    ? ''
    : countsEmptyLists(measure)
      ? `: they count 0 in ${primary}, so that is part of the difference`
      : `: ${primary} does not count them 0, so it compares the requests that found something, which are other ones in each variant`;
  return differingEmpty(emptyLists).map((name) => {
    const { share, p } = emptyLists[name];
    return `${percent(share)} of the lists of ${name} are empty, ${percent(emptyLists[control].share)} of those of ${control} (p ${probability(p ?? 1)})${what}.`;
  });
}

/** Whether the users are split between the variants as configured, as far as this many users can show. */
export type SplitState = 'off' | 'suspect' | 'untested' | 'few' | 'sound';

export const SPLIT_WORDS: Readonly<Record<SplitState, string>> = {
  off: 'not as configured',
  suspect: 'not quite as configured',
  untested: 'not tested',
  few: 'too few users to tell',
  sound: 'as configured',
};

/** If a split would have to be off by more than this to be detected, it is not called sound. */
const TELLING = 0.2;

export function splitState({ mismatch, warning, p, detectable }: ComparedSplit): SplitState {
  if (mismatch) return 'off';
  if (warning) return 'suspect';
  if (p === null) return 'untested';
  return detectable === null || detectable > TELLING ? 'few' : 'sound';
}

/** The deviation from which on the test would detect it, as half a sentence. */
export function detectableWords({ detectable }: ComparedSplit): string {
  return detectable === null
    ? 'with so few users none would be found'
    : `it would be found from ${percent(detectable)} on`;
}

/** Whether numbers of users mean anything: lists name some, or there are no lists yet. */
export function countsUsers({ users, impressions }: Pick<Comparison, 'users' | 'impressions'>): boolean {
  const names = Object.keys(users);
  return names.some((name) => users[name] > 0) || names.every((name) => impressions[name] === 0);
}

/** Whether any difference has an error. */
export function hasIntervals({ variants }: Pick<Comparison, 'variants'>): boolean {
  return variants.some(({ measures }) => measures.some(({ ci }) => ci !== null));
}

/** Sentences for readers about numbers and errors that are not what they seem. Empty: nothing is unusual. */
export function errorNotes({
  notes,
  carriedBy,
  primary,
  variants,
}: Pick<Comparison, 'notes' | 'carriedBy' | 'primary' | 'variants'>): string[] {
  const later = (variants[0]?.measures ?? []).filter(({ since }) => since !== undefined);
  const rests = Object.entries(carriedBy).map(
    ([name, buckets]) => `in ${name} it rests on about ${Math.round(buckets)}`,
  );
  return [
    ...later.map(({ measure, since }) => `${measure} was added later: it counts the lists that closed after ${since}.`),
    ...(notes.includes('unclustered') && hasIntervals({ variants })
      ? ['Errors take lists without a user for independent: they are too small where users come back.']
      : []),
    ...(rests.length === 0
      ? []
      : [
          `Few users with large amounts make most of the error of ${primary} (${rests.join(', ')} of 256 user buckets), so only large effects can be seen. Cap ${LARGE_AMOUNTS}`,
        ]),
  ];
}

/** Adds the earlier run. While nothing has closed since, the change of settings is the reason that there is nothing to compare. */
export function withEarlier(comparison: Comparison, earlier: EarlierRun): Comparison {
  const isEmpty = Object.values(comparison.impressions).every((lists) => lists === 0);
  const began = `The experiment began at zero when settings were changed, at ${minute(Date.parse(earlier.ended))}, and no list has closed in it since.`;
  const variants = comparison.variants.map((variant) =>
    isEmpty && variant.reason === 'no_data' ? { ...variant, explanation: began } : variant,
  );
  return { ...comparison, variants, earlier };
}

/** What that run had found, in words. */
export function earlierWords({ ended, impressions, variants }: EarlierRun): string {
  const found = variants.map(({ variant, explanation }) =>
    variants.length === 1 ? explanation : `${variant}: ${explanation}`,
  );
  return `Other settings ended the run before this one at ${minute(Date.parse(ended))}, with ${grouped(impressions)} lists. It had found: ${found.join(' ')}`;
}

/** Values of an experiment's dimension that name no variant. */
const NAMELESS: ReadonlyMap<string, string> = new Map([
  [ABSENT_DIMENSION, 'without a variant'],
  [INVALID_DIMENSION, 'with a name that is not allowed'],
  [OTHER_COHORT, 'with a variant that is not configured'],
]);

/** Impressions that do not take part, by variant: `D 1,500, without a variant 7`. Empty if there are none. */
export function otherVariants({ others }: Pick<Comparison, 'others'>): string {
  return Object.entries(others)
    .map(([name, n]) => `${NAMELESS.get(name) ?? name} ${grouped(n)}`)
    .join(', ');
}

/** A user with fewer lists is taken for a person. */
const LEAST_LISTS = 20;
/** Multiple of an average user's lists from which on a user may be a bot. */
const TIMES_AVERAGE = 10;

/**
 * Variants whose heaviest user may be a bot, with its share of their lists. A share alone means nothing if users are few: of ten equal
 * users, each has a tenth.
 */
export function likelyBots({
  heaviest,
  impressions,
  users,
}: Pick<Comparison, 'heaviest' | 'impressions' | 'users'>): readonly (readonly [string, number])[] {
  return Object.entries(heaviest).filter(([name, share]) => {
    const lists = share * impressions[name];
    const others = users[name] - 1;
    return (
      share >= HEAVY_SHARE &&
      lists >= LEAST_LISTS &&
      others > 0 &&
      lists >= TIMES_AVERAGE * ((impressions[name] - lists) / others)
    );
  });
}
