import { overPairs, pairsOf, scoresOfBy } from './bound.ts';
import { type MeasureDefinition, RATED } from './definition.ts';
import { correlated } from './grammar/parameters.ts';
import { byWords } from './grammar/phrases.ts';
import type { Pairs } from './rated.ts';

/**
 * Spearman's correlation of predicted score (or minus the rank) and rating: Pearson's correlation of their average ranks,
 * which is right with ties; the short-cut 1 - 6 sum d^2 / (m (m^2 - 1)) is not. NaN, so the list is left out, with fewer than
 * two pairs or one side all equal. Like scipy spearmanr.
 *
 * Example: scores 1 2 3 4 5 against ratings 2 1 2 4 5 give 0.820783.
 *
 * Compares every two pairs, m^2 of them, without allocation: lists have few ratings.
 */
function spearman({ count, scores, ratings }: Pairs): number {
  const middle = (count + 1) / 2;
  let xx = 0;
  let yy = 0;
  let xy = 0;
  for (let i = 0; i < count; i++) {
    const x = averageRank(scores, count, scores[i]) - middle;
    const y = averageRank(ratings, count, ratings[i]) - middle;
    xx += x * x;
    yy += y * y;
    xy += x * y;
  }
  if (xx === 0 || yy === 0) return Number.NaN;
  return Math.max(-1, Math.min(1, xy / Math.sqrt(xx * yy)));
}

/** Mean of the places, counted from 1, that equal values share. */
function averageRank(values: Float64Array, count: number, value: number): number {
  let below = 0;
  let equal = 0;
  for (let i = 0; i < count; i++) {
    if (values[i] < value) below++;
    else if (values[i] === value) equal++;
  }
  return below + (equal + 1) / 2;
}

export const SPEARMAN: MeasureDefinition = {
  name: 'spearman',
  kind: 'ratings',
  takesCut: false,
  params: correlated,
  better: 'higher',
  range: [-1, 1],
  dependsOnOrder: ({ params }) => params.get('by') === 'rank',
  correlation: 'spearman',
  needs: scoresOfBy,
  bind: (measure, { views }) => {
    const pairs = pairsOf(measure, views);
    return overPairs(measure, views, pairs, () => spearman(pairs));
  },
  describe: (measure) => `Spearman correlation of the ${byWords(measure)} with the rating`,
  docs: {
    value: 'correlation of average ranks, per list, then the mean',
    parameters: '`by`: `score`, `rank` (minus the rank in place of the score)',
  },
  examples: [{ of: 'spearman', list: RATED, value: 0.820783, agrees: 'scipy spearmanr' }],
};
