import type { Ballots } from './ballots.ts';
import { as, type Method } from './method.ts';
import { preferences } from './pairwise.ts';

/**
 * Condorcet winners: an item scores 1 for every other item that more voters put after it than before it.
 *
 *   score(i) = items j with more voters for i before j than for j before i
 *
 * M. de Condorcet, "Essai sur l'application de l'analyse à la probabilité des décisions", 1785; for ranked lists M. Montague
 * and J. A. Aslam, "Condorcet fusion for improved retrieval", CIKM 2002. It is PyFLAGR's CondorcetWinners, which counts wins, and not
 * Condorcet fusion, nor ranx's condorcet, which sort by majorities.
 *
 * Example: lists a b c, b a c, c b a: b beats a and c (2 to 1), a ties none and beats c by 2 to 1, so b a c with 2, 1, 0.
 */
export const condorcet: Method = {
  name: 'condorcet',
  params: { as },
  summary: 'number of items that a majority puts behind',
  source: 'Condorcet 1785; as PyFLAGR’s CondorcetWinners',
  cost: 'n² v',
  fuse: (ballots) => majorityWins(ballots, 'condorcet', 0),
};

/**
 * Copeland winners: like `condorcet`, with half a point for each tie.
 *
 *   score(i) = items that i beats + 1/2 * items that i ties with
 *
 * A. H. Copeland, "A reasonable social welfare function", University of Michigan, 1951. PyFLAGR's CopelandWinners.
 *
 * Example: lists a b and b a c: a and b tie, both beat c (one voter to none): a 1.5, b 1.5, c 0.
 */
export const copeland: Method = {
  name: 'copeland',
  params: { as },
  summary: 'as condorcet, and half a point for each tie',
  source: 'Copeland 1951',
  cost: 'n² v',
  fuse: (ballots) => majorityWins(ballots, 'copeland', 0.5),
};

/**
 * @param tie points of a tie
 * @param weights of the ballots; undefined: all 1
 */
export function majorityWins(ballots: Ballots, method: string, tie: number, weights?: ArrayLike<number>): Float64Array {
  const before = preferences(ballots, method, weights);
  const n = ballots.items.length;
  const scores = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    for (let j = i + 1; j < n; j++) {
      const wins = before[i * n + j];
      const losses = before[j * n + i];
      if (wins > losses) scores[i]++;
      else if (wins < losses) scores[j]++;
      else {
        scores[i] += tie;
        scores[j] += tie;
      }
    }
  }
  return scores;
}
