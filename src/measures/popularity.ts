import type { Joined } from '../vocabulary/events.ts';
import { cutOf } from './bound.ts';
import type { MeasureDefinition } from './definition.ts';
import { upTo } from './grammar/phrases.ts';
import type { ItemCatalogue } from './item-catalogue.ts';
import { slotsUpTo } from './places.ts';
import { meanStep } from './step.ts';

/**
 * `popularity[@k]`: mean popularity of the items at ranks up to k.
 * Convention: the catalogue's popularity, in its own unit, averaged over the slots of a list, then over lists. A slot whose
 * item has none there is left out and counted; a list without any other is left out.
 * Example: lists abc, abd, ace with a 50, b 25, c 10, d 5, e 1: (85 + 80 + 61) / 9 = 25.111111.
 * Agrees with Evidently `Popularity Bias` (ARP); Abdollahpouri and others, RecSys 2017 ("average recommendation popularity").
 *
 * @param slots number of slots of rank <= k
 * @returns NaN: left out
 */
export function popularity({ items }: Joined, slots: number, catalogue: ItemCatalogue): number {
  let sum = 0;
  let known = 0;
  for (let s = 0; s < slots; s++) {
    const value = catalogue.popularity(items?.[s] ?? '');
    if (value === undefined) continue;
    sum += value;
    known++;
  }
  return sum / known;
}

export const POPULARITY: MeasureDefinition = {
  name: 'popularity',
  kind: 'list',
  takesCut: true,
  params: {},
  better: 'higher',
  range: [0, Number.POSITIVE_INFINITY],
  dependsOnOrder: () => true,
  needs: () => ['items'],
  asksCatalogue: () => 'popularity',
  leavesListsOut: true,
  bind: (measure, { views, catalogue }) => {
    const k = cutOf(measure);
    return meanStep((list) => popularity(list, slotsUpTo(list, k), catalogue), views.usual());
  },
  describe: (measure) => `Mean popularity of the items ${upTo(measure)}, as the catalogue says`,
  docs: {
    value: 'mean popularity of the items of a list, in the unit of the catalogue',
    parameters: 'needs the catalogue',
  },
  examples: [{ of: 'popularity', list: 'shown', value: 25.111111, agrees: 'Evidently' }],
};
