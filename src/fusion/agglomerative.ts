import { type Ballots, FusionError } from './ballots.ts';
import { as, atLeast0, type Method } from './method.ts';
import { preferences } from './pairwise.ts';

/** Limit of the number of voters, since every pair of them is compared. */
const MOST_VOTERS = 500;

/**
 * Agglomerative aggregation: the two most similar lists are merged, then the next two, until one is left.
 *
 * A list starts with the weight 1 + pairs of items on which it agrees with the majority, and its items with the scores
 * (L² - 2 L (rank - 1) - L) / 2. Similarity is Spearman's rho over items that both lists contain, with the length of the first:
 * 1 - 6 sum d² / (L³ - L). A merged list contains the items of both; with weights w1 and w2
 *
 *   score of an item of both: (w1 s1 + w2 s2) / (w1 + w2); of one: unchanged
 *   weight: (c1 w1 + c2 w2) / (c1 + c2)
 *
 * Ties between pairs are broken by the contents of the lists, so the order of voters does not matter. A list of one item is
 * unlike every other (rho -1).
 *
 * S. Chatterjee, A. Mukhopadhyay and M. Bhattacharyya, "A weighted rank aggregation approach towards crowd opinion analysis",
 * Knowledge-Based Systems 149, 2018. PyFLAGR's Agglomerative.
 *
 * Example: lists a b c and b a c: weights 1 + 2 (a and b tie; both agree on a c and b c), scores 3 0 -3; merged a 1.5, b 1.5,
 * c -3.
 */
export const agglomerative: Method = {
  name: 'agglomerative',
  params: {
    as,
    c1: atLeast0('share of the first list in the weight of a merged one', 0.1),
    c2: atLeast0('share of the second', 0.5),
  },
  summary: 'merges the two most similar lists until one is left',
  source: 'Chatterjee, Mukhopadhyay and Bhattacharyya, Knowledge-Based Systems 149, 2018',
  cost: 'n² v + n v² + v³',
  fuse: (ballots, params) => {
    const c1 = params.number('c1');
    const c2 = params.number('c2');
    if (c1 + c2 === 0) throw new FusionError('c1 and c2 are both 0; one must be above');
    const voters = ballots.ballots.length;
    if (voters > MOST_VOTERS) {
      throw new FusionError(
        `agglomerative compares every pair of voters, of at most ${MOST_VOTERS}, and there are ${voters}`,
      );
    }
    const lists = partsOf(ballots);
    const similar = new Similarities(lists);
    let last = 0;
    for (let left = voters; left > 1; left--) {
      const [into, from] = similar.closest();
      merge(lists[into], lists[from], c1, c2);
      similar.merged(into, from);
      last = into;
    }
    return lists[last].scores;
  },
};

/** A list, or several merged ones. */
interface Part {
  weight: number;
  /** Scores by item; NaN: not in the list. */
  readonly scores: Float64Array;
  /** Number of voters who listed each item. */
  readonly votes: Int32Array;
  /** Places from 0, by item; -1: not in the list. */
  readonly places: Int32Array;
  order: Int32Array;
}

function partsOf(ballots: Ballots): readonly Part[] {
  const before = preferences(ballots, 'agglomerative');
  const n = ballots.items.length;
  return ballots.ballots.map(({ items, ranks }) => {
    const scores = new Float64Array(n).fill(Number.NaN);
    const length = items.length;
    let weight = 1;
    for (let place = 0; place < length; place++) {
      scores[items[place]] = 0.5 * (length * length - 2 * length * place - length);
      const row = items[place];
      for (let j = 0; j < n; j++) {
        const isBefore = ranks[j] === 0 || ranks[j] > place + 1;
        if (isBefore && before[row * n + j] > before[j * n + row]) weight++;
      }
    }
    const part = {
      weight,
      scores,
      votes: ranks.map((rank) => (rank > 0 ? 1 : 0)),
      places: new Int32Array(n),
      order: items,
    };
    setOrder(part);
    return part;
  });
}

function setOrder(part: Part): void {
  const { scores, votes, places } = part;
  const items = Array.from(scores.keys()).filter((item) => !Number.isNaN(scores[item]));
  items.sort((a, b) => scores[b] - scores[a] || votes[b] - votes[a] || a - b);
  part.order = Int32Array.from(items);
  places.fill(-1);
  for (const [place, item] of items.entries()) places[item] = place;
}

function merge(into: Part, from: Part, c1: number, c2: number): void {
  for (const item of from.order) {
    const own = into.scores[item];
    const other = from.scores[item];
    into.scores[item] = Number.isNaN(own)
      ? other
      : (into.weight * own + from.weight * other) / (into.weight + from.weight);
    into.votes[item] += from.votes[item];
  }
  into.weight = (c1 * into.weight + c2 * from.weight) / (c1 + c2);
  setOrder(into);
}

function rho(a: Part, b: Part): number {
  const length = a.order.length;
  if (length < 2) return -1;
  let sum = 0;
  for (let place = 0; place < length; place++) {
    const other = b.places[a.order[place]];
    if (other >= 0) sum += (place - other) ** 2;
  }
  return 1 - (6 * sum) / (length ** 3 - length);
}

/** For each list, the most similar other one. */
class Similarities {
  readonly #lists: readonly Part[];
  readonly #gone: Uint8Array;
  /** Similarity from list a to list b, at index a * v + b. */
  readonly #values: Float64Array;

  constructor(lists: readonly Part[]) {
    this.#lists = lists;
    this.#gone = new Uint8Array(lists.length);
    this.#values = new Float64Array(lists.length ** 2);
    for (let a = 0; a < lists.length; a++) this.#compare(a);
  }

  /** The two most similar lists; the first pair of equally similar ones. */
  closest(): [into: number, from: number] {
    const v = this.#lists.length;
    let best: [number, number] = [0, 0];
    let most = Number.NEGATIVE_INFINITY;
    for (let a = 0; a < v; a++) {
      if (this.#gone[a] === 1) continue;
      for (let b = 0; b < v; b++) {
        if (a === b || this.#gone[b] === 1 || this.#values[a * v + b] <= most) continue;
        most = this.#values[a * v + b];
        best = [a, b];
      }
    }
    return best;
  }

  merged(into: number, from: number): void {
    this.#gone[from] = 1;
    this.#compare(into);
  }

  #compare(a: number): void {
    const v = this.#lists.length;
    for (let b = 0; b < v; b++) {
      if (a === b || this.#gone[b] === 1) continue;
      this.#values[a * v + b] = rho(this.#lists[a], this.#lists[b]);
      this.#values[b * v + a] = rho(this.#lists[b], this.#lists[a]);
    }
  }
}
