import { Random } from '../../src/simulate/random.ts';
import type { Lists } from './crowd.ts';

/** A log that may deceive, as its people: what sort they are, when they come, what they see and click, whether they are known. */
export interface World {
  readonly users: number;
  readonly hours: number;
  readonly looks: number;
  /** Weights of the variants, the control first. Default: two of .5. */
  readonly weights?: readonly number[];
  /** Default: mrr. */
  readonly measure?: string;
  /** The people of one experiment. What they share, such as the luck of items, is drawn once. */
  readonly people: (random: Random) => People;
}

/** What is known of a user before the variant is. */
interface Newcomer {
  /** Uniform in [0, 1): what sort of person it is. */
  readonly kind: number;
  /** Hour in which the user may first come. */
  readonly first: number;
}

export interface Person extends Newcomer {
  readonly variant: number;
  /** Its logistic function is the chance of a click on the first slot. */
  taste: number;
}

interface Visit {
  readonly hour: number;
  /** Added to the taste. */
  readonly mood: number;
}

export interface People {
  readonly taste: (newcomer: Newcomer, variant: number) => readonly [mean: number, deviation: number];
  /** One for each list, those of one user in the order of time. */
  readonly visits: (person: Person) => readonly Visit[];
  /** Default: by the weights. */
  readonly assigned?: (newcomer: Newcomer) => number;
  /** Default: the variant that was assigned. */
  readonly shown?: (person: Person, hour: number) => number;
  /** Default: by the taste. */
  readonly chance?: (person: Person, visit: Visit) => number;
  /** Default: the reciprocal rank of the first click. */
  readonly value?: (person: Person, chance: number) => number;
  /** Whether the list names its user. Default: it does. */
  readonly isNamed?: (person: Person, isLast: boolean) => boolean;
  /** Whether feedback of that hour is lost, and known to be missing. Default: it is not. */
  readonly isLost?: (person: Person, hour: number) => boolean;
  /** After each list. */
  readonly learns?: (person: Person, value: number) => void;
}

const HALVES = [0.5, 0.5];

/** @param loss variants other than the control are clicked less often by this share */
export function drawWorld(seed: number, world: World, loss = 0): Lists {
  const random = new Random(seed, 'world');
  const { users, hours, looks, weights = HALVES, measure = 'mrr' } = world;
  const people = world.people(random);
  const looked: {
    readonly user: number;
    readonly variant: number;
    readonly value: number;
    readonly isLost: boolean;
  }[][] = Array.from({ length: looks }, () => []);
  for (let user = 0; user < users; user++) {
    const newcomer = { kind: random.next(), first: random.next() * hours };
    const variant = people.assigned?.(newcomer) ?? variantAt(random.next(), weights);
    const [mean, deviation] = people.taste(newcomer, variant);
    const person = { ...newcomer, variant, taste: mean + deviation * random.normal() };
    const visits = people.visits(person).filter(({ hour }) => hour < hours);
    for (const [i, visit] of visits.entries()) {
      const shown = people.shown?.(person, visit.hour) ?? variant;
      const usual = people.chance?.(person, visit) ?? logistic(person.taste + visit.mood);
      const chance = shown === 0 ? usual : usual * (1 - loss);
      const value = people.value?.(person, chance) ?? reciprocalRank(random, chance);
      const isLost = value > 0 && (people.isLost?.(person, visit.hour) ?? false);
      const isNamed = people.isNamed?.(person, i === visits.length - 1) ?? true;
      const of = { user: isNamed ? user : -1, variant: shown, value: isLost ? 0 : value, isLost };
      looked[Math.floor((visit.hour / hours) * looks)].push(of);
      people.learns?.(person, value);
    }
  }
  const lists = looked.flat();
  return {
    settings: { weights, measures: [measure], guardrails: [] },
    ids: Array.from({ length: users }, (_, user) => `w${seed}-${user}`),
    users: Int32Array.from(lists, ({ user }) => user),
    variants: Uint8Array.from(lists, ({ variant }) => variant),
    values: Float64Array.from(lists, ({ value }) => Math.round(1e9 * value)),
    ends: Int32Array.from(summed(looked.map(({ length }) => length))),
    missing: summed(looked.map((some) => some.filter(({ isLost }) => isLost).length)),
  };
}

function summed(counts: readonly number[]): readonly number[] {
  let sum = 0;
  return counts.map((count) => {
    sum += count;
    return sum;
  });
}

export function variantAt(point: number, weights: readonly number[]): number {
  let sum = 0;
  for (const [variant, weight] of weights.entries()) {
    sum += weight;
    if (point < sum) return variant;
  }
  return 0;
}

export function logistic(x: number): number {
  return 1 / (1 + Math.exp(-x));
}

/** Chance that a slot is looked at. */
const EXAMINED = Array.from({ length: 10 }, (_, i) => 1 / (i + 1) ** 0.8);

function reciprocalRank(random: Random, chance: number): number {
  const slot = EXAMINED.findIndex((examined) => random.next() < chance * examined);
  return slot < 0 ? 0 : 1 / (slot + 1);
}
