import { type Ballots, FusionError } from './ballots.ts';

/** With this many items, two matrices of items squared take 256 MB. */
const MOST_ITEMS = 4000;

/**
 * How many voters (or how much weight of voters) put item i before item j, at index i * n + j. An item that a voter listed precedes all
 * that it did not; between two unlisted items it has no preference.
 * @param weights of the ballots; undefined: all 1
 * @throws FusionError for more than MOST_ITEMS items
 */
export function preferences(ballots: Ballots, method: string, weights?: ArrayLike<number>): Float64Array {
  const n = mustBeFew(ballots, method);
  const before = new Float64Array(n * n);
  for (const [b, { items, ranks }] of ballots.ballots.entries()) {
    const weight = weights === undefined ? 1 : weights[b];
    const unlisted: number[] = [];
    for (let item = 0; item < n; item++) if (ranks[item] === 0) unlisted.push(item);
    for (let place = 0; place < items.length; place++) {
      const row = items[place] * n;
      for (let after = place + 1; after < items.length; after++) before[row + items[after]] += weight;
      for (const item of unlisted) before[row + item] += weight;
    }
  }
  return before;
}

/**
 * The number of items.
 * @throws FusionError for more than MOST_ITEMS
 */
export function mustBeFew({ items }: Ballots, method: string): number {
  if (items.length <= MOST_ITEMS) return items.length;
  const what = `${method} compares every pair of items, of at most ${MOST_ITEMS}, and there are ${items.length}`;
  throw new FusionError(`${what}; cut the lists with --depth, or take a method of ranks such as rrf`);
}
