import { chosen, gradedSlotsOf, numberOf, overLists } from './bound.ts';
import { GRADED, type Measure, type MeasureDefinition } from './definition.ts';
import type { Discount, Gain } from './gain.ts';
import * as discounts from './gain.ts';
import * as gains from './gain.ts';
import type { Graded } from './grade.ts';
import { judged, word } from './grammar/parameters.ts';
import { upTo, worded } from './grammar/phrases.ts';
import type { Counted } from './step.ts';

/**
 * Discounted cumulative gain: the sum over ranks r <= k of gain(grade) / disc(r).
 * Jarvelin and Kekalainen 2002 (gain: the grade); Burges et al. 2005 (`gain=exp`). With the defaults like scikit-learn
 * dcg_score and ranx; with `gain=exp` like FLAGR; with `discount=clipped` like LensKit.
 *
 * Example: grades 3 2 3 0 1 2 give 6.861127 at k = 6, with `gain=exp` 13.848264, with `discount=clipped` 8.097171.
 */
export function dcg(graded: Graded, k: number, gain: Gain, discount: Discount): number {
  const { count, ranks, grades } = graded;
  let sum = 0;
  for (let i = 0; i < count && ranks[i] <= k; i++) sum += gain(grades[i]) * discount(ranks[i]);
  return sum;
}

/** Parameters of dcg and ndcg. */
export const gainAndDiscount = {
  gain: word('linear', 'exp', 'binary'),
  discount: word('log2', 'clipped', 'ln', 'none'),
};

export function gainOf(measure: Measure): Gain {
  const { linear, exp } = gains;
  return chosen(measure, 'gain', { linear, exp, binary: gains.binary(numberOf(measure, 'rel')) });
}

export function discountOf(measure: Measure): Discount {
  const { log2, clipped, ln, none } = discounts;
  return chosen(measure, 'discount', { log2, clipped, ln, none });
}

/** What makes a list count towards n+: a positive with `gain=binary`, otherwise any grade above 0. */
export function gainingOf(measure: Measure, { relevant, gained }: { relevant: Counted; gained: Counted }): Counted {
  return measure.params.get('gain') === 'binary' ? relevant : gained;
}

export function takesEveryGain(params: Measure['params']): boolean {
  return params.get('gain') !== 'binary';
}

export function gainAndDiscountWords(measure: Measure): string {
  const gain = worded(measure, 'gain', { linear: 'the grade', exp: '2^grade - 1', binary: '1 for a positive' });
  const discount = worded(measure, 'discount', {
    log2: 'log2(rank + 1)',
    clipped: 'log2(max(rank, 2))',
    ln: 'ln(rank + 1)',
    none: '1',
  });
  return `gain ${gain}, discount ${discount}`;
}

export const DCG: MeasureDefinition = {
  name: 'dcg',
  trecEval: ['dcg', 'dcg_cut'],
  kind: 'grades',
  takesCut: true,
  params: { ...judged, ...gainAndDiscount },
  better: 'higher',
  range: [0, Number.POSITIVE_INFINITY],
  dependsOnOrder: () => true,
  takesEveryGrade: takesEveryGain,
  bind: (measure, { views }) => {
    const slots = gradedSlotsOf(measure, views);
    const { graded, k, relevant } = slots;
    const gain = gainOf(measure);
    const discount = discountOf(measure);
    return overLists(measure, () => dcg(graded, k, gain, discount), relevant, gainingOf(measure, slots));
  },
  describe: (measure) => `Discounted cumulative gain ${upTo(measure)}: ${gainAndDiscountWords(measure)}`,
  docs: {
    value: 'sum of gain / discount over ranks up to k',
    parameters:
      '`gain`: `linear` (the grade, any number from 0 up), `exp` (2^grade - 1; grades up to 30), `binary`; `discount`: `log2` = log2(rank + 1), `clipped` = log2(max(rank, 2)), `ln` = ln(rank + 1), `none`',
  },
  examples: [
    { of: 'dcg@6', list: GRADED, value: 6.861127, agrees: 'scikit-learn dcg_score, ranx' },
    { of: 'dcg(gain=exp)@6', list: GRADED, value: 13.848264, agrees: 'FLAGR' },
    { of: 'dcg(discount=clipped)@6', list: GRADED, value: 8.097171, agrees: 'LensKit' },
    { of: 'dcg(discount=ln)@6', list: GRADED, value: 9.898513 },
  ],
};
