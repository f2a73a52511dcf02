import { type Ballots, votesOf } from './ballots.ts';

/** An item of a merged list. */
export interface FusedItem {
  readonly item: string;
  /** Score by the method; higher is better. */
  readonly score: number;
}

/** Significant digits of scores. Further digits are rounding, which would make equal scores differ. */
const DIGITS = 12;

/** Scores without rounding errors: 12 significant digits, and 0 below 1e-15 of the largest score. */
export function rounded(scores: Float64Array): Float64Array {
  let largest = 0;
  for (const score of scores) if (Math.abs(score) > largest && Number.isFinite(score)) largest = Math.abs(score);
  const least = largest * 1e-15;
  return scores.map((score) => (Math.abs(score) <= least ? 0 : Number(score.toPrecision(DIGITS))));
}

/**
 * Numbers of the items, best first: by score, then by the number of voters who listed them, then by id (ascending). Items
 * whose score is NaN are left out.
 */
export function orderOf(ballots: Ballots, scores: Float64Array): Int32Array {
  const votes = votesOf(ballots);
  const items = new Int32Array(scores.length);
  let count = 0;
  for (let item = 0; item < scores.length; item++) if (!Number.isNaN(scores[item])) items[count++] = item;
  return items.subarray(0, count).sort((a, b) => {
    if (scores[a] !== scores[b]) return scores[a] < scores[b] ? 1 : -1;
    return votes[b] - votes[a] || a - b;
  });
}
