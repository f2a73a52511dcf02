/** The lists and the catalogue by which docs/measures.md gives an example of each measure of the list alone. */
import type { ItemCatalogue } from '../../src/measures/item-catalogue.ts';

export const LISTS = ['abc', 'abd', 'ace'].map((letters) => [...letters]);

const POPULARITY: Readonly<Record<string, number>> = { a: 50, b: 25, c: 10, d: 5, e: 1 };
const CATEGORY: Readonly<Record<string, string>> = { a: 'x', b: 'x', c: 'y', d: 'y', e: 'z' };

export const CATALOGUE: ItemCatalogue = {
  size: 10,
  mostPopular: { item: 'a', popularity: 50 },
  has: (item) => item in POPULARITY,
  popularity: (item) => POPULARITY[item],
  category: (item) => CATEGORY[item],
};
