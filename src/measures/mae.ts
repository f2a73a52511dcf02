import { errorsStep } from './bound.ts';
import { type MeasureDefinition, RATED } from './definition.ts';
import { errors } from './grammar/parameters.ts';
import type { Pairs } from './rated.ts';

/**
 * Mean absolute error of the predicted score against the rating: the mean of |rating - score|, over all pairs (`avg=micro`)
 * or per list and then over lists (`avg=macro`). scikit-learn mean_absolute_error, recommenders mae (micro).
 *
 * Example: scores 1 2 3 4 5 against ratings 2 1 2 4 5 give 3/5 = 0.6.
 *
 * @returns the sum over the list's pairs
 */
function absoluteErrors({ count, scores, ratings }: Pairs): number {
  let sum = 0;
  for (let i = 0; i < count; i++) sum += Math.abs(ratings[i] - scores[i]);
  return sum;
}

export const MAE: MeasureDefinition = {
  name: 'mae',
  kind: 'ratings',
  takesCut: false,
  params: errors,
  better: 'lower',
  range: [0, Number.POSITIVE_INFINITY],
  dependsOnOrder: () => false,
  needs: () => ['scores'],
  bind: (measure, from) => errorsStep(measure, from, absoluteErrors),
  describe: () => 'Mean absolute difference between rating and predicted score',
  docs: {
    value: 'mean of the size of e',
    parameters: '`avg`: `micro` (over all pairs), `macro` (per list, then the mean)',
  },
  examples: [{ of: 'mae', list: RATED, value: 0.6, agrees: 'scikit-learn, recommenders' }],
};
