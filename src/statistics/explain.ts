/** Decisions in plain words: what is known, how sure it is, and what to do where nothing can be said. */
import { assertNever } from '../vocabulary/events.ts';
import type { BaselineKind } from './baseline.ts';
import {
  type Bounds,
  crossoverShare,
  DECISION_MINIMUM,
  type EffectFacts,
  type ExperimentDecision,
  type ExperimentFacts,
  HEAVY_SHARE,
  MISSING_LIMIT,
  missingShare,
} from './decision.ts';
import type { WatchedDecision } from './watched.ts';
import { BLOCK_MINIMUM } from './watched-blocks.ts';
import type { Alarm } from './watched-path.ts';

interface ExperimentNames {
  readonly variant: string;
  readonly control: string;
  /** The primary measure. */
  readonly measure: string;
  /** Many impressions have no user: waiting for more fixes nothing. Default: false. */
  readonly areUsersMissing?: boolean;
  /** ISO time before which impressions take no part. */
  readonly start?: string | undefined;
  /** The measure is no mean over lists. Default: false. */
  readonly isWithoutError?: boolean;
}

const ALWAYS = 'this holds however often you look';

/** One or two sentences. Example: `B is worse than A on ndcg@10 by 2.1 % to 4.0 %; this holds however often you look.` */
export function explainExperiment(decision: ExperimentDecision, names: ExperimentNames): string {
  const words = sentences(decision, names);
  return names.areUsersMissing === true ? words.replace(/Wait for more (?:traffic|users)\.$/, LOG_USERS) : words;
}

const LOG_USERS = 'Log userId in the impressions: without it users cannot be distinguished.';

function sentences(decision: ExperimentDecision, names: ExperimentNames): string {
  const { facts, reason } = decision;
  const { variant, control, measure } = names;
  switch (reason) {
    case 'no_data':
      return noData(facts, names);
    case 'incomplete':
      return `${percent(missingShare(facts))} of the records are missing, more than ${percent(MISSING_LIMIT)}, so the numbers may be wrong. Restore the missing records and replay, or restart the experiment after the gap.`;
    case 'srm':
      return `The users are not split between the variants as configured (off by ${percent(facts.split?.deviation ?? 0)}, p ${probability(facts.split?.p ?? 0)}), so the variants are not comparable. Check the weights, the assignment, whether one of them began later (then set start), and lost impressions or bots in one variant, then restart the experiment.`;
    case 'crossover':
      return `${percent(crossoverShare(facts))} of the users were seen in more than one variant, so the variants are not apart. Assign each user to one variant for good, then restart the experiment.`;
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
      return `${variant} is worse than ${control} on the guardrail ${facts.guardrail?.measure ?? ''} (p ${probability(facts.guardrail?.p ?? 0)}); ${ALWAYS}.${hardlyAny(facts, names)}`;
    case 'primary_worse':
      return found(facts, names, 'worse');
    case 'primary_better':
      return found(facts, names, 'better');
    case 'within_tolerance':
      return `${variant} is not worse than ${control} on ${measure} by more than ${percent(facts.tolerance)}: the difference is between ${range(facts)}; ${ALWAYS}.`;
    case 'wide_interval':
      return (
        notAdjusted(facts, names) ??
        `The difference of ${variant} from ${control} on ${measure} is between ${range(facts)}, which says neither that it is worse or better nor that a loss above ${percent(facts.tolerance)} is out of the question. Wait for more users.`
      );
    default:
      return assertNever(reason);
  }
}

/** The finding; where this look's interval contains 0 again, it says so. */
function found(facts: ExperimentFacts, names: ExperimentNames, word: 'better' | 'worse'): string {
  const { effect, lowerIsBetter } = facts;
  const { variant, control, measure } = names;
  if (effect === undefined) return `${variant} was found ${word} than ${control} on ${measure}; ${ALWAYS}.`;
  if (excludesZero(effect, (word === 'better') === lowerIsBetter ? -1 : 1)) {
    return `${variant} is ${word} than ${control} on ${measure} by ${sizes(effect)}; ${ALWAYS}.${hardlyAny(facts, names)}`;
  }
  return `${variant} was found ${word} than ${control} on ${measure} at an earlier look, which stays; the difference is now between ${ends(effect)}.`;
}

/**
 * An interval is for one variant, the decision for all: with several, an interval may exclude 0 while the adjusted p is above
 * alpha. undefined: it does not exclude 0.
 */
function notAdjusted(facts: ExperimentFacts, { variant, control, measure }: ExperimentNames): string | undefined {
  const { effect, lowerIsBetter, alpha, pWorse, pBetter } = facts;
  const side = ([1, -1] as const).find((direction) => effect !== undefined && excludesZero(effect, direction));
  if (effect === undefined || side === undefined) return undefined;
  const word = (side === 1) === lowerIsBetter ? 'worse' : 'better';
  const p = (word === 'worse' ? pWorse : pBetter) ?? 1;
  return `Alone, ${variant} would be ${word} than ${control} on ${measure} by ${sizes(effect)}, but several variants are compared: adjusted for their number p is ${probability(p)}, above ${alpha}. Wait for more users.`;
}

function range({ effect }: ExperimentFacts): string {
  return effect === undefined ? 'unknown bounds' : ends(effect);
}

function noData(facts: ExperimentFacts, names: ExperimentNames): string {
  const [since, start] =
    names.start === undefined ? ['yet', ''] : [`since the start, ${names.start}`, 'the start, and '];
  return `${empty(facts, names)} no impressions ${since}, so there is nothing to compare. Check ${start}that impressions name their variant and that it is spelled as in the configuration.`;
}

function empty({ control, variant }: ExperimentFacts, names: ExperimentNames): string {
  if (control.impressions > 0) return `${names.variant} has`;
  return variant.impressions > 0 ? `${names.control} has` : `${names.control} and ${names.variant} have`;
}

/** There are too few, or most of the lists come from one of them. */
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
  return `About ${percent(heaviest)} of the lists of ${name} come from one user, or from few that share its bucket, so that ${weight}. Find out whether it is a bot, and leave it out of the impressions, then restart the experiment.`;
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

/** If one of the two has next to no positives, the feedback may be broken. */
function hardlyAny(facts: ExperimentFacts, names: ExperimentNames): string {
  if (!facts.needsPositives) return '';
  const few = Math.min(facts.control.positives, facts.variant.positives) < DECISION_MINIMUM.positives;
  const has = fewest(facts, names, 'positives', 'list');
  return few ? ` ${has}: if its ranking is not broken, its feedback is.` : '';
}

/** `B has only 12 users`, `B has only 1 user`: of the variant that has fewer. */
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

/** `2.1 %` for .021: one digit after the point, and below .1 % one significant digit. */
export function percent(fraction: number): string {
  const value = Math.abs(fraction) * 100;
  if (!Number.isFinite(value)) return 'an unknown part';
  if (value >= 1e6) return `${value.toExponential(1)} %`;
  if (value >= 0.05 || value === 0) return `${value.toFixed(1)} %`;
  return `${decimal(value, 1)} %`;
}

/** The same with its sign: `-2.1 %`, `+0.3 %`. */
export function signedPercent(fraction: number): string {
  return `${sign(fraction)}${percent(fraction)}`;
}

/** `below 0.001`, or `0.012`. */
export function probability(p: number): string {
  return p < 0.001 ? 'below 0.001' : p.toFixed(3);
}

/** How far apart two variants are, without direction: `2.1 % to 4.0 %`; without bounds of the lift in the measure's unit. */
function sizes({ lift, lower, upper }: EffectFacts): string {
  const [from, to, print] = lift === undefined ? [lower, upper, plain] : [lift.lower, lift.upper, percent];
  const [least, most] = [Math.abs(from), Math.abs(to)].sort((a, b) => a - b);
  return `${print(least)} to ${print(most)}`;
}

/** Where the difference lies: `-1.3 % and +1.2 %`; without bounds of the lift in the measure's unit. */
function ends(effect: EffectFacts): string {
  const { lift, lower, upper } = effect;
  if (lift !== undefined) return `${signedPercent(lift.lower)} and ${signedPercent(lift.upper)}`;
  return `${sign(lower)}${plain(lower)} and ${sign(upper)}${plain(upper)}`;
}

/** Whether 0 lies outside, on the side of `direction`. */
function excludesZero({ lower, upper }: Bounds, direction: 1 | -1): boolean {
  return direction === 1 ? lower > 0 : upper < 0;
}

function sign(value: number): string {
  return value < 0 ? '-' : '+';
}

/** Three significant digits, without sign. */
function plain(value: number): string {
  return Number.isFinite(value) ? decimal(Math.abs(value), 3) : 'an unknown amount';
}

function decimal(value: number, digits: number): string {
  return value >= 1e-6 && value < 1e6
    ? String(Number(value.toPrecision(digits)))
    : value === 0
      ? '0'
      : value.toExponential(digits - 1);
}

interface WatchedNames {
  /** Such as `country=DE`, or `all traffic`. */
  readonly cohort: string;
  readonly measure: string;
}

const PAST: Readonly<Record<BaselineKind, string>> = {
  weekly: 'in this hour of the last weeks',
  daily: 'in this hour of the last days',
  startup: 'in the hours before',
};

/** One or two sentences. Example: `ndcg@10 of country=DE has fallen by 4.2 % against what it was in this hour of the last weeks.` */
export function explainWatched(decision: WatchedDecision, { cohort, measure }: WatchedNames): string {
  const { newest, settings, label, reason } = decision;
  const advice =
    label === 'regressed'
      ? ' Look at what was released or changed when it began. If it is meant to be so, receval accept makes it the norm.'
      : '';
  const past = newest?.baseline === undefined ? 'before' : PAST[newest.baseline.kind];
  switch (reason) {
    case 'warming_up':
      return `${measure} of ${cohort} is not judged yet: the past is still being collected or replayed. Wait; it takes 36 steps (detect.step).`;
    case 'incomplete':
      return `The newest values of ${measure} of ${cohort} are incomplete: records are missing, or quiet partitions were closed before all feedback had come. Look for gaps in the topics, and for partitions that nobody writes to.`;
    case 'few_impressions':
      return `${cohort} has ${newest?.block.impressions ?? 0} impressions and ${newest?.block.positives ?? 0} lists with a positive in an hour; ${measure} is judged from ${BLOCK_MINIMUM.impressions} and ${BLOCK_MINIMUM.positives} on. If there should be more, check the traffic and the feedback topic; else watch a larger cohort.`;
    case 'no_baseline':
      return `There is no past to compare ${measure} of ${cohort} with at this hour. Wait: two weeks, three days, or 36 blocks without gaps are enough.`;
    case 'below_baseline':
      return `${measure} of ${cohort} has fallen by ${change(newest?.low)} against what it was ${past}.${advice}`;
    case 'above_baseline':
      return `${measure} of ${cohort} has risen by ${change(newest?.high)} against what it was ${past}.${advice}`;
    case 'in_control':
      return `${measure} of ${cohort} is as it was ${past}; no fall or rise beyond ${percent(settings.tolerance)} stands out.`;
    default:
      return assertNever(reason);
  }
}

function change(alarm: Alarm | undefined): string {
  return alarm?.size === undefined ? 'an amount without a scale (the past was 0)' : percent(alarm.size);
}
