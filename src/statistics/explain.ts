/** Decisions in plain words: what is known, how certain it is, and what to do if nothing can be concluded. */
import { assertNever } from '../vocabulary/events.ts';
import { allYoung, type YoungLists, youngText } from '../vocabulary/young-lists.ts';
import { isCarriedByFew } from './arm.ts';
import {
  type Bounds,
  crossoverShare,
  DECISION_MINIMUM,
  type EffectFacts,
  type ExperimentDecision,
  type ExperimentFacts,
  type GuardedLoss,
  HEAVY_SHARE,
  MISSING_LIMIT,
  MOST_USERLESS,
  missingShare,
  type SplitFacts,
  type VariantFacts,
} from './decision.ts';
import { type Course, directionOf, explainCourse } from './explain-course.ts';
import { minute, percent, plain, probability, signedPercent, signedPlain } from './explain-numbers.ts';
import type { SplitChange, SplitSpan } from './sample-ratio.ts';

interface ExperimentNames {
  readonly variant: string;
  readonly control: string;
  /** The primary measure. */
  readonly measure: string;
  /** Whether this is the only variant that is compared with the control. Default: false. */
  readonly isOnly?: boolean;
  /** ISO time before which impressions do not take part. */
  readonly start?: string | undefined;
  /** Lists that are too young to count, by variant; undefined: none. */
  readonly young?:
    | {
        readonly horizon: string;
        readonly feedbackEnd: string | null;
        readonly lists: ReadonlyMap<string, YoungLists>;
      }
    | undefined;
  /** Whether the measure is no mean over lists, and so has no error. Default: false. */
  readonly isWithoutError?: boolean;
  /** When the effect existed, and how large it is now; undefined: not known. */
  readonly course?: Course | undefined;
}

const ALWAYS = 'this holds however often you look';

/**
 * What holds since the start, then the course of the effect (`explainCourse`).
 *
 * Example: `B is worse than A on ndcg@10 by 2.1 % to 4.0 %, over all lists since the start; this holds however often you look.`
 */
export function explainExperiment(decision: ExperimentDecision, names: ExperimentNames): string {
  const { course } = names;
  return `${sentences(decision, names)}${course === undefined ? '' : explainCourse(course)}`;
}

function sentences(decision: ExperimentDecision, names: ExperimentNames): string {
  const { facts, reason } = decision;
  const { variant, control, measure } = names;
  switch (reason) {
    case 'no_data':
      return noData(facts, names);
    case 'incomplete':
      return incomplete(facts, names);
    case 'srm':
      return splitOff(facts.split, names);
    case 'crossover':
      return `${percent(crossoverShare(facts))} of the users were seen in more than one variant, so the variants are not apart. Assign each user to one variant for good, then restart the experiment.`;
    case 'no_user_ids':
      return usersUnknown(facts, names);
    case 'few_users':
      return fewUsers(facts, names);
    case 'few_buckets':
      return `${fewest(facts, names, 'buckets', 'filled user bucket')}; ${DECISION_MINIMUM.buckets} are needed in each variant for an error that can be trusted. Wait for more users.`;
    case 'few_positives':
      return fewPositives(facts, names);
    case 'zero_variance':
      if (names.isWithoutError === true) {
        return `${measure} has no standard error, so nothing can be decided by it. Choose another primary measure.`;
      }
      return `${measure} is the same for all users of ${variant} or ${control}, so its error is unknown. Check that ${measure} fits the lists and the feedback, or choose another primary measure.`;
    case 'effect_changed':
      return `${variant} was worse than ${control} on ${measure} at one time and better at another, so the effect is not constant. Find out what changed, then restart the experiment.`;
    case 'guardrail_worse':
      return guardrailWorse(facts, names);
    case 'primary_worse':
      return found(facts, names, 'worse');
    case 'primary_better':
      return found(facts, names, 'better');
    case 'within_tolerance':
      return `${variant} is not worse than ${control} on ${measure} by more than ${percent(facts.tolerance)}: the difference over all lists since the start is between ${range(facts)}; ${ALWAYS}.`;
    case 'wide_interval':
      return (
        notAdjusted(facts, names) ??
        `The difference of ${variant} from ${control} on ${measure} over all lists since the start is between ${range(facts)}, which says neither that it is worse or better nor that a loss above ${percent(facts.tolerance)} is out of the question. ${waiting(facts)}`
      );
    default:
      return assertNever(reason);
  }
}

/** The finding and, if it is an improvement, what the guardrails allow. Says so if this look's interval contains 0 again. */
function found(facts: ExperimentFacts, names: ExperimentNames, word: 'better' | 'worse'): string {
  return `${foundWords(facts, names, word)}${word === 'better' ? guardrails(facts.guarded) : ''}`;
}

function foundWords(facts: ExperimentFacts, names: ExperimentNames, word: 'better' | 'worse'): string {
  const { effect, lowerIsBetter } = facts;
  return (
    clear(facts, names, word, names.measure, { effect, lowerIsBetter }) ??
    `${names.variant} was found ${word} than ${names.control} on ${names.measure} at an earlier look, which stays${since(effect)}.`
  );
}

/** A guardrail's test is one-sided, so its interval may contain 0. */
function guardrailWorse(facts: ExperimentFacts, names: ExperimentNames): string {
  if (facts.guardrail === undefined)
    return `${names.variant} is worse than ${names.control} on a guardrail; ${ALWAYS}.`;
  const { measure, p, effect } = facts.guardrail;
  const on = `the guardrail ${measure}`;
  return (
    clear(facts, names, 'worse', on, facts.guardrail) ??
    `${names.variant} was found worse than ${names.control} on ${on} (p ${probability(p)}), which stays${since(effect)}.${hardlyAny(facts, names)}`
  );
}

/** The finding with the sizes of this look; undefined: this look's interval does not show it. */
function clear(
  facts: ExperimentFacts,
  names: ExperimentNames,
  word: 'better' | 'worse',
  on: string,
  { effect, lowerIsBetter }: Pick<ExperimentFacts, 'effect' | 'lowerIsBetter'>,
): string | undefined {
  if (effect === undefined || !excludesZero(effect, directionOf(word, lowerIsBetter))) return undefined;
  const { course } = names;
  const is = course?.isOver !== true && course?.found?.episode?.ended === undefined ? 'is' : 'was';
  return `${names.variant} ${is} ${word} than ${names.control} on ${on} by ${sizes(effect)}, over all lists since the start; ${ALWAYS}.${hardlyAny(facts, names)}`;
}

function since(effect: EffectFacts | undefined): string {
  return effect === undefined ? '' : `; over all lists since the start the difference is between ${ends(effect)}`;
}

/** How much worse each guardrail may still be: `Guardrails: ctr is worse by 1.3 % at most, ...`. Empty if there are none. */
function guardrails(guarded: readonly GuardedLoss[]): string {
  if (guarded.length === 0) return '';
  const each = guarded.map(({ measure, most }) => {
    if (most === undefined) return `how much worse ${measure} may be is not known`;
    return most === 0 ? `${measure} is not worse` : `${measure} is worse by ${percent(most)} at most`;
  });
  return ` Guardrails: ${each.join(', ')}.`;
}

/** The remedy that follows `cap`, if few users with large amounts cause most of an error. */
export const LARGE_AMOUNTS = 'the amounts in the log, or decide by a count, such as hit(action=purchase).';

function waiting({ control, variant }: ExperimentFacts): string {
  const isCarried = ({ kish, spread, positives }: VariantFacts): boolean =>
    kish !== undefined && spread !== undefined && isCarriedByFew({ kish, spread }, positives);
  if (!isCarried(control) && !isCarried(variant)) return 'Wait for more users.';
  return `Few users with large amounts make most of the error, so waiting helps little: cap ${LARGE_AMOUNTS}`;
}

/** Explains a split that is off. Known causes precede possible ones. Lost user ids also change the split over time. */
function splitOff(split: SplitFacts | undefined, names: ExperimentNames): string {
  const { deviation = 0, p = 0, change, userless = new Map<string, number>() } = split ?? {};
  const known = idsLost(userless, deviation) || changed(change, names.variant);
  return `The users are not split between the variants as configured (off by ${percent(deviation)}, p ${probability(p)}), so the variants are not comparable.${known} Check the weights, whether they changed over time or one variant began later (then set start to when they became final; a ramp is sound if all variants grow alike, such as .5/.5 of a growing part of the users), the assignment, and lost impressions, lost user ids or bots in one variant, then restart the experiment.`;
}

function changed(change: SplitChange | undefined, variant: string): string {
  if (change === undefined) return '';
  const span = ({ share, from, to }: SplitSpan): string =>
    `${percent(share)} of the new users between ${minute(from)} and ${minute(to)}`;
  return ` The split changed over time: ${variant} got ${span(change.least)}, and ${span(change.most)}.`;
}

/** A variant whose lists name their users less often than another's loses users who come rarely. */
function idsLost(userless: ReadonlyMap<string, number>, deviation: number): string {
  const ordered = [...userless].sort(([, a], [, b]) => b - a);
  const extremes = [...ordered.slice(0, 1), ...ordered.slice(-1)];
  const [most = 0, least = 0] = extremes.map(([, share]) => share);
  if (most - least < Math.max(IDS_LOST, deviation / 4)) return '';
  return ` ${userlessWords(extremes)} name no user: who is never named is not counted, which may be the cause.`;
}

/** A smaller difference between shares of lists without a user does not move a split. */
const IDS_LOST = 0.01;

/** The shares as words: `33.0 % of the lists of B and 2.0 % of A`. */
export function userlessWords(shares: readonly (readonly [name: string, share: number])[]): string {
  return shares
    .map(([name, share], i) => `${percent(share)} of ${i === 0 ? 'the lists of ' : ''}${name}`)
    .join(' and ');
}

function usersUnknown({ control, variant }: ExperimentFacts, names: ExperimentNames): string {
  const shares = userlessWords([
    [names.variant, variant.userless / variant.impressions],
    [names.control, control.userless / control.impressions],
  ]);
  return `${shares} name no user. Above ${percent(MOST_USERLESS)} nothing is decided, because lists of one user are alike, and errors that do not know the users are too small. Log userId in the impressions of all variants; more traffic does not help.`;
}

/**
 * Explains why an interval excludes 0 and yet nothing is decided. An interval is for one variant, the decision for all: with several
 * variants, the adjusted p may still be above alpha. With a single variant this occurs between two looks. undefined: the interval does
 * not exclude 0.
 */
function notAdjusted(facts: ExperimentFacts, names: ExperimentNames): string | undefined {
  const { variant, control, measure } = names;
  const { effect, lowerIsBetter, alpha, pWorse, pBetter } = facts;
  const side = ([1, -1] as const).find((direction) => effect !== undefined && excludesZero(effect, direction));
  if (effect === undefined || side === undefined) return undefined;
  const word = (side === 1) === lowerIsBetter ? 'worse' : 'better';
  const p = (word === 'worse' ? pWorse : pBetter) ?? 1;
  if (names.isOnly === true) {
    return `As of now, ${variant} would be ${word} than ${control} on ${measure} by ${sizes(effect)}. The next look decides; there is one a minute.`;
  }
  return `Alone, ${variant} would be ${word} than ${control} on ${measure} by ${sizes(effect)}, but several variants are compared: adjusted for their number p is ${probability(p)}, above ${alpha}. Wait for more users.`;
}

function range({ effect }: ExperimentFacts): string {
  return effect === undefined ? 'unknown bounds' : ends(effect);
}

function incomplete(facts: ExperimentFacts, names: ExperimentNames): string {
  const { unstored } = facts;
  if (unstored > 0)
    return `Nothing is stored of ${unstored} of the partitions, so their lists are in no number. If no worker has just begun to read them, Redis has lost their state: restore it from a backup, or stop all workers and start one once with --rebuild.`;
  if (facts.looksLost)
    return 'Redis has lost what earlier looks found, so nothing that holds however often you look can be said of this run. Restore Redis from a backup, or begin a new run with another start.';
  const share = missingShare(facts);
  const why =
    share > MISSING_LIMIT
      ? `more than ${percent(MISSING_LIMIT)}, so the numbers may be wrong`
      : `and if they were feedback on one of ${names.variant} and ${names.control}, there may be no difference`;
  return `${percent(share)} of the records are missing, ${why}. Restore the missing records and replay, or restart the experiment after the gap.`;
}

function noData(facts: ExperimentFacts, names: ExperimentNames): string {
  return tooYoung(facts, names) ?? noImpressions(facts, names);
}

/** undefined: no list is too young. A variant without impressions has none either. */
function tooYoung({ control, variant }: ExperimentFacts, names: ExperimentNames): string | undefined {
  const { young } = names;
  const empty = [
    ...(control.impressions > 0 ? [] : [names.control]),
    ...(variant.impressions > 0 ? [] : [names.variant]),
  ];
  const known = empty.flatMap((name) => young?.lists.get(name) ?? []);
  const all = allYoung(known);
  if (young === undefined || all === undefined || known.length < empty.length) return undefined;
  return youngText(all, young.horizon, young.feedbackEnd, ` of ${empty.join(' and ')}`);
}

function noImpressions(facts: ExperimentFacts, names: ExperimentNames): string {
  const [since, start] =
    names.start === undefined ? ['yet', ''] : [`since the start, ${names.start}`, 'the start, and '];
  return `${empty(facts, names)} no impressions ${since}, so there is nothing to compare. Check ${start}that impressions name their variant and that it is spelled as in the configuration.`;
}

function empty({ control, variant }: ExperimentFacts, names: ExperimentNames): string {
  if (control.impressions > 0) return `${names.variant} has`;
  return variant.impressions > 0 ? `${names.control} has` : `${names.control} and ${names.variant} have`;
}

/** There are too few users, or most of the lists come from one of them. */
function fewUsers(facts: ExperimentFacts, names: ExperimentNames): string {
  const { control, variant } = facts;
  if (!(Math.min(control.users, variant.users) >= DECISION_MINIMUM.users)) {
    return `${fewest(facts, names, 'users', 'user')}; ${DECISION_MINIMUM.users} are needed in each variant. Wait for more traffic.`;
  }
  const isControl = (control.kish ?? Infinity) <= (variant.kish ?? Infinity);
  const [name, { kish = 0, heaviest }] = isControl ? [names.control, control] : [names.variant, variant];
  const weight = `${name} weighs as only ${Math.floor(kish)} equal user buckets; ${DECISION_MINIMUM.kish} are needed in each variant for an error that can be trusted`;
  if (heaviest < HEAVY_SHARE) {
    return `The lists of ${name} are spread so unevenly over its users that ${weight}. Wait for more users.`;
  }
  return `About ${percent(heaviest)} of the lists of ${name} come from one user, or from few that share its bucket, so that ${weight}. Find out whether it is a bot, leave it out with drop (docs/events.md), and restart the experiment.`;
}

function fewPositives(facts: ExperimentFacts, names: ExperimentNames): string {
  const { control, variant } = facts;
  const least = DECISION_MINIMUM.positives;
  if (Math.max(control.positives, variant.positives) >= least) {
    const [few, many] =
      control.positives < variant.positives ? [names.control, names.variant] : [names.variant, names.control];
    return `${names.measure} has no value in ${few}, because it counts lists with a positive alone: ${fewest(facts, names, 'positives', 'list')}, ${many} has ${Math.max(control.positives, variant.positives)}. Check the feedback of ${few}, or take a primary measure that counts all lists.`;
  }
  return `${names.control} has ${control.positives} and ${names.variant} ${variant.positives} lists with a positive; ${least} are needed in one of them. A positive has feedback with a grade of at least relevantFrom. Wait for more feedback; if no more positives come, check the feedback and the grades of its actions.`;
}

/** Points out that feedback may be broken if one of the two has next to no positives. */
function hardlyAny(facts: ExperimentFacts, names: ExperimentNames): string {
  if (!facts.needsPositives) return '';
  const few = Math.min(facts.control.positives, facts.variant.positives) < DECISION_MINIMUM.positives;
  const has = fewest(facts, names, 'positives', 'list');
  return few ? ` ${has}: if its ranking is not broken, its feedback is.` : '';
}

/** The shortage of the variant that has fewer: `B has only 12 users`, `B has only 1 user`. */
function fewest(
  facts: ExperimentFacts,
  names: ExperimentNames,
  count: 'users' | 'buckets' | 'positives',
  one: string,
): string {
  const least = facts.control[count] <= facts.variant[count];
  const has = least ? facts.control[count] : facts.variant[count];
  const what = `${one}${has === 1 ? '' : 's'}${count === 'positives' ? ' with a positive' : ''}`;
  return `${least ? names.control : names.variant} has ${has === 0 ? 'no' : `only ${has}`} ${what}`;
}

/** How far apart two variants are, without direction: `2.1 % to 4.0 %`. In the measure's unit if the lift has no bounds. */
function sizes({ lift, lower, upper }: EffectFacts): string {
  const [from, to, print] = lift === undefined ? [lower, upper, plain] : [lift.lower, lift.upper, percent];
  const [least, most] = [Math.abs(from), Math.abs(to)].sort((a, b) => a - b);
  return `${print(least)} to ${print(most)}`;
}

/** Where the difference lies: `-1.3 % and +1.2 %`. In the measure's unit if the lift has no bounds. */
function ends(effect: EffectFacts): string {
  const { lift, lower, upper } = effect;
  if (lift !== undefined) return `${signedPercent(lift.lower)} and ${signedPercent(lift.upper)}`;
  return `${signedPlain(lower)} and ${signedPlain(upper)}`;
}

/** Whether 0 lies outside the bounds, so that they show an effect in `direction`. */
function excludesZero({ lower, upper }: Bounds, direction: 1 | -1): boolean {
  return direction === 1 ? lower > 0 : upper < 0;
}
