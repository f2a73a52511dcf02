import type { Ballots } from './ballots.ts';
import { as, type Method } from './method.ts';
import { norm, normedVotes, sum } from './normalisation.ts';

/**
 * CombSUM: the sum of an item's votes.
 *
 *   score(i) = sum over lists of vote(i)
 *
 * E. A. Fox and J. A. Shaw, "Combination of multiple searches", TREC-2, 1993; votes by Renda and Straccia (2003). PyFLAGR's
 * CombSUM, and with `norm=borda` its Borda, with `norm=simple-borda` its SimpleBorda; ranx's sum.
 *
 * Example: lists a b c and b d, `norm=rank`: a 1, b 2/3 + 1, c 1/3, d 1/2, so b a d c.
 */
export const combsum: Method = {
  name: 'combsum',
  aliases: ['comb_sum', 'sum'],
  params: { as, norm },
  summary: 'sum of the votes of all lists',
  source: 'Fox and Shaw, TREC-2 1993; Renda and Straccia, SAC 2003',
  cost: 'n v',
  fuse: (ballots, params) => combSum(ballots, params.word('norm')),
};

/** @param weights of the ballots; undefined: all 1 */
export function combSum(ballots: Ballots, how: string, weights?: ArrayLike<number>): Float64Array {
  return normedVotes(ballots, how, weights).each(sum);
}
