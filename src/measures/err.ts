import { gradedSlotsOf, numberOf, overLists } from './bound.ts';
import { GRADED, type MeasureDefinition } from './definition.ts';
import { LARGEST_EXPONENT } from './gain.ts';
import type { Graded } from './grade.ts';
import { above0, judged } from './grammar/parameters.ts';
import { upTo } from './grammar/phrases.ts';

/**
 * Expected reciprocal rank (Chapelle et al. 2009): the sum over ranks r <= k of (1/r) q_r x the product over the slots
 * above of (1 - q), with q = (2^grade - 1) / 2^gmax: the user stops at the first slot that satisfies. `gmax` is the
 * highest possible grade, so it is always printed; a grade above it counts as gmax. Like gdeval with `gmax=4`.
 * Every grade above 0 counts: it does not depend on `rel`.
 *
 * Example: grades 3 2 3 0 1 2 with `gmax=3` give 0.922002, at k = 2 0.898438.
 */
function err(graded: Graded, k: number, gmax: number): number {
  const { count, ranks, grades } = graded;
  const most = 2 ** gmax;
  let goesOn = 1;
  let sum = 0;
  for (let i = 0; i < count && ranks[i] <= k; i++) {
    const stops = (2 ** Math.min(grades[i], gmax) - 1) / most;
    sum += (goesOn * stops) / ranks[i];
    goesOn *= 1 - stops;
  }
  return sum;
}

export const ERR: MeasureDefinition = {
  name: 'err',
  kind: 'grades',
  takesCut: true,
  params: { ...judged, gmax: { ...above0('highestGrade', LARGEST_EXPONENT), always: true } },
  better: 'higher',
  range: [0, 1],
  dependsOnOrder: () => true,
  takesEveryGrade: () => true,
  bind: (measure, { views }) => {
    const { graded, k, relevant, gained } = gradedSlotsOf(measure, views);
    const gmax = numberOf(measure, 'gmax');
    return overLists(measure, () => err(graded, k, gmax), relevant, gained);
  },
  describe: (measure) =>
    `Expected reciprocal rank ${upTo(measure)}: a slot satisfies with (2^grade - 1) / 2^${measure.params.get('gmax')}`,
  docs: {
    value:
      'expected reciprocal rank: sum of q / rank x the product of (1 - q) over the slots above, q = (2^grade - 1) / 2^gmax',
    parameters:
      '`gmax`, at most 30: the highest grade of `grades`, always printed; it must be given where a grade comes from a value or is above 30. A grade above it counts as `gmax`',
  },
  examples: [{ of: 'err(gmax=3)', list: GRADED, value: 0.922002, agrees: 'gdeval with `gmax=4`' }],
};
