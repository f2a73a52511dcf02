import { errorsStep } from './bound.ts';
import { type MeasureDefinition, RATED } from './definition.ts';
import { errors } from './grammar/parameters.ts';
import type { Pairs } from './rated.ts';

/**
 * Root of the mean squared difference of rating and predicted score. Roots cannot be averaged, so `avg=micro` keeps the
 * squares and takes the root of their mean over all pairs at the end (scikit-learn root_mean_squared_error, recommenders
 * rmse); `avg=macro` is the mean over lists of each list's own root (LensKit).
 *
 * Example: scores 1 2 3 4 5 against ratings 2 1 2 4 5 give sqrt(3/5) = 0.774597.
 *
 * @returns the sum over the list's pairs
 */
function squaredErrors({ count, scores, ratings }: Pairs): number {
  let sum = 0;
  for (let i = 0; i < count; i++) sum += (ratings[i] - scores[i]) ** 2;
  return sum;
}

export const RMSE: MeasureDefinition = {
  name: 'rmse',
  kind: 'ratings',
  takesCut: false,
  params: errors,
  better: 'lower',
  range: [0, Number.POSITIVE_INFINITY],
  dependsOnOrder: () => false,
  needs: () => ['scores'],
  isRoot: true,
  bind: (measure, from) => errorsStep(measure, from, squaredErrors, Math.sqrt),
  describe: () => 'Root of the mean squared difference between rating and predicted score',
  docs: {
    value:
      "root of the mean of e². `micro` keeps the squares, because roots cannot be averaged; `macro` is the mean of each list's own root",
    parameters: 'as mae',
  },
  examples: [{ of: 'rmse', list: RATED, value: 0.774597, agrees: 'scikit-learn, recommenders' }],
};
