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
