import { type Ballots, FusionError } from './ballots.ts';
import { as, type Method } from './method.ts';
import { mustBeFew, preferences } from './pairwise.ts';

/** Most items in one cycle of majorities: 2 ** 18 subsets are searched. */
const MOST_IN_CIRCLE = 18;

/**
 * Kemeny's order: the one that agrees with the voters on the most pairs of items.
 *
 *   agreement(order) = sum over pairs i before j of the order of the voters who put i before j
 *
 * A voter prefers what it listed to what it did not; `as=flagr` counts, like PyFLAGR's KemenyOptimal, only pairs that a voter
 * listed, divided by the pairs of its list. Among several best orders it takes the one whose ids come first. Score: n - rank + 1.
 *
 * Exact: where a majority never leads back from a set of items, the order of the sets is known (M. Truchon, "An extension of
 * the Condorcet criterion and Kemeny orders", 1998); within a set all subsets are searched, as by M. Held and R. M. Karp for
 * routes (1962). So a query is too hard only if more than 18 items are in one cycle of majorities; then it is an error.
 *
 * J. G. Kemeny, "Mathematics without numbers", Daedalus 88, 1959.
 *
 * Example: lists a b c, a b c, b c a: a before b 2, b before c 3, a before c 2: a b c agrees 7 times, b c a 5 times.
 */
export const kemeny: Method = {
  name: 'kemeny',
  params: { as },
  summary: 'the order that agrees with the voters on the most pairs, exactly',
  source: 'Kemeny, Daedalus 88, 1959',
  cost: 'n² v + 2^c c², c ≤ 18 items in one circle of majorities',
  fuse: (ballots, params) => {
    const before = pairWeights(ballots, 'kemeny', params.flagr);
    const n = ballots.items.length;
    const order: number[] = [];
    for (const circle of circles(before, n)) order.push(...bestOrder(before, n, circle));
    return scoresOf(order);
  },
};

/**
 * Kemeny's order by local search: starting from Copeland's order, single items are moved to where the order agrees the most,
 * until no move of one item improves it. It accepts as many items as other methods of pairs, and may miss the best order.
 *
 * The moves: F. Schalekamp and A. van Zuylen, "Rank aggregation: together we're strong", ALENEX 2009, "local search".
 *
 * Example: as for `kemeny`. Without a cycle of majorities both give the same order.
 */
export const kemenyLocal: Method = {
  name: 'kemeny_local',
  params: { as },
  summary: 'as kemeny, by moves of single items until none agrees on more',
  source: 'Schalekamp and van Zuylen, ALENEX 2009',
  cost: 'n² (v + rounds)',
  fuse: (ballots, params) => {
    const before = pairWeights(ballots, 'kemeny_local', params.flagr);
    return scoresOf(moved(before, ballots.items.length));
  },
};

function scoresOf(order: readonly number[]): Float64Array {
  const scores = new Float64Array(order.length);
  for (const [place, item] of order.entries()) scores[item] = order.length - place;
  return scores;
}

function pairWeights(ballots: Ballots, method: string, flagr: boolean): Float64Array {
  if (!flagr) return preferences(ballots, method);
  const n = mustBeFew(ballots, method);
  const before = new Float64Array(n * n);
  for (const { items } of ballots.ballots) {
    const pairs = (items.length * (items.length - 1)) / 2;
    for (let place = 0; place < items.length; place++) {
      for (let after = place + 1; after < items.length; after++) before[items[place] * n + items[after]] += 1 / pairs;
    }
  }
  return before;
}

/** Items ordered by majorities won, then by id. */
function byWins(before: Float64Array, n: number): number[] {
  const wins = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      const margin = before[i * n + j] - before[j * n + i];
      if (i !== j) wins[i] += margin > 0 ? 1 : margin === 0 ? 0.5 : 0;
    }
  }
  return Array.from({ length: n }, (_, item) => item).sort((a, b) => wins[b] - wins[a] || a - b);
}

/**
 * Sets of items, ordered so that no majority puts an item before one of an earlier set: the strongly connected components of strict
 * majorities (R. Tarjan, 1972, which finds the last set first).
 */
function circles(before: Float64Array, n: number): readonly (readonly number[])[] {
  const index = new Int32Array(n).fill(-1);
  const low = new Int32Array(n);
  const onStack = new Uint8Array(n);
  const stack: number[] = [];
  const found: number[][] = [];
  let count = 0;
  const beats = (i: number, j: number): boolean => before[i * n + j] > before[j * n + i];
  const enter = (item: number): { item: number; next: number } => {
    index[item] = count;
    low[item] = count++;
    stack.push(item);
    onStack[item] = 1;
    return { item, next: 0 };
  };
  for (let root = n - 1; root >= 0; root--) {
    if (index[root] >= 0) continue;
    const trail = [enter(root)];
    while (trail.length > 0) {
      const top = trail[trail.length - 1];
      const { item } = top;
      if (top.next < n) {
        const other = n - 1 - top.next++;
        if (other === item || !beats(item, other)) continue;
        if (index[other] < 0) trail.push(enter(other));
        else if (onStack[other] === 1) low[item] = Math.min(low[item], index[other]);
        continue;
      }
      trail.pop();
      const above = trail.at(-1);
      if (above !== undefined) low[above.item] = Math.min(low[above.item], low[item]);
      if (low[item] === index[item]) found.push(popped(stack, onStack, item));
    }
  }
  return found.reverse();
}

function popped(stack: number[], onStack: Uint8Array, last: number): number[] {
  const circle = stack.splice(stack.lastIndexOf(last));
  for (const item of circle) onStack[item] = 0;
  return circle.sort((a, b) => a - b);
}

/** The best order of a few items. For each subset, it computes the best agreement that its items can have as the last ones of the order. */
function bestOrder(before: Float64Array, n: number, circle: readonly number[]): readonly number[] {
  const c = circle.length;
  if (c === 1) return circle;
  if (c > MOST_IN_CIRCLE) {
    const what = `majorities turn ${c} items in one circle, and kemeny searches at most ${MOST_IN_CIRCLE}`;
    throw new FusionError(`${what}; take kemeny_local, or cut the lists with --depth`);
  }
  const best = new Float64Array(2 ** c);
  const first = new Int8Array(2 ** c);
  const gain = new Float64Array(c);
  for (let set = 1; set < best.length; set++) {
    best[set] = Number.NEGATIVE_INFINITY;
    for (let a = 0; a < c; a++) {
      if ((set & (1 << a)) === 0) continue;
      gain[a] = 0;
      for (let b = 0; b < c; b++) {
        if (b !== a && (set & (1 << b)) !== 0) gain[a] += before[circle[a] * n + circle[b]];
      }
      const total = gain[a] + best[set ^ (1 << a)];
      if (total > best[set]) {
        best[set] = total;
        first[set] = a;
      }
    }
  }
  const order: number[] = [];
  for (let set = best.length - 1; set > 0; set ^= 1 << first[set]) order.push(circle[first[set]]);
  return order;
}

/** An order that no move of a single item improves. */
function moved(before: Float64Array, n: number): readonly number[] {
  const order = byWins(before, n);
  // A move gains a whole number of votes, or shares of lists; a smaller gain is rounding.
  const least = 1e-9;
  for (let changed = true; changed; ) {
    changed = false;
    for (const item of [...order]) {
      const from = order.indexOf(item);
      const { to, gain } = bestPlace(before, n, order, from);
      if (gain <= least) continue;
      order.splice(from, 1);
      order.splice(to, 0, item);
      changed = true;
    }
  }
  return order;
}

function bestPlace(
  before: Float64Array,
  n: number,
  order: readonly number[],
  from: number,
): { readonly to: number; readonly gain: number } {
  const item = order[from];
  const margin = (other: number): number => before[item * n + other] - before[other * n + item];
  let to = from;
  let gain = 0;
  let up = 0;
  for (let place = from - 1; place >= 0; place--) {
    up += margin(order[place]);
    if (up > gain) [to, gain] = [place, up];
  }
  let down = 0;
  for (let place = from + 1; place < order.length; place++) {
    down -= margin(order[place]);
    if (down > gain) [to, gain] = [place, down];
  }
  return { to, gain };
}
