import { Lessons } from '../fusion/training.ts';
import type { Judgements } from '../score/judgements.ts';
import type { OrderedList } from '../score/ordered-lists.ts';

/** What judged queries teach methods that learn. */
export class FileLessons {
  readonly lessons = new Lessons();
  readonly #relevantFrom: number;
  /** By query: its relevant items. */
  readonly #relevant = new Map<string, ReadonlySet<string>>();

  /** @param relevantFrom lowest grade that is relevant */
  constructor(judgements: Judgements, relevantFrom: number) {
    this.#relevantFrom = relevantFrom;
    for (const [q, query] of judgements.queries.names.entries()) {
      this.#relevant.set(query, this.#relevantOf(judgements, q));
      this.lessons.addQuery(query);
    }
  }

  /** @param voter its number, by which lessons are asked */
  watch({ query, length, idAt }: OrderedList, voter: number): void {
    const relevant = this.#relevant.get(query);
    if (relevant === undefined) return;
    const found = new Set<string>();
    const hits = Array.from({ length }, (_, place) => {
      const id = idAt(place);
      if (!relevant.has(id) || found.has(id)) return false;
      found.add(id);
      return true;
    });
    this.lessons.add(query, String(voter), hits, relevant.size);
  }

  #relevantOf(judgements: Judgements, query: number): ReadonlySet<string> {
    const from = judgements.first(query);
    const grades = judgements.grades(query);
    const items = new Set<string>();
    for (let i = 0; i < grades.length; i++) {
      if (grades[i] >= this.#relevantFrom) items.add(judgements.rows.idOf(from + i));
    }
    return items;
  }
}
