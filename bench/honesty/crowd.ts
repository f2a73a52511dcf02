import { Random } from '../../src/simulate/random.ts';
import { beta } from '../../test/statistics/draws.ts';
import { variantAt } from './world.ts';

/**
 * Crowds as they hurt: a few users with most of the lists, bots, several ids with one taste, good and bad days, unequal and
 * changing variants. It shares nothing with the simulated shop. All that is random is drawn from the seed.
 */
export interface CrowdSettings {
  readonly users: number;
  /** Looks are an hour apart. */
  readonly hours: number;
  /** Of the variants, the control first; they sum to 1. */
  readonly weights: readonly number[];
  /** Lists of a user: Pareto with this exponent, from 1 on; `one`: each comes once, for one list. */
  readonly activity: number | 'one';
  /** Chance of a click on the first slot, in the mean of the users. */
  readonly clicks: number;
  /** Users first come at any hour, or all of them within the first, and return until the end. */
  readonly arrival: 'spread' | 'at once';
  /** One more user who makes this share of all lists, in this variant. */
  readonly bot: { readonly share: number; readonly variant: number } | undefined;
  /** So many user ids share one taste. */
  readonly household: number;
  /** Standard deviation of the logarithm of what a visit does to the taste. */
  readonly mood: number;
  /** Share of the users who see another variant from some hour on. */
  readonly crossing: number;
  /** Variants other than the control are clicked less often by this share. */
  readonly loss: number;
  /** The first one is the primary measure. */
  readonly measures: readonly CrowdMeasure[];
  /** Setting `guardrails`. */
  readonly guardrails: readonly CrowdMeasure[];
}

export const CROWD_MEASURES = ['mrr', 'hit@10', 'ndcg@10', 'precision@10'] as const;
export type CrowdMeasure = (typeof CROWD_MEASURES)[number];

/** Lists in the order of the looks. */
export interface Lists {
  readonly settings: {
    readonly weights: readonly number[];
    readonly measures: readonly string[];
    readonly guardrails: readonly string[];
  };
  readonly ids: readonly string[];
  /** The user of each list; -1 where the list has no user id. */
  readonly users: Int32Array;
  readonly variants: Uint8Array;
  /** By list, then by measure, in 1e-9. */
  readonly values: Float64Array;
  /** Look l sees the lists before `ends[l]`. */
  readonly ends: Int32Array;
  /** Records that are known to be missing at each look; absent where none are. */
  readonly missing?: readonly number[];
}

const SLOTS = 10;
/** A user with more lists than this would be a second bot. */
const MOST_LISTS = 20_000;
/** Chance that a slot is looked at. */
const EXAMINED = Array.from({ length: SLOTS }, (_, i) => 1 / (i + 1) ** 0.7);
const DISCOUNT = Array.from({ length: SLOTS }, (_, i) => 1 / Math.log2(i + 2));
/** Lists of one visit, in the mean. */
const VISIT = 3;
const DAY = 24;

interface Drawn {
  readonly user: number;
  readonly hour: number;
  readonly variant: number;
  readonly chance: number;
}

export function drawCrowd(seed: number, settings: CrowdSettings): Lists {
  const random = new Random(seed, 'crowd');
  const { users, hours, weights, household, bot, crossing, measures } = settings;
  const drawn: Drawn[] = [];
  let taste = 0;
  for (let user = 0; user < users; user++) {
    if (user % household === 0) taste = beta(random, 10 * settings.clicks, 10 * (1 - settings.clicks));
    const variant = variantAt(random.next(), weights);
    const crosses = random.next() < crossing ? Math.floor(random.next() * hours) : hours;
    const arrival = settings.arrival === 'at once' ? 0 : Math.floor(random.next() * hours);
    let left = listsOf(random, settings.activity);
    let hour = arrival;
    while (left > 0) {
      const lists = Math.min(left, 1 + Math.floor(random.exponential(VISIT - 1)));
      const chance = taste * Math.exp(settings.mood * random.normal() - settings.mood ** 2 / 2);
      const shown = hour < crosses ? variant : (variant + 1) % weights.length;
      for (let i = 0; i < lists; i++) drawn.push({ user, hour, variant: shown, chance });
      left -= lists;
      hour = hourBetween(random, arrival, hours);
    }
  }
  if (bot !== undefined) {
    const chance = random.next();
    for (let left = Math.round((drawn.length * bot.share) / (1 - bot.share)); left > 0; left--) {
      drawn.push({ user: users, hour: Math.floor(random.next() * hours), variant: bot.variant, chance });
    }
  }
  const ends = new Int32Array(hours);
  for (const { hour } of drawn) ends[hour]++;
  for (let hour = 1; hour < hours; hour++) ends[hour] += ends[hour - 1];
  const places = Int32Array.from(ends, (_, hour) => (hour === 0 ? 0 : ends[hour - 1]));
  const ofLists = new Int32Array(drawn.length);
  const variants = new Uint8Array(drawn.length);
  const values = new Float64Array(drawn.length * measures.length);
  for (const { user, hour, variant, chance } of drawn) {
    const place = places[hour]++;
    ofLists[place] = user;
    variants[place] = variant;
    judge(random, variant === 0 ? chance : chance * (1 - settings.loss), measures, values, place * measures.length);
  }
  const ids = Array.from({ length: users + 1 }, (_, user) => `c${seed}-${user}`);
  return { settings, ids, users: ofLists, variants, values, ends };
}

function listsOf(random: Random, activity: number | 'one'): number {
  return activity === 'one' ? 1 : Math.min(MOST_LISTS, Math.floor((1 - random.next()) ** (-1 / activity)));
}

/** More by day than at night. */
function hourBetween(random: Random, first: number, end: number): number {
  for (;;) {
    const hour = first + Math.floor(random.next() * (end - first));
    if (random.next() * 1.8 < 1 + 0.8 * Math.sin((2 * Math.PI * (hour % DAY)) / DAY)) return hour;
  }
}

/** One list: clicks on its slots, and what the measures make of them. */
function judge(
  random: Random,
  chance: number,
  measures: readonly CrowdMeasure[],
  values: Float64Array,
  at: number,
): void {
  let clicks = 0;
  let first = 0;
  let gain = 0;
  let ideal = 0;
  for (let slot = 0; slot < SLOTS; slot++) {
    if (random.next() >= chance * EXAMINED[slot]) continue;
    if (clicks === 0) first = slot + 1;
    gain += DISCOUNT[slot];
    ideal += DISCOUNT[clicks++];
  }
  if (clicks === 0) return;
  const known: Readonly<Record<CrowdMeasure, number>> = {
    mrr: 1 / first,
    'hit@10': 1,
    'ndcg@10': gain / ideal,
    'precision@10': clicks / SLOTS,
  };
  for (const [m, measure] of measures.entries()) values[at + m] = Math.round(1e9 * known[measure]);
}
