import type { MeasureDefinition } from './definition.ts';
import { exposureWords } from './exposures.ts';
import { exposure, word } from './grammar/parameters.ts';
import { upTo, worded } from './grammar/phrases.ts';

/**
 * `entropy[@k]`: how evenly exposure is spread over the items that were shown, in bits.
 * Convention: -sum p log2 p over the shares p of exposure (Shannon). `norm=max`: over log2 of the number of items shown, so
 * that an even spread is 1. `exposure` as in gini.
 * Example: lists abc, abd, ace: 2.197160; `norm=max` 0.946265.
 * Source: Shannon 1948; Evidently and RecBole `ShannonEntropy` use the natural logarithm: multiply theirs by 1 / ln 2.
 *
 * @param ascending exposures of the items that were shown, ascending
 * @returns NaN without any exposure; with `normalised`, also for one item
 */
export function entropy(ascending: readonly number[], normalised: boolean): number {
  if (ascending.length === 0) return Number.NaN;
  const total = ascending.reduce((sum, x) => sum + x, 0);
  let bits = 0;
  for (const x of ascending) bits -= (x / total) * Math.log2(x / total);
  const most = Math.log2(ascending.length);
  return normalised ? Math.min(1, bits / most) : bits;
}

export const ENTROPY: MeasureDefinition = {
  name: 'entropy',
  kind: 'items',
  takesCut: true,
  params: { norm: word('none', 'max'), exposure },
  better: 'higher',
  range: [0, Number.POSITIVE_INFINITY],
  dependsOnOrder: () => true,
  needs: () => ['items'],
  ofItems: { from: 'exposures', value: (ascending, { params }) => entropy(ascending, params.get('norm') === 'max') },
  describe: (measure) => {
    const norm = worded(measure, 'norm', { none: 'in bits', max: 'over its largest value for as many items' });
    return `Entropy of the exposure of items ${upTo(measure)}, over all lists together, ${norm}${exposureWords(measure)}`;
  },
  docs: {
    value: 'how evenly exposure is spread: -sum p log2 p of its shares p, in bits',
    parameters: '`norm`: `none`, `max` (over log2 of the number of items); `exposure` as gini',
  },
  examples: [
    { of: 'entropy', list: 'shown', value: 2.19716 },
    { of: 'entropy(norm=max)', list: 'shown', value: 0.946265 },
  ],
};
