import type { Joined } from '../vocabulary/events.ts';
import { cutOf, numberOf } from './bound.ts';
import type { MeasureDefinition } from './definition.ts';
import { whole } from './grammar/parameters.ts';
import { upTo } from './grammar/phrases.ts';
import type { ItemCatalogue } from './item-catalogue.ts';
import { slotsUpTo } from './places.ts';
import { meanStep } from './step.ts';

/**
 * `novelty(users=N)[@k]`: how surprising the items at ranks up to k are, in bits.
 * Convention: -log2(popularity / users), averaged over the slots of a list, then over lists; popularity is the number of
 * users who know the item, of N. A slot whose item has no popularity in the catalogue, or 0, is left out and counted.
 * Example: lists abc, abd, ace with a 50, b 25, c 10, d 5, e 1 of 100 users: 2.734404.
 * Source: Zhou and others, PNAS 107 (2010), "mean self-information". Agrees with Evidently `Novelty`.
 *
 * @param slots number of slots of rank <= k
 * @returns NaN: left out
 */
export function novelty({ items }: Joined, slots: number, catalogue: ItemCatalogue, users: number): number {
  let sum = 0;
  let known = 0;
  for (let s = 0; s < slots; s++) {
    const popularity = catalogue.popularity(items?.[s] ?? '') ?? 0;
    if (popularity === 0) continue;
    sum += Math.log2(users / popularity);
    known++;
  }
  return sum / known;
}

export const NOVELTY: MeasureDefinition = {
  name: 'novelty',
  kind: 'list',
  takesCut: true,
  params: { users: { ...whole(undefined, Number.MAX_SAFE_INTEGER), always: true } },
  better: 'higher',
  range: [0, Number.POSITIVE_INFINITY],
  dependsOnOrder: () => true,
  needs: () => ['items'],
  asksCatalogue: () => 'popularity',
  catalogueProblem: (measure, { mostPopular }) => {
    const users = numberOf(measure, 'users');
    if (mostPopular === undefined || mostPopular.popularity <= users) return undefined;
    return `the item "${mostPopular.item}" of the catalogue has popularity ${mostPopular.popularity}, more than users=${users}`;
  },
  leavesListsOut: true,
  bind: (measure, { views, catalogue }) => {
    const k = cutOf(measure);
    const users = numberOf(measure, 'users');
    return meanStep((list) => novelty(list, slotsUpTo(list, k), catalogue, users), views.usual());
  },
  describe: (measure) =>
    `Mean of -log2(popularity / ${measure.params.get('users')}) of the items ${upTo(measure)}, popularity as the catalogue says`,
  docs: {
    value: 'mean of -log2(popularity / users): bits of surprise',
    parameters:
      '`users`, always printed: of how many users the popularity counts those who know the item. Needs the catalogue',
  },
  examples: [{ of: 'novelty(users=100)', list: 'shown', value: 2.734404, agrees: 'Evidently' }],
};
