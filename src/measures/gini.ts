import type { Measure, MeasureDefinition } from './definition.ts';
import { exposureWords } from './exposures.ts';
import { exposure, word } from './grammar/parameters.ts';
import { upTo, worded } from './grammar/phrases.ts';

/**
 * `gini[@k]`: how unequally exposure is shared among items: 0 if all have the same, near 1 if one has all.
 * Convention: sum (2i - m - 1) x_i / (m sum x) over the exposures x of m items, ascending, i from 1. `over=shown`: the items
 * that were shown; `over=catalogue`: exactly the items of the catalogue, with 0 if never shown. `corrected=yes`: m - 1
 * instead of m in the denominator, so that one item with everything is 1. `exposure=log2`: a slot counts 1 / log2(rank + 1).
 * Example: lists abc, abd, ace: 0.222222; corrected 0.277778; over a catalogue of 10 0.611111; `exposure=log2` 0.360522.
 * Agrees with RecBole `GiniIndex` (over=catalogue) and Evidently `GiniIndex` (over=shown, corrected).
 *
 * @param ascending exposures of the items that were shown, ascending
 * @param items m: their number, or the size of the catalogue
 * @returns NaN without any exposure; with `corrected`, also for one item
 */
export function gini(ascending: readonly number[], items: number, corrected: boolean): number {
  const unseen = items - ascending.length;
  let weighted = 0;
  let total = 0;
  for (const [i, x] of ascending.entries()) {
    weighted += (2 * (unseen + i + 1) - items - 1) * x;
    total += x;
  }
  return weighted / ((corrected ? items - 1 : items) * total);
}

export const GINI: MeasureDefinition = {
  name: 'gini',
  kind: 'items',
  takesCut: true,
  params: { over: word('shown', 'catalogue'), corrected: word('no', 'yes'), exposure },
  better: 'lower',
  range: [0, 1],
  dependsOnOrder: () => true,
  needs: () => ['items'],
  asksCatalogue: (measure) => (isOverCatalogue(measure) ? 'item' : undefined),
  ofItems: {
    from: 'exposures',
    value: (ascending, measure, catalogueSize) => {
      const items = isOverCatalogue(measure) ? catalogueSize : ascending.length;
      return gini(ascending, items, measure.params.get('corrected') === 'yes');
    },
  },
  describe: (measure) => {
    const over = worded(measure, 'over', {
      shown: 'the items that were shown',
      catalogue: 'all items of the catalogue',
    });
    const corrected = worded(measure, 'corrected', { yes: ', corrected by m / (m - 1) for m items' });
    return `Gini coefficient of the exposure of ${over} ${upTo(measure)}, over all lists together${corrected}${exposureWords(measure)}`;
  },
  docs: {
    value: 'how unequally exposure is shared among items: 0 if all have the same, near 1 if one has all',
    parameters:
      '`over`: `shown` items, `catalogue` (all of it; never shown is 0); `corrected`: `no`, `yes` (m - 1 for m items); `exposure`: `count` (1 a slot), `log2` (1 / log2(rank + 1))',
  },
  examples: [
    { of: 'gini', list: 'shown', value: 0.222222 },
    { of: 'gini(corrected=yes)', list: 'shown', value: 0.277778, agrees: 'Evidently' },
    { of: 'gini(over=catalogue)', list: 'shown', value: 0.611111, agrees: 'RecBole GiniIndex' },
    { of: 'gini(exposure=log2)', list: 'shown', value: 0.360522 },
  ],
};

function isOverCatalogue({ params }: Measure): boolean {
  return params.get('over') === 'catalogue';
}
