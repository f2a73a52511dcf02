import { atLeast0, type Method, share } from './method.ts';
import { rankVotes, sum } from './normalisation.ts';

/**
 * Reciprocal rank fusion.
 *
 *   score(i) = sum over lists with i of 1 / (k + rank)
 *
 * G. V. Cormack, C. L. A. Clarke and S. Büttcher, "Reciprocal rank fusion outperforms Condorcet and individual rank learning
 * methods", SIGIR 2009, with k = 60. ranx's rrf.
 *
 * Example: lists a b c and b d: a 1/61, b 1/62 + 1/61, c 1/63, d 1/62, so b a d c.
 */
export const rrf: Method = {
  name: 'rrf',
  params: { k: atLeast0('what is added to ranks', 60) },
  summary: 'sum of 1 / (k + rank)',
  source: 'Cormack, Clarke and Büttcher, SIGIR 2009',
  cost: 'n v',
  fuse: (ballots, params) => {
    const k = params.number('k');
    return rankVotes(ballots, (rank) => 1 / (k + rank)).each(sum);
  },
};

const MOURAO = 'Mourão, Martins and Magalhães, Computerized Medical Imaging and Graphics 39, 2015';

/**
 * Inverse square rank: squares prefer the very top; the number of lists counts as in CombMNZ.
 *
 *   score(i) = h * sum over the h lists with i of 1 / rank ** 2
 *
 * A. Mourão, F. Martins and J. Magalhães, "Multimodal medical information retrieval with unsupervised rank fusion",
 * Computerized Medical Imaging and Graphics 39, 2015. ranx's isr.
 *
 * Example: lists a b c and b d: a 1, b 2 * (1/4 + 1) = 5/2, c 1/9, d 1/4, so b a d c.
 */
export const isr: Method = {
  name: 'isr',
  params: {},
  summary: 'sum of 1 / rank², times the number of lists',
  source: MOURAO,
  cost: 'n v',
  fuse: (ballots) => rankVotes(ballots, inverseSquare).each((votes) => votes.length * sum(votes)),
};

/**
 * Inverse square rank with less weight on the number of lists: its logarithm. Without sigma an item of one list would get 0.
 *
 *   score(i) = ln(h + sigma) * sum over the h lists with i of 1 / rank ** 2
 *
 * Mourão, Martins and Magalhães (2015). ranx's logn_isr; sigma 0 is ranx's log_isr.
 *
 * Example: lists a b c and b d, sigma 0.01: a ln 1.01 = 0.00995, b 5/4 ln 2.01 = 0.873, c 0.00111, d 0.00249, so b a d c.
 */
export const lognIsr: Method = {
  name: 'logn_isr',
  params: { sigma: share('what is added to the number of lists', 0.01) },
  summary: 'sum of 1 / rank², times the logarithm of the number of lists',
  source: MOURAO,
  cost: 'n v',
  fuse: (ballots, params) => {
    const sigma = params.number('sigma');
    return rankVotes(ballots, inverseSquare).each((votes) => Math.log(votes.length + sigma) * sum(votes));
  },
};

function inverseSquare(rank: number): number {
  return 1 / (rank * rank);
}
