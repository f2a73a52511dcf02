import { atLeast0, type Method } from './method.ts';
import { norm, normedVotes, sum } from './normalisation.ts';

const COST = 'n v';
const params = { norm };

/**
 * CombMAX, CombMIN, CombMED: the highest, the lowest, the median vote of the lists that contain an item (for an even number, the mean of
 * the middle two). A list without the item does not vote, except with `norm=borda`, where every list votes for every item.
 *
 * E. A. Fox and J. A. Shaw, "Combination of multiple searches", TREC-2, 1993. ranx's max, min and med.
 *
 * Example: lists a b c and b d, `norm=rank`: b has 2/3 and 1: max 1, min 2/3, med 5/6; a 1, c 1/3, d 1/2 by all three.
 */
export const max = ofVotes('max', 'highest vote', (votes) => votes.reduce((most, vote) => Math.max(most, vote)));
export const min = ofVotes('min', 'lowest vote of the lists that hold the item', (votes) =>
  votes.reduce((least, vote) => Math.min(least, vote)),
);
export const med = ofVotes('med', 'median vote of the lists that hold the item', median);

/**
 * CombANZ: the mean vote of the lists that contain an item ("average of the non-zero").
 *
 * E. A. Fox and J. A. Shaw, "Combination of multiple searches", TREC-2, 1993. ranx's anz.
 *
 * Example: lists a b c and b d, `norm=rank`: a 1, b (2/3 + 1) / 2 = 5/6, c 1/3, d 1/2, so a b d c.
 */
export const anz = ofVotes('anz', 'mean vote of the lists that hold the item', (votes) => sum(votes) / votes.length);

/** A method that scores an item by a function of its votes. */
function ofVotes(name: string, summary: string, score: (votes: Float64Array) => number): Method {
  return {
    name,
    aliases: [`comb${name}`, `comb_${name}`],
    params,
    summary,
    source: 'Fox and Shaw, TREC-2 1993',
    cost: COST,
    fuse: (ballots, given) => normedVotes(ballots, given.word('norm')).each(score),
  };
}

/**
 * CombGMNZ: CombSUM times a power of the number of lists that contain the item. `gamma=0` is combsum, `gamma=1` combmnz.
 *
 *   score(i) = (lists with i) ** gamma * sum over lists of vote(i)
 *
 * J. H. Lee, "Analyses of multiple evidence combination", SIGIR 1997. ranx's gmnz.
 *
 * Example: lists a b c and b d, `norm=rank`, gamma 2: b 4 * 5/3 = 20/3; a 1, c 1/3, d 1/2.
 */
export const gmnz: Method = {
  name: 'gmnz',
  aliases: ['combgmnz', 'comb_gmnz'],
  params: { gamma: atLeast0('power of the number of lists', 1), norm },
  summary: 'combsum times a power of the number of lists that hold the item',
  source: 'Lee, SIGIR 1997',
  cost: COST,
  fuse: (ballots, given) => {
    const gamma = given.number('gamma');
    // With `borda` every list votes for every item, so the number of votes is not that of the lists that contain it.
    const hits = new Float64Array(ballots.items.length);
    for (const { items } of ballots.ballots) for (const item of items) hits[item]++;
    return normedVotes(ballots, given.word('norm')).each((votes, item) => hits[item] ** gamma * sum(votes));
  },
};

function median(votes: Float64Array): number {
  const rising = votes.toSorted();
  const middle = rising.length >> 1;
  return rising.length % 2 === 1 ? rising[middle] : (rising[middle - 1] + rising[middle]) / 2;
}
