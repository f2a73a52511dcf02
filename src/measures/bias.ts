import { errorsStep } from './bound.ts';
import { type MeasureDefinition, RATED } from './definition.ts';
import { errors } from './grammar/parameters.ts';
import type { Pairs } from './rated.ts';

/**
 * Mean of rating - score: above 0 the scores are too low. Over all pairs (`avg=micro`), or per list and then over lists.
 *
 * Example: scores 1 2 3 4 5 against ratings 2 1 2 4 5 give -1/5 = -0.2.
 *
 * @returns the sum over the list's pairs
 */
function signedErrors({ count, scores, ratings }: Pairs): number {
  let sum = 0;
  for (let i = 0; i < count; i++) sum += ratings[i] - scores[i];
  return sum;
}

export const BIAS: MeasureDefinition = {
  name: 'bias',
  kind: 'ratings',
  takesCut: false,
  params: errors,
  better: 'near0',
  range: [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY],
  dependsOnOrder: () => false,
  needs: () => ['scores'],
  bind: (measure, from) => errorsStep(measure, from, signedErrors),
  describe: () => 'Mean of rating less predicted score; above 0 the scores are too low',
  docs: { value: 'mean of e: above 0 the scores are too low', parameters: 'as mae' },
  examples: [{ of: 'bias', list: RATED, value: -0.2 }],
};
