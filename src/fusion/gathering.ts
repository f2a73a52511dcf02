import type { RankedList } from './ballots.ts';

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
