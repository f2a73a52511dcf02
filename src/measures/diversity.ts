import type { Joined } from '../vocabulary/events.ts';
import { cutOf } from './bound.ts';
import type { MeasureDefinition } from './definition.ts';
import { upTo } from './grammar/phrases.ts';
import type { ItemCatalogue } from './item-catalogue.ts';
import { slotsUpTo } from './places.ts';
import { meanStep } from './step.ts';

/**
 * `diversity[@k]`: share of the pairs of slots at ranks up to k whose items have different categories.
 * Convention: the event's category takes precedence over the catalogue's; a slot without any is left out and counted; a list
 * with fewer than two others is left out. The copies of a repeated item are pairs of one category.
 * Example: lists abc, abd, ace with a:x b:x c:y d:y e:z: (2/3 + 2/3 + 1) / 3 = 7/9.
 * Source: intra-list diversity of Ziegler and others, WWW 2005, with distance 1 between categories. (Evidently's diversity
 * divides by the items, not by the pairs.)
 *
 * @param slots number of slots of rank <= k
 * @returns NaN: left out
 */
export function diversity({ items, categories }: Joined, slots: number, catalogue: ItemCatalogue): number {
  const sizes = new Map<string, number>();
  let known = 0;
  let same = 0;
  for (let s = 0; s < slots; s++) {
    const category = categories?.[s] || catalogue.category(items?.[s] ?? '');
    if (category === undefined) continue;
    const size = sizes.get(category) ?? 0;
    same += size;
    sizes.set(category, size + 1);
    known++;
  }
  const pairs = (known * (known - 1)) / 2;
  return (pairs - same) / pairs;
}

export const DIVERSITY: MeasureDefinition = {
  name: 'diversity',
  kind: 'list',
  takesCut: true,
  params: {},
  better: 'higher',
  range: [0, 1],
  dependsOnOrder: () => true,
  needs: () => ['items', 'categories'],
  asksCatalogue: () => 'category',
  leavesListsOut: true,
  bind: (measure, { views, catalogue }) => {
    const k = cutOf(measure);
    return meanStep((list) => diversity(list, slotsUpTo(list, k), catalogue), views.usual());
  },
  describe: (measure) => `Share of pairs of slots ${upTo(measure)} whose items have different categories`,
  docs: {
    value: 'share of the pairs of slots whose items have different categories. Fewer than two known: left out',
    parameters: "a category in the event (`items[].category`) wins over the catalogue's",
  },
  examples: [
    { of: 'diversity', list: 'shown', value: 0.777778, agrees: 'Evidently divides by the items, not by the pairs' },
  ],
};
