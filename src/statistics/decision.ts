/**
 * The decision about one variant of an experiment against its control (specification: statistics 9).
 *
 * 1. The rows below are tried in order; the first that holds gives the label and the reason.
 * 2. Within a run a finding stays, because everything it rests on was observed. Only these transitions are possible:
 *
 *     from                    to
 *     insufficient, healthy   any
 *     improved                regressed (guardrail_worse), invalid, insufficient (no_user_ids)
 *     regressed               invalid, insufficient (no_user_ids)
 *     invalid                 what the rows give once its cause is gone; effect_changed stays for good
 *
 * 3. A finding whose opposite is found later is withdrawn: the effect is not constant, `effect_changed`.
 * 4. A look that is unsound (`unsoundness`) withdraws what was found before, and leaves nothing: the run goes on as if nobody had looked
 * yet.
 */
import { assertNever, type EpochMs } from '../vocabulary/events.ts';
import { type Exposure, isCrossed } from './exposure.ts';
import { isMismatch, type SplitChange } from './sample-ratio.ts';

/** What a run keeps from look to look. */
export type StandingDecision = ExperimentVerdict & {
  /** Event time of the look since which the label has held, with any reason. */
  readonly since: EpochMs;
};

export type ExperimentDecision = StandingDecision & {
  /** The numbers of this look. A finding that stays may rest on those of an earlier look. */
  readonly facts: ExperimentFacts;
};

interface Row {
  readonly verdict: ExperimentVerdict;
  readonly holds: (facts: ExperimentFacts) => boolean;
}

const EFFECT_CHANGED: ExperimentVerdict = { label: 'invalid', reason: 'effect_changed' };

/** One of the two variants that are compared, since the start of the run. */
export interface VariantFacts {
  readonly impressions: number;
  /** Number of impressions without a user. */
  readonly userless: number;
  /** Number of distinct users. */
  readonly users: number;
  /** Number of user buckets that are not empty. */
  readonly buckets: number;
  /** Number of lists with a positive. */
  readonly positives: number;
  /** How many equal buckets the lists amount to, for the measure that is decided (`arm.ts`); undefined: it has no value. */
  readonly kish: number | undefined;
  /** Approximate share of the lists, 0 to 1, that come from the heaviest user. */
  readonly heaviest: number;
  /** How many user buckets the error rests on, for the measure that is decided (`arm.ts`); undefined: it has no value. */
  readonly spread: number | undefined;
}

/** A guardrail, and the most by which it can be worse than the control at this look (specification: statistics 4.2). */
export interface GuardedLoss {
  readonly measure: string;
  /** A fraction of the control's mean, from 0 on; undefined: not known. */
  readonly most: number | undefined;
}

/** The users' split between the variants, and what may explain that it is off. */
export interface SplitFacts {
  /** The running sequential p, and the largest |O-E|/E of this look. */
  readonly p: number;
  readonly deviation: number;
  /** How the variant's share of the new users has changed; undefined: no change was found. */
  readonly change?: SplitChange | undefined;
  /** Share of the lists without a user, 0 to 1, by name of the variant. */
  readonly userless?: ReadonlyMap<string, number>;
}

export interface Bounds {
  readonly lower: number;
  readonly upper: number;
}

/** The primary measure, variant minus control, with the confidence sequence of this look (specification: statistics 4.1). */
export interface EffectFacts extends Bounds {
  readonly difference: number;
  readonly stderr: number;
  /** The same bounds as a fraction of the control's mean; undefined: absent. */
  readonly lift: Bounds | undefined;
}

export interface GuardrailFacts {
  readonly measure: string;
  /** One-sided, adjusted over guardrails and variants. */
  readonly p: number;
  readonly lowerIsBetter: boolean;
  /** undefined: its standard error is absent. */
  readonly effect: EffectFacts | undefined;
}

/** What a decision is made from, all at one look. Numbers are finite; what is absent is undefined. */
export interface ExperimentFacts {
  /** Event time of the look. */
  readonly at: EpochMs;
  readonly alpha: number;
  /** The loss that is still healthy, as a fraction of the control's mean. */
  readonly tolerance: number;
  /** Whether lower values of the primary measure are better. */
  readonly lowerIsBetter: boolean;
  /** Whether feedback affects the measure; a measure of the list alone has an error without any positive. */
  readonly needsPositives: boolean;
  readonly control: VariantFacts;
  readonly variant: VariantFacts;
  /** Impressions of all variants of the experiment together. */
  readonly impressions: number;
  /** Number of records that were lost to gaps and rebuilt spans. */
  readonly missing: number;
  /** Whether what earlier looks found is lost. */
  readonly looksLost: boolean;
  /** Number of partitions of which nothing is stored. */
  readonly unstored: number;
  /**
   * Whether the effect could be explained by missing records: it would not stand if all of them were feedback on whichever of the two has
   * less of it.
   */
  readonly isExplained: boolean;
  /** undefined: the split is not tested. */
  readonly split: SplitFacts | undefined;
  /** Users seen in more than one variant, and all users, both in the user sample. */
  readonly exposure: Pick<Exposure, 'crossovers' | 'sampled'>;
  readonly controlMean: number | undefined;
  /** undefined: its standard error is absent. */
  readonly effect: EffectFacts | undefined;
  /** Running p in each direction, adjusted over the variants; undefined: there was no look yet. */
  readonly pWorse: number | undefined;
  readonly pBetter: number | undefined;
  /** The guardrail with the smallest one-sided, adjusted p; undefined: there is none. */
  readonly guardrail: GuardrailFacts | undefined;
  /** All guardrails, in the order of the configuration. */
  readonly guarded: readonly GuardedLoss[];
}

/**
 * What both variants must have before anything is concluded about a run. Positives are required of only one of the two, because a variant
 * that has none while the other has many must be found; and of neither if the measure is of the list alone.
 */
export const DECISION_MINIMUM = { users: 100, buckets: 30, kish: 30, positives: 25 } as const;

const MINIMA = ['few_users', 'few_buckets', 'few_positives'] as const;
type Minimum = (typeof MINIMA)[number];

/** The facts that decide whether a look is sound. */
export type SoundFacts = Pick<
  ExperimentFacts,
  'impressions' | 'missing' | 'looksLost' | 'unstored' | 'isExplained' | 'split' | 'exposure'
> &
  Readonly<Record<'control' | 'variant', Pick<VariantFacts, 'impressions' | 'userless'>>>;

/**
 * Why a look is unsound, in the order of the rows. What it shows is no evidence, and what was found before may not have been either,
 * since the cause is often older than its discovery.
 */
const UNSOUND = {
  incomplete: isIncomplete,
  srm: isSplitOff,
  crossover: ({ exposure }) => isCrossed(exposure),
  no_user_ids: ({ control, variant }) => isUnclustered(control) || isUnclustered(variant),
} as const satisfies Readonly<Record<string, (facts: SoundFacts) => boolean>>;
type Unsound = keyof typeof UNSOUND;

/**
 * The closed lists of what can be concluded about an experiment's variant and about a watched cohort (specification: statistics 9.1,
 * 10.4).
 */
export const LABELS = ['insufficient', 'healthy', 'regressed', 'improved', 'invalid'] as const;

export type Label = (typeof LABELS)[number];

/** Reasons for an experiment's variant compared with the control, by label. */
export const EXPERIMENT_REASONS = {
  insufficient: [
    'no_data',
    'no_user_ids',
    'few_users',
    'few_buckets',
    'few_positives',
    'zero_variance',
    'wide_interval',
  ],
  healthy: ['within_tolerance'],
  regressed: ['guardrail_worse', 'primary_worse'],
  improved: ['primary_better'],
  invalid: ['incomplete', 'srm', 'crossover', 'effect_changed'],
} as const;

/** Reasons for a cohort compared with its own past, by label. */
export const WATCHED_REASONS = {
  insufficient: ['warming_up', 'few_impressions', 'no_baseline'],
  healthy: ['in_control', 'recovered'],
  // In both lists, the second reason is for measures where lower is better.
  regressed: ['below_baseline', 'above_baseline'],
  improved: ['above_baseline', 'below_baseline'],
  invalid: ['incomplete'],
} as const;

/** A label with one of its reasons. The type admits no other pairs. */
type Pair<Reasons extends Readonly<Record<Label, readonly string[]>>> = {
  [L in Label]: { readonly label: L; readonly reason: Reasons[L][number] };
}[Label];

export type ExperimentVerdict = Pair<typeof EXPERIMENT_REASONS>;

export type WatchedVerdict = Pair<typeof WATCHED_REASONS>;

/** A user with at least this share of the lists is reported. */
export const HEAVY_SHARE = 0.05;

/** A larger share of missing records makes an experiment invalid. */
export const MISSING_LIMIT = 0.01;

/** A larger share of lists without a user is reported. */
export const NOTED_USERLESS = 0.05;

/** If a larger share of a variant's lists has no user, nothing is decided. */
export const MOST_USERLESS = 0.25;

const ROWS: readonly Row[] = [
  { verdict: { label: 'invalid', reason: 'incomplete' }, holds: UNSOUND.incomplete },
  // Precedes `no_data`: a variant that gets no users although its weight promises some is not merely waiting for its first.
  { verdict: { label: 'invalid', reason: 'srm' }, holds: UNSOUND.srm },
  { verdict: { label: 'insufficient', reason: 'no_data' }, holds: hasNone },
  { verdict: { label: 'invalid', reason: 'crossover' }, holds: UNSOUND.crossover },
  // Precedes `few_users`, because more traffic does not help.
  { verdict: { label: 'insufficient', reason: 'no_user_ids' }, holds: UNSOUND.no_user_ids },
  ...MINIMA.map((reason) => ({
    verdict: { label: 'insufficient', reason } as const,
    holds: (facts: ExperimentFacts) => shortfall(facts) === reason,
  })),
  { verdict: { label: 'insufficient', reason: 'zero_variance' }, holds: (facts) => facts.effect === undefined },
  {
    verdict: EFFECT_CHANGED,
    holds: ({ pWorse, pBetter, alpha }) => isFound(pWorse, alpha) && isFound(pBetter, alpha),
  },
  {
    verdict: { label: 'regressed', reason: 'guardrail_worse' },
    holds: ({ guardrail, alpha }) => isFound(guardrail?.p, alpha),
  },
  { verdict: { label: 'regressed', reason: 'primary_worse' }, holds: ({ pWorse, alpha }) => isFound(pWorse, alpha) },
  { verdict: { label: 'improved', reason: 'primary_better' }, holds: ({ pBetter, alpha }) => isFound(pBetter, alpha) },
  { verdict: { label: 'healthy', reason: 'within_tolerance' }, holds: isWithinTolerance },
];
const OTHERWISE: ExperimentVerdict = { label: 'insufficient', reason: 'wide_interval' };

/**
 * The decision at this look. Every combination of facts gives one label with one of its reasons.
 * @param previous that of the same run, at the look before; undefined: the first look of a run
 */
export function decide(facts: ExperimentFacts, previous: StandingDecision | undefined): ExperimentDecision {
  const found = ROWS.find(({ holds }) => holds(facts))?.verdict ?? OTHERWISE;
  const verdict = previous === undefined ? found : stepFrom(previous, found);
  const since = previous !== undefined && previous.label === verdict.label ? previous.since : facts.at;
  return { ...verdict, since, facts };
}

function stepFrom(previous: ExperimentVerdict, found: ExperimentVerdict): ExperimentVerdict {
  if (previous.reason !== 'effect_changed' && isUnsound(found.reason)) return found;
  switch (previous.label) {
    case 'insufficient':
    case 'healthy':
      return found;
    case 'improved':
      if (found.label === 'invalid' || found.reason === 'guardrail_worse') return found;
      return found.reason === 'primary_worse' ? EFFECT_CHANGED : previous;
    case 'regressed':
      if (found.label === 'invalid' || found.label === 'regressed') return found;
      return found.label === 'improved' && previous.reason === 'primary_worse' ? EFFECT_CHANGED : previous;
    case 'invalid':
      return previous.reason === 'effect_changed' ? previous : found;
    default:
      return assertNever(previous);
  }
}

function hasNone({ control, variant }: ExperimentFacts): boolean {
  return !(control.impressions >= 1 && variant.impressions >= 1);
}

/** If nothing has been counted yet, nothing can be missing. */
function isIncomplete(facts: SoundFacts): boolean {
  const { impressions, looksLost, unstored, isExplained } = facts;
  return impressions > 0 && (looksLost || unstored > 0 || missingShare(facts) > MISSING_LIMIT || isExplained);
}

function isSplitOff({ split }: Pick<ExperimentFacts, 'split'>): boolean {
  return split !== undefined && isMismatch(split.p, split.deviation);
}

/** Whether too many of the lists name no user for errors by user to be trusted. */
export function isUnclustered({ impressions, userless }: Pick<VariantFacts, 'impressions' | 'userless'>): boolean {
  return userless > MOST_USERLESS * impressions;
}

function isUnsound(reason: string): reason is Unsound {
  return Object.hasOwn(UNSOUND, reason);
}

/** Why the look is no evidence; undefined: it is sound (specification: statistics 4.3). */
export function unsoundness(facts: SoundFacts): Unsound | undefined {
  return Object.keys(UNSOUND)
    .filter(isUnsound)
    .find((reason) => UNSOUND[reason](facts));
}

function isFound(p: number | undefined, alpha: number): boolean {
  return p !== undefined && p <= alpha;
}

/**
 * Whether the effect stays within the tolerance. The tolerance is a share of the control's mean, which is itself estimated; the bounds of
 * the lift allow for that. Without them (the control may be 0), the bounds of the difference are used, which are wider.
 */
function isWithinTolerance({ effect, controlMean, tolerance, lowerIsBetter }: ExperimentFacts): boolean {
  if (effect === undefined || controlMean === undefined) return false;
  const worst = ({ lower, upper }: Bounds): number => (lowerIsBetter ? -upper : lower);
  if (effect.lift !== undefined) return worst(effect.lift) >= -tolerance;
  return worst(effect) >= -tolerance * Math.abs(controlMean);
}

/** The facts by which the minima of a look are checked. */
export type LookFacts = Pick<ExperimentFacts, 'control' | 'variant' | 'needsPositives'>;

/** The first minimum that is not met; undefined: the look counts (specification: statistics 9.1). */
export function shortfall({ control, variant, needsPositives }: LookFacts): Minimum | undefined {
  const { users, buckets, kish, positives } = DECISION_MINIMUM;
  if (!(Math.min(control.users, variant.users) >= users)) return 'few_users';
  if (!(Math.min(control.buckets, variant.buckets) >= buckets)) return 'few_buckets';
  if ([control, variant].some((side) => side.kish !== undefined && !(side.kish >= kish))) return 'few_users';
  if (!needsPositives) return undefined;
  // Where lists without positives do not count (`empty=skip`), a variant without positives has no value to compare.
  const hasNoValue = [control, variant].some((side) => side.kish === undefined && !(side.positives >= positives));
  if (hasNoValue || !(Math.max(control.positives, variant.positives) >= positives)) return 'few_positives';
  return undefined;
}

/** Share of the records that is missing, 0 to 1. */
export function missingShare({ missing, impressions }: Pick<ExperimentFacts, 'missing' | 'impressions'>): number {
  return missing > 0 ? missing / (missing + impressions) : 0;
}

/** Share of the sampled users that were seen in more than one variant, 0 to 1. */
export function crossoverShare({ exposure }: Pick<ExperimentFacts, 'exposure'>): number {
  return exposure.sampled > 0 ? exposure.crossovers / exposure.sampled : 0;
}
