/** What judged queries show about a voter, for methods that learn from them. */
export interface Lesson {
  /** Number of judged queries. */
  readonly queries: number;
  /** Sum of the voter's average precision over these queries; 0 for a query that it did not answer. */
  readonly precisionSum: number;
  /** Number of its relevant items by bucket of ranks, over all queries. */
  readonly hits: Float64Array;
}

/** Lessons by voter; undefined: nothing that it listed was judged. */
export type Training = (voter: string) => Lesson | undefined;

/** Last ranks of the buckets: trec_eval's precision levels, as in Aslam and Montague (2001) and ranx. */
export const BUCKET_ENDS: readonly number[] = [5, 10, 15, 20, 30, 100, 200, 500, 1000];

/** A training without any lessons. */
export const UNTRAINED: Training = () => undefined;

interface Answer {
  readonly precision: number;
  readonly hits: readonly number[];
}

/** The sums of a voter's lists. */
interface VoterRecord {
  readonly answers: Map<string, Answer>;
  precisionSum: number;
  readonly hits: Float64Array;
}

/** Collects the lessons of judged queries. The lists of a query are never fused with that query's own lessons. */
export class Lessons {
  readonly #records = new Map<string, VoterRecord>();
  readonly #queries = new Set<string>();

  /** Adds a judged query, whether or not a voter has a list for it. */
  addQuery(query: string): void {
    this.#queries.add(query);
  }

  /**
   * Adds a voter's list for a query. A second list of the voter replaces the first.
   * @param relevant whether each item of the list is relevant, best first; a repeated item is included once
   * @param known number of relevant items of the query, listed or not
   */
  add(query: string, voter: string, relevant: readonly boolean[], known: number): void {
    this.#queries.add(query);
    let record = this.#records.get(voter);
    if (record === undefined) {
      record = { answers: new Map(), precisionSum: 0, hits: new Float64Array(BUCKET_ENDS.length) };
      this.#records.set(voter, record);
    }
    const answer = answerOf(relevant, known);
    count(record, record.answers.get(query), -1);
    count(record, answer, 1);
    record.answers.set(query, answer);
  }

  /** The lessons of all judged queries except this one. */
  without(query: string): Training {
    const queries = this.#queries.size - (this.#queries.has(query) ? 1 : 0);
    return (voter) => {
      if (queries === 0) return undefined;
      const { precisionSum = 0, hits = NO_HITS, answers } = this.#records.get(voter) ?? {};
      const own = answers?.get(query);
      if (own === undefined) return { queries, precisionSum, hits };
      return {
        queries,
        // Subtraction must not leave a precision below 0.
        precisionSum: Math.max(0, precisionSum - own.precision),
        hits: hits.map((hit, bucket) => hit - own.hits[bucket]),
      };
    };
  }
}

const NO_HITS = new Float64Array(BUCKET_ENDS.length);

function answerOf(relevant: readonly boolean[], known: number): Answer {
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
  return { precision: known === 0 ? 0 : sum / known, hits };
}

function count(record: VoterRecord, answer: Answer | undefined, times: 1 | -1): void {
  if (answer === undefined) return;
  record.precisionSum += times * answer.precision;
  for (let bucket = 0; bucket < record.hits.length; bucket++) record.hits[bucket] += times * answer.hits[bucket];
}
