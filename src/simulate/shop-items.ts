import { Choice, hashUniform, Random } from './random.ts';
import type { VariantSettings } from './simulation-settings.ts';

/** Groups of users with the same taste. */
export const SEGMENTS = 6;
const CATEGORIES = 8;

/** Attraction is logistic in the utility: about 12 % at utility 0, and 31 % one standard deviation above. */
const BASE = -2;
const SPREAD = 1.2;

/** Chance that a user who looks at an item of this utility clicks it. */
export function attractionAt(utility: number): number {
  return 1 / (1 + Math.exp(-(BASE + SPREAD * utility)));
}

/** The items of the shop. Items are indices from 0; tables by segment hold item i of segment s at `s * size + i`. */
export interface ShopItems {
  readonly size: number;
  readonly ids: readonly string[];
  /** Prices in whole cents. */
  readonly prices: Int32Array;
  readonly popularity: Choice;
  /** Utility by segment and item. Over draws by popularity its mean is 0 and its standard deviation 1. */
  readonly utility: Float64Array;
  /** Attraction by segment and item: `attractionAt` its utility. */
  readonly attraction: Float64Array;
}

/** Popularity falls by Zipf-Mandelbrot. Utility is the sum of popularity, the segment's taste for the category, and a random rest. */
export function makeShopItems(seed: number, size: number): ShopItems {
  const random = new Random(seed, 'catalogue');
  const places = shuffled(size, random);
  const weights = Float64Array.from(places, (place) => (place + 5) ** -0.8);
  const fame = standardised(Float64Array.from(weights, Math.log), weights);
  const category = Int32Array.from({ length: size }, () => Math.floor(random.next() * CATEGORIES));
  const prices = Int32Array.from({ length: size }, () => Math.round(100 * Math.exp(3.2 + 0.8 * random.normal())));
  const utility = new Float64Array(SEGMENTS * size);
  for (let segment = 0; segment < SEGMENTS; segment++) {
    const taste = Float64Array.from({ length: CATEGORIES }, () => random.normal());
    const raw = new Float64Array(size);
    for (let i = 0; i < size; i++) raw[i] = 0.4 * fame[i] + 0.6 * taste[category[i]] + 0.6 * random.normal();
    utility.set(standardised(raw, weights), segment * size);
  }
  return {
    size,
    ids: Array.from({ length: size }, (_, i) => `i${i + 1}`),
    prices,
    popularity: new Choice(weights),
    utility,
    attraction: Float64Array.from(utility, attractionAt),
  };
}

/** A random order of 0 .. size - 1 (Fisher and Yates). */
function shuffled(size: number, random: Random): Int32Array {
  const order = Int32Array.from({ length: size }, (_, i) => i);
  for (let i = size - 1; i > 0; i--) {
    const j = Math.floor(random.next() * (i + 1));
    const held = order[i];
    order[i] = order[j];
    order[j] = held;
  }
  return order;
}

/** The values shifted and scaled to weighted mean 0 and weighted variance 1; all 0 if the values are equal. */
function standardised(values: Float64Array, weights: Float64Array): Float64Array {
  let total = 0;
  let mean = 0;
  for (let i = 0; i < values.length; i++) {
    total += weights[i];
    mean += weights[i] * values[i];
  }
  mean /= total;
  let variance = 0;
  for (let i = 0; i < values.length; i++) variance += weights[i] * (values[i] - mean) ** 2;
  const deviation = Math.sqrt(variance / total);
  return values.map((value) => (deviation > 0 ? (value - mean) / deviation : 0));
}

const COUNTRIES: readonly (readonly [name: string, weight: number])[] = [
  ['DE', 35],
  ['FR', 20],
  ['US', 20],
  ['BR', 15],
  ['JP', 10],
];
const TENURES: readonly (readonly [name: string, weight: number])[] = [
  ['new', 30],
  ['regular', 50],
  ['loyal', 20],
];

/** The shop's users, who are indices from 0. A few return often, most of them rarely. */
export interface Visitors {
  /** Draws the user of a request. */
  readonly activity: Choice;
  readonly segment: Uint8Array;
  /** Index into the settings' variants. */
  readonly variant: Uint8Array;
  /** JSON of the user's cohorts, such as `{"country":"DE","tenure":"new"}`. */
  cohorts(user: number): string;
}

/**
 * A user's variant depends only on the user, so that the traffic of several starts with different seeds is one experiment: a user
 * who changes sides would end it. Everything else about a user follows from the seed.
 */
export function inviteVisitors(seed: number, size: number, variants: readonly VariantSettings[]): Visitors {
  const random = new Random(seed, 'visitors');
  const country = new Choice(COUNTRIES.map(([, weight]) => weight));
  const tenure = new Choice(TENURES.map(([, weight]) => weight));
  const group = new Uint8Array(size);
  const segment = new Uint8Array(size);
  const activity = new Float64Array(size);
  for (let user = 0; user < size; user++) {
    group[user] = country.pick(random) * TENURES.length + tenure.pick(random);
    segment[user] = Math.floor(random.next() * SEGMENTS);
    activity[user] = Math.exp(random.normal());
  }
  const texts = COUNTRIES.flatMap(([c]) => TENURES.map(([t]) => JSON.stringify({ country: c, tenure: t })));
  return {
    activity: new Choice(activity),
    segment,
    variant: assignVariants(size, variants),
    cohorts: (user) => texts[group[user]],
  };
}

const ASSIGNMENT = 1;

function assignVariants(size: number, variants: readonly VariantSettings[]): Uint8Array {
  const total = variants.reduce((sum, variant) => sum + variant.weight, 0);
  return Uint8Array.from({ length: size }, (_, user) => {
    let left = hashUniform(ASSIGNMENT, 'variant', user) * total;
    let chosen = 0;
    for (let v = 0; v < variants.length; v++) {
      if (variants[v].weight === 0) continue;
      chosen = v;
      if (left < variants[v].weight) break;
      left -= variants[v].weight;
    }
    return chosen;
  });
}
