import type { Joined } from '../vocabulary/events.ts';
import type { Catalogue } from './catalogue.ts';

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
export function novelty({ items }: Joined, slots: number, catalogue: Catalogue, users: number): number {
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
