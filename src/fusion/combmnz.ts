import { type Ballots, votesOf } from './ballots.ts';
import { as, type Method } from './method.ts';
import { norm, normedVotes, sum } from './normalisation.ts';

/**
 * CombMNZ ("multiply by the number of non-zero"): CombSUM times the number of lists that contain the item.
 *
 *   score(i) = lists with i * sum over lists of vote(i)
 *
 * E. A. Fox and J. A. Shaw, "Combination of multiple searches", TREC-2, 1993; votes by Renda and Straccia (2003). PyFLAGR's
 * CombMNZ, ranx's mnz.
 *
 * Example: lists a b c and b d, `norm=rank`: a 1, b 2 * (2/3 + 1) = 10/3, c 1/3, d 1/2, so b a d c.
 */
export const combmnz: Method = {
  name: 'combmnz',
  aliases: ['comb_mnz', 'mnz'],
  params: { as, norm },
  summary: 'combsum times the number of lists that hold the item',
  source: 'Fox and Shaw, TREC-2 1993; Renda and Straccia, SAC 2003',
  cost: 'n v',
  fuse: (ballots, params) => combMnz(ballots, params.word('norm'), params.flagr),
};

/**
 * @param flagr multiply each vote, as PyFLAGR does
 * @param weights of the ballots; undefined: all 1
 */
export function combMnz(ballots: Ballots, how: string, flagr: boolean, weights?: ArrayLike<number>): Float64Array {
  const hits = votesOf(ballots);
  const votes = normedVotes(ballots, how, weights);
  // The same number except for rounding.
  if (flagr) return votes.each((own, item) => sum(own.map((vote) => vote * hits[item])));
  return votes.each((own, item) => hits[item] * sum(own));
}
