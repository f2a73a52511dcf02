import { Choice, hashUniform, Random } from './random.ts';
import { SEGMENTS } from './shop-items.ts';
import type { VariantSettings } from './simulation-settings.ts';

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
