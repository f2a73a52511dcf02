/**
 * Merging ranked lists of several voters (runs, rankers, people) into one: `receval/fusion`.
 *
 * @example
 * fusion('rrf').fuse([{ items: ['a', 'b', 'c'] }, { items: ['b', 'd'] }]);
 * // [{ item: 'b', score: 0.0325 }, { item: 'a', score: 0.0164 }, { item: 'd', score: 0.0161 }, { item: 'c', score: 0.0159 }]
 * fusion(' CombSUM( norm=rank )').name; // 'combsum(norm=rank)'
 * methods()[0]; // 'combsum'
 */
import { type RankedList, readBallots } from './ballots.ts';
import { parseMethod } from './method-name.ts';
import { METHODS } from './methods.ts';
import { type FusedItem, orderOf, rounded } from './ranking.ts';
import { Lessons, type Training, UNTRAINED } from './training.ts';

export interface Fusion {
  /** The canonical name: equal methods have equal names, and the name contains every parameter that is not the default. */
  readonly name: string;
  /** What the method does, in one sentence. */
  readonly summary: string;
  /** The paper. */
  readonly source: string;
  /** Whether it learns from judged queries. Then `fuse` needs lessons, and lists need `voter`. */
  readonly trained: boolean;
  /**
   * The merged list of one query, best first: by score, then by the number of lists that contain the item, then by id
   * (ascending code units). It does not depend on the order of the lists. Empty lists do not vote; if all are empty, so is the
   * result.
   *
   * @param training for methods that learn: `learn(judged).without(query)`
   * @throws FusionError if a list does not have as many scores as items, if the method needs scores or lessons that are
   * missing, or if the lists are too long for it; the message says what to do
   */
  fuse(lists: readonly RankedList[], training?: Training): FusedItem[];
}

/**
 * The method of this name, such as `rrf(k=60)` or `combsum(norm=rank)`. Convention, formula, paper and a worked example of
 * each are at the top of its own file.
 *
 * @throws FusionError (an Error with this name) if the name is wrong; the message says what is right
 */
export function fusion(name: string): Fusion {
  const { method, params, canonical } = parseMethod(name);
  const above = params.number('above');
  return {
    name: canonical,
    summary: method.summary,
    source: method.source,
    trained: method.trained === true,
    fuse: (lists, training = UNTRAINED) => {
      const ballots = readBallots(lists, params.flagr ? 'given' : 'content');
      if (ballots.ballots.length === 0) return [];
      const exact = method.fuse(ballots, params, training);
      const scores = params.flagr ? exact : rounded(exact);
      const order = orderOf(ballots, scores).filter((item) => scores[item] > above);
      return Array.from(order, (item) => ({ item: ballots.items[item], score: scores[item] }));
    },
  };
}

/** Names of all methods. */
export function methods(): string[] {
  return METHODS.map(({ name }) => name);
}

/** A query whose relevant items are known. */
export interface JudgedQuery {
  readonly query: string;
  /** Ids of all relevant items, listed or not. */
  readonly relevant: readonly string[];
  /** Lists, each with its `voter`. */
  readonly lists: readonly RankedList[];
}

/** Collects what methods can learn from judged queries. Use `without(query)`: no query may learn from itself. */
export function learn(judged: Iterable<JudgedQuery>): Lessons {
  const lessons = new Lessons();
  for (const { query, relevant, lists } of judged) {
    lessons.addQuery(query);
    const known = new Set(relevant);
    for (const { items, voter = '' } of lists) {
      const found = new Set<string>();
      const hits = items.map((item) => known.has(item) && found.size < found.add(item).size);
      lessons.add(query, voter, hits, known.size);
    }
  }
  return lessons;
}
