/** What judged queries say of a voter, for methods that learn from them. */
export interface Lesson {
  /** Judged queries. */
  readonly queries: number;
  /** Sum over them of the voter's average precision; 0 for a query that it did not answer. */
  readonly precisionSum: number;
  /** By bucket of ranks: relevant items that stood there, over all queries. */
  readonly hits: Float64Array;
}

/** Lessons by voter; undefined: nobody judged what it listed. */
export type Training = (voter: string) => Lesson | undefined;

/** Ranks at which buckets end: those of trec_eval's precision levels, as in Aslam and Montague (2001) and ranx. */
export const BUCKET_ENDS: readonly number[] = [5, 10, 15, 20, 30, 100, 200, 500, 1000];

/** Nothing was judged. */
export const UNTRAINED: Training = () => undefined;

interface Answer {
  readonly precision: number;
  readonly hits: readonly number[];
}

/** Collects what judged queries teach. The lists of a query are never fused by what the same query taught. */
export class Lessons {
  readonly #answers = new Map<string, Map<string, Answer>>();
  readonly #queries = new Set<string>();

  /** A query that somebody judged, whether or not a voter answers it. */
  addQuery(query: string): void {
    this.#queries.add(query);
  }

  /**
   * @param relevant of the list, best first, whether the item is relevant; an item that repeats has it once
   * @param known number of relevant items of the query, listed or not
   */
  add(query: string, voter: string, relevant: readonly boolean[], known: number): void {
    this.#queries.add(query);
    let answers = this.#answers.get(voter);
    if (answers === undefined) {
      answers = new Map();
      this.#answers.set(voter, answers);
    }
    const hits = BUCKET_ENDS.map(() => 0);
    let found = 0;
    let sum = 0;
    let bucket = 0;
    for (const [place, isRelevant] of relevant.entries()) {
      while (bucket < BUCKET_ENDS.length && place >= BUCKET_ENDS[bucket]) bucket++;
      if (!isRelevant) continue;
      found++;
      sum += found / (place + 1);
      if (bucket < BUCKET_ENDS.length) hits[bucket]++;
    }
    answers.set(query, { precision: known === 0 ? 0 : sum / known, hits });
  }

  /** What all judged queries but this one teach. */
  without(query: string): Training {
    const queries = this.#queries.size - (this.#queries.has(query) ? 1 : 0);
    return (voter) => {
      const answers = this.#answers.get(voter);
      if (queries === 0) return undefined;
      const hits = new Float64Array(BUCKET_ENDS.length);
      let precisionSum = 0;
      for (const [other, answer] of answers ?? []) {
        if (other === query) continue;
        precisionSum += answer.precision;
        for (let bucket = 0; bucket < hits.length; bucket++) hits[bucket] += answer.hits[bucket];
      }
      return { queries, precisionSum, hits };
    };
  }
}
