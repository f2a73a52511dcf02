import { LARGEST_VALUE } from '../vocabulary/events.ts';
import type { Measure } from './definition.ts';

/**
 * The highest grade whose gain may be 2^grade - 1. A double represents it exactly up to 53, but beyond 30 one item outweighs
 * all others, and a price is not meant to be such a grade.
 */
export const LARGEST_EXPONENT = 30;

const EXP = Float64Array.from({ length: LARGEST_EXPONENT + 1 }, (_, grade) => 2 ** grade - 1);

/** What a grade is worth in dcg and ndcg. It never falls as the grade rises, and a grade of 0 is worth 0. */
export type Gain = (grade: number) => number;

/** Jarvelin and Kekalainen 2002: the grade itself. */
export const linear: Gain = (grade) => grade;

/** Burges et al. 2005: 2^g - 1. */
export const exp: Gain = (grade) => EXP[grade] ?? 2 ** grade - 1;

/** 1 for a positive, else 0. */
export function binary(rel: number): Gain {
  return (grade) => (grade >= rel ? 1 : 0);
}

const TABLE_SIZE = 4096;

/** Weight of a rank in dcg and ndcg: 1 / disc(rank). Falls, or stays, as the rank rises. */
export type Discount = (rank: number) => number;

function tabled(disc: (rank: number) => number): Discount {
  const table = new Float64Array(TABLE_SIZE);
  for (let rank = 1; rank < TABLE_SIZE; rank++) table[rank] = 1 / disc(rank);
  return (rank) => (rank < TABLE_SIZE ? table[rank] : 1 / disc(rank));
}

/** log2(rank + 1): trec_eval ndcg_cut, scikit-learn, Burges et al. 2005. */
export const log2 = tabled((rank) => Math.log2(rank + 1));

/** log2(max(rank, 2)): Jarvelin and Kekalainen 2002 with base 2; LensKit. Ranks 1 and 2 weigh the same. */
export const clipped = tabled((rank) => Math.log2(Math.max(rank, 2)));

/** ln(rank + 1). */
export const ln = tabled((rank) => Math.log(rank + 1));

/** 1: cumulative gain. */
export const none: Discount = () => 1;

/** The highest grade that measures accept, and why. */
export interface GradeLimit {
  readonly most: number;
  /** The measure with this limit; undefined: it is the limit of all values. */
  readonly by: { readonly measure: string; readonly reason: string } | undefined;
}

/** The limit of all values. */
const OF_VALUES: GradeLimit = { most: LARGEST_VALUE, by: undefined };

/**
 * The highest grade that all these measures accept. A grade is a number from 0 up; only a gain of 2^grade - 1 has a limit of its own. In
 * `err` a grade above `gmax` counts as gmax, by its formula.
 */
export function gradeLimit(measures: readonly Measure[]): GradeLimit {
  const raising = measures.find(({ params }) => params.get('gain') === 'exp');
  if (raising === undefined) return OF_VALUES;
  return { most: LARGEST_EXPONENT, by: { measure: raising.canonical, reason: 'because its gain is 2^grade - 1' } };
}
