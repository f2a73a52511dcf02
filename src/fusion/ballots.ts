/** An error for a method that does not exist, or cannot merge the lists. The message says what was expected, or what to do. */
export class FusionError extends Error {
  override readonly name = 'FusionError';
}

/** One voter's (a run's, a ranker's, a person's) list for one query. */
export interface RankedList {
  /** Ids, best first. An id that appears twice counts at its first place; later items move up. */
  readonly items: readonly string[];
  /**
   * Scores of the items, in their order; higher is better. They do not order the list: `items` does. NaN and -Infinity count as the
   * lowest finite score of the list, Infinity as the highest.
   */
  readonly scores?: ArrayLike<number> | undefined;
  /** The voter. Only methods that learn from judgements use it. */
  readonly voter?: string | undefined;
}

/** One voter's list, with items as numbers. */
export interface Ballot {
  readonly voter: string;
  /** Numbers of the items, best first, each once. */
  readonly items: Int32Array;
  /** Scores of `items`, all finite; undefined: the list has none. */
  readonly scores: Float64Array | undefined;
  /** Rank of each item, from 1; 0 if the voter did not list it. */
  readonly ranks: Int32Array;
  /** The list that this one was cut from, if its votes are still on the scale of that list. */
  readonly whole?: Ballot;
}

/** The lists of one query. */
export interface Ballots {
  /** Ids of all listed items, sorted by code units; the index is the item's number. */
  readonly items: readonly string[];
  /** Lists with at least one item: empty lists do not vote. */
  readonly ballots: readonly Ballot[];
}

/**
 * @param order of the ballots: by their contents, so that no result depends on the order or the names of voters, or as given
 * @throws FusionError if a list does not have as many scores as items
 */
export function readBallots(lists: readonly RankedList[], order: 'content' | 'given' = 'content'): Ballots {
  const numbers = new Map<string, number>();
  for (const { items } of lists) for (const item of items) numbers.set(item, 0);
  const items = [...numbers.keys()].sort(byCodeUnits);
  for (const [i, item] of items.entries()) numbers.set(item, i);
  const ballots = lists.flatMap((list) => (list.items.length === 0 ? [] : [readBallot(list, numbers)]));
  return { items, ballots: order === 'given' ? ballots : ballots.sort(byContent) };
}

/** How many voters listed each item. */
export function votesOf({ items, ballots }: Ballots): Int32Array {
  const votes = new Int32Array(items.length);
  for (const ballot of ballots) for (const item of ballot.items) votes[item]++;
  return votes;
}

function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function readBallot(list: RankedList, numbers: ReadonlyMap<string, number>): Ballot {
  const { items: ids, scores: given, voter = '' } = list;
  if (given !== undefined && given.length !== ids.length) {
    throw new FusionError(`a list has ${ids.length} items and ${given.length} scores; expected a score for each item`);
  }
  const ranks = new Int32Array(numbers.size);
  const items = new Int32Array(ids.length);
  const scores = new Float64Array(given === undefined ? 0 : ids.length);
  let count = 0;
  for (let place = 0; place < ids.length; place++) {
    const item = numbers.get(ids[place]) ?? 0;
    if (ranks[item] > 0) continue;
    items[count] = item;
    if (given !== undefined) scores[count] = given[place];
    count++;
    ranks[item] = count;
  }
  return {
    voter,
    items: items.subarray(0, count),
    scores: given === undefined ? undefined : finite(scores.subarray(0, count)),
    ranks,
  };
}

/** Replaces scores that are not finite, in place. */
function finite(scores: Float64Array): Float64Array {
  let lowest = Number.POSITIVE_INFINITY;
  let highest = Number.NEGATIVE_INFINITY;
  for (const score of scores) {
    if (!Number.isFinite(score)) continue;
    if (score < lowest) lowest = score;
    if (score > highest) highest = score;
  }
  const none = lowest > highest;
  for (let i = 0; i < scores.length; i++) {
    if (Number.isFinite(scores[i])) continue;
    if (none) scores[i] = scores[i] === Number.POSITIVE_INFINITY ? 1 : 0;
    else scores[i] = scores[i] === Number.POSITIVE_INFINITY ? highest : lowest;
  }
  return scores;
}

function byContent(a: Ballot, b: Ballot): number {
  return (
    compareNumbers(a.items, b.items) || compareNumbers(a.scores ?? [], b.scores ?? []) || byCodeUnits(a.voter, b.voter)
  );
}

function compareNumbers(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) if (a[i] !== b[i]) return a[i] - b[i];
  return a.length - b.length;
}

/** An item of a merged list. */
export interface FusedItem {
  readonly item: string;
  /** Score by the method; higher is better. */
  readonly score: number;
}

/** Significant digits of scores. Further digits are rounding, which would make equal scores differ. */
const DIGITS = 12;

/** Scores without rounding errors: 12 significant digits, and 0 below 1e-15 of the largest score. */
export function rounded(scores: Float64Array): Float64Array {
  let largest = 0;
  for (const score of scores) if (Math.abs(score) > largest && Number.isFinite(score)) largest = Math.abs(score);
  const least = largest * 1e-15;
  return scores.map((score) => (Math.abs(score) <= least ? 0 : Number(score.toPrecision(DIGITS))));
}

/**
 * Numbers of the items, best first: by score, then by the number of voters who listed them, then by id (ascending). Items
 * whose score is NaN are left out.
 */
export function orderOf(ballots: Ballots, scores: Float64Array): Int32Array {
  const votes = votesOf(ballots);
  const items = new Int32Array(scores.length);
  let count = 0;
  for (let item = 0; item < scores.length; item++) if (!Number.isNaN(scores[item])) items[count++] = item;
  return items.subarray(0, count).sort((a, b) => {
    if (scores[a] !== scores[b]) return scores[a] < scores[b] ? 1 : -1;
    return votes[b] - votes[a] || a - b;
  });
}

/** A list of a numbered voter. */
export interface Vote {
  readonly voter: number;
  readonly query: string;
  readonly list: RankedList;
}

/** All lists of a query, by the numbers of their voters. */
export interface Gathered {
  readonly query: string;
  readonly lists: readonly RankedList[];
}

/** Collects the lists of several voters by query, and keeps the lists of incomplete queries. */
export class Gathering {
  readonly #expected: ReadonlyMap<string, number>;
  readonly #held = new Map<string, Vote[]>();

  /** @param expected number of lists of each query */
  constructor(expected: ReadonlyMap<string, number>) {
    this.#expected = expected;
  }

  /** Adds a list. Returns the query if this was its last list. */
  add(vote: Vote): Gathered | undefined {
    const { query } = vote;
    const votes = this.#held.get(query) ?? [];
    votes.push(vote);
    if (votes.length < (this.#expected.get(query) ?? 1)) {
      this.#held.set(query, votes);
      return undefined;
    }
    this.#held.delete(query);
    return { query, lists: votes.sort((a, b) => a.voter - b.voter).map(({ list }) => list) };
  }
}
