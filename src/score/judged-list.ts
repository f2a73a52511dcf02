import type { Joined } from '../vocabulary/events.ts';
import type { ItemRows } from './item-rows.ts';
import type { Judgements } from './judgements.ts';
import type { Counts } from './score-result.ts';

/** The action of a judgement: its value is the grade. */
export const JUDGED = 'rating';

const FIRST_SLOTS = 1024;

interface JudgedNeeds {
  /** Number of actions. The first is `JUDGED`; an item with a grade above 0 has all of them. */
  readonly actions: number;
  readonly scores: boolean;
  readonly items: boolean;
}

/** A ranked list and what is known of its query, as measures see it. Its buffers are reused for the next list. */
export class JudgedList {
  readonly joined: Joined;
  readonly #needs: JudgedNeeds;
  readonly #relevantFrom: number;
  /** Slots whose item is relevant, and all relevant items. */
  #relevantShown = 0;
  #relevantKnown = 0;
  /** Judged items in the list at any place, and relevant ones that do not count there. */
  matched = 0;
  relevantCut = 0;
  #slotOf = new Int32Array(FIRST_SLOTS);
  #firstSlot = new Int32Array(FIRST_SLOTS);
  #scores = new Float64Array(FIRST_SLOTS);

  constructor(needs: JudgedNeeds, relevantFrom: number) {
    this.#needs = needs;
    this.#relevantFrom = relevantFrom;
    this.joined = {
      length: 0,
      pageOffset: 0,
      ranks: undefined,
      firstSlot: undefined,
      events: 0,
      slot: new Int32Array(FIRST_SLOTS),
      action: new Int32Array(FIRST_SLOTS),
      value: new Float64Array(FIRST_SLOTS),
      ts: new Float64Array(FIRST_SLOTS),
      known: undefined,
      scores: undefined,
    };
  }

  /**
   * @param order row at each place; @param length places that count; @param repeats whether an item may be in several rows;
   * @param query of the judgements. The rows must be indexed.
   */
  load(
    rows: ItemRows,
    order: Int32Array,
    length: number,
    repeats: boolean,
    judgements: Judgements,
    query: number,
  ): void {
    const { joined } = this;
    joined.length = length;
    if (rows.count > this.#slotOf.length) {
      this.#slotOf = new Int32Array(2 * rows.count);
      this.#firstSlot = new Int32Array(2 * rows.count);
      this.#scores = new Float64Array(2 * rows.count);
    }
    const slotOf = this.#slotOf;
    for (let place = 0; place < rows.count; place++) slotOf[order[place]] = place;
    joined.firstSlot = repeats ? this.#firstSlots(rows, order) : undefined;
    if (this.#needs.scores) {
      for (let place = 0; place < length; place++) this.#scores[place] = rows.scores[order[place]];
      joined.scores = this.#scores;
    }
    if (this.#needs.items) joined.items = Array.from({ length }, (_, place) => rows.idOf(order[place]));
    this.#judge(rows, length, judgements, query);
  }

  /** A query without a list: one slot without a judgement, so that measures give the query's value without a hit. */
  loadNothing(judgements: Judgements, query: number): void {
    const { joined } = this;
    joined.length = 1;
    joined.firstSlot = undefined;
    joined.events = 0;
    joined.known = judgements.grades(query);
    if (this.#needs.scores) joined.scores = this.#scores.fill(Number.NaN, 0, 1);
    if (this.#needs.items) joined.items = [];
    this.#relevantShown = 0;
    this.#relevantKnown = joined.known.reduce((sum, grade) => sum + (grade >= this.#relevantFrom ? 1 : 0), 0);
  }

  counts(retrieved: number): Counts {
    return { retrieved, relevant: this.#relevantKnown, relevantRetrieved: this.#relevantShown };
  }

  /** Looks up each judged item in the list: usually there are fewer of them than items of a run. */
  #judge(rows: ItemRows, length: number, judgements: Judgements, query: number): void {
    const { joined } = this;
    const judged = judgements.rows;
    const { hashes, bytes, starts, scores: grades } = judged;
    const slotOf = this.#slotOf;
    const from = judgements.first(query);
    const to = judgements.first(query + 1);
    this.#roomForEvents((to - from) * this.#needs.actions);
    joined.known = judgements.grades(query);
    joined.events = 0;
    this.#relevantShown = 0;
    this.#relevantKnown = 0;
    this.matched = 0;
    this.relevantCut = 0;
    for (let j = from; j < to; j++) {
      const isRelevant = grades[j] >= this.#relevantFrom ? 1 : 0;
      this.#relevantKnown += isRelevant;
      const row = rows.find(hashes[j], bytes, starts[j], starts[j + 1]);
      if (row < 0) continue;
      this.matched++;
      // The table has a repeated item with its first row of the file, not with its first place.
      const slot = joined.firstSlot === undefined ? slotOf[row] : joined.firstSlot[slotOf[row]];
      if (slot >= length) {
        this.relevantCut += isRelevant;
        continue;
      }
      this.#relevantShown += isRelevant;
      this.#add(slot, grades[j]);
    }
  }

  #add(slot: number, grade: number): void {
    const { joined } = this;
    const actions = grade > 0 ? this.#needs.actions : 1;
    for (let action = 0; action < actions; action++) {
      const e = joined.events++;
      joined.slot[e] = slot;
      joined.action[e] = action;
      joined.value[e] = grade;
    }
  }

  #firstSlots(rows: ItemRows, order: Int32Array): Int32Array {
    const { hashes, bytes, starts } = rows;
    const firstOf = new Map<number, number>();
    for (let place = 0; place < rows.count; place++) {
      const row = order[place];
      const item = rows.find(hashes[row], bytes, starts[row], starts[row + 1]);
      const first = firstOf.get(item);
      if (first === undefined) firstOf.set(item, place);
      this.#firstSlot[place] = first ?? place;
    }
    return this.#firstSlot;
  }

  #roomForEvents(events: number): void {
    const { joined } = this;
    if (events <= joined.slot.length) return;
    joined.slot = new Int32Array(2 * events);
    joined.action = new Int32Array(2 * events);
    joined.value = new Float64Array(2 * events);
    joined.ts = new Float64Array(2 * events);
  }
}
