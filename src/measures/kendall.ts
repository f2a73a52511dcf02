import { chosen, overPairs, pairsOf, scoresOfBy } from './bound.ts';
import { type MeasureDefinition, RATED } from './definition.ts';
import { correlated, word } from './grammar/parameters.ts';
import { byWords } from './grammar/phrases.ts';
import type { Pairs } from './rated.ts';

/**
 * Kendall's correlation of predicted score (or minus the rank) and rating, from concordant (C) and discordant (D) of all
 * P = m (m - 1) / 2 comparisons, Tx and Ty of them tied on one side: (C - D) / sqrt((P - Tx)(P - Ty)) (tau-b, right for
 * ratings, which tie often), (C - D) / P (`tau=a`), or 2 (C - D) / (m^2 (q - 1) / q), where q is the smaller number of
 * different values (`tau=c`, Stuart 1953). NaN, so the list is left out, with fewer than two pairs or one side all equal.
 * Like scipy kendalltau (b, c).
 *
 * Example: scores 1 2 3 4 5 against ratings 2 1 2 4 5 give 0.737865, `tau=a` 0.7, `tau=c` 0.746667.
 *
 * Compares every two pairs without allocation: lists have few ratings.
 */
type Tau = (order: Comparisons) => number;

/** The result of comparing all pairs with each other. */
interface Comparisons {
  /** Number of pairs, m. */
  readonly count: number;
  /** C - D. */
  readonly balance: number;
  /** P - Tx, P - Ty. */
  readonly untiedScores: number;
  readonly untiedRatings: number;
  /** The smaller number of different values, q. */
  readonly classes: number;
}

const tauA: Tau = ({ count, balance }) => balance / ((count * (count - 1)) / 2);

const tauB: Tau = ({ balance, untiedScores, untiedRatings }) =>
  Math.max(-1, Math.min(1, balance / Math.sqrt(untiedScores * untiedRatings)));

const tauC: Tau = ({ count, balance, classes }) =>
  Math.max(-1, Math.min(1, (2 * balance) / ((count * count * (classes - 1)) / classes)));

/** Kendall's tau of one list after another; the comparisons are counted in one reused object. */
function kendall(tau: Tau): (pairs: Pairs) => number {
  const found = { count: 0, balance: 0, untiedScores: 0, untiedRatings: 0, classes: 0 };
  return ({ count, scores, ratings }) => {
    let balance = 0;
    let untiedScores = 0;
    let untiedRatings = 0;
    let differentScores = 0;
    let differentRatings = 0;
    for (let i = 0; i < count; i++) {
      let isNewScore = true;
      let isNewRating = true;
      for (let j = 0; j < i; j++) {
        const x = Math.sign(scores[i] - scores[j]);
        const y = Math.sign(ratings[i] - ratings[j]);
        balance += x * y;
        if (x === 0) isNewScore = false;
        else untiedScores++;
        if (y === 0) isNewRating = false;
        else untiedRatings++;
      }
      if (isNewScore) differentScores++;
      if (isNewRating) differentRatings++;
    }
    if (untiedScores === 0 || untiedRatings === 0) return Number.NaN;
    found.count = count;
    found.balance = balance;
    found.untiedScores = untiedScores;
    found.untiedRatings = untiedRatings;
    found.classes = Math.min(differentScores, differentRatings);
    return tau(found);
  };
}

export const KENDALL: MeasureDefinition = {
  name: 'kendall',
  kind: 'ratings',
  takesCut: false,
  params: { ...correlated, tau: word('b', 'a', 'c') },
  better: 'higher',
  range: [-1, 1],
  dependsOnOrder: ({ params }) => params.get('by') === 'rank',
  correlation: 'kendall',
  needs: scoresOfBy,
  bind: (measure, { views }) => {
    const pairs = pairsOf(measure, views);
    const tau = kendall(chosen(measure, 'tau', { b: tauB, a: tauA, c: tauC }));
    return overPairs(measure, views, pairs, () => tau(pairs));
  },
  describe: (measure) => `Kendall tau-${measure.params.get('tau')} of the ${byWords(measure)} with the rating`,
  docs: { value: 'tau, per list, then the mean', parameters: '`tau`: `b` (right for ties), `a`, `c`; `by`' },
  examples: [
    { of: 'kendall', list: RATED, value: 0.737865, agrees: 'scipy kendalltau' },
    { of: 'kendall(tau=c)', list: RATED, value: 0.746667, agrees: 'scipy kendalltau with variant="c"' },
  ],
};
