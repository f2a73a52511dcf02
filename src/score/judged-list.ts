import type { Joined } from '../vocabulary/events.ts';
import type { ItemRows } from './item-rows.ts';
import type { Judgements } from './judgements.ts';
import type { Counts } from './score-result.ts';
import type { Unjudged } from './scoring-settings.ts';

const FIRST_SLOTS = 1024;

interface JudgedNeeds {
  /** Number of actions. The first is `JUDGED_ACTION`; an item with a grade above 0 has all of them. */
  readonly actions: number;
  readonly scores: boolean;
  readonly items: boolean;
  readonly unjudged: Unjudged;
}

/** The items in the first places of a list, those that nobody judged, and one of these if it was requested. */
export interface ListTop {
  readonly items: number;
  readonly unjudged: number;
  readonly first: string | undefined;
}

/** A ranked list and what is known about its query, as measures see it. Its buffers are reused for the next list. */
export class JudgedList {
  readonly joined: Joined;
  readonly #needs: JudgedNeeds;
  readonly #relevantFrom: number;
  /** Number of slots whose item is relevant, and of all relevant items. */
  #relevantShown = 0;
  #relevantKnown = 0;
  /** Number of judged items in the list at any place, and of relevant ones beyond the places that count. */
  matched = 0;
  relevantCut = 0;
  /** Number of items that were removed because nobody judged them. */
  skipped = 0;
  /** First row of each judged item of the query; -1: it is not in the list. Then, by row, 1 if its item is judged. */
  #rowOf = new Int32Array(FIRST_SLOTS);
  #isJudged = new Uint8Array(FIRST_SLOTS);
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
   * Loads a list. The rows must be indexed.
   * @param order row at each place, which is changed if items are skipped
   * @param length number of places that count
   * @param repeats whether an item may be in several rows
   * @param query of the judgements
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
    if (rows.count > this.#slotOf.length) {
      this.#slotOf = new Int32Array(2 * rows.count);
      this.#firstSlot = new Int32Array(2 * rows.count);
      this.#scores = new Float64Array(2 * rows.count);
      this.#isJudged = new Uint8Array(2 * rows.count);
    }
    this.#lookUp(rows, judgements, query, repeats);
    joined.length = this.#needs.unjudged === 'skip' ? this.#condense(order, length) : length;
    this.skipped = length - joined.length;
    const slotOf = this.#slotOf;
    for (let place = 0; place < rows.count; place++) slotOf[order[place]] = place;
    joined.firstSlot = repeats ? this.#firstSlots(rows, order) : undefined;
    if (this.#needs.scores) {
      for (let place = 0; place < joined.length; place++) this.#scores[place] = rows.scores[order[place]];
      joined.scores = this.#scores;
    }
    if (this.#needs.items) joined.items = Array.from({ length: joined.length }, (_, place) => rows.idOf(order[place]));
    this.#judge(judgements, query);
  }

  /** Loads a query without a list, as one slot without a judgement, so that measures give the query's value without a hit. */
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

  /**
   * What is judged among its first places.
   * @param asksFirst whether the first unjudged item is requested
   */
  topOf(rows: ItemRows, order: Int32Array, places: number, asksFirst: boolean): ListTop {
    const items = Math.min(this.joined.length, places);
    let unjudged = 0;
    let first: string | undefined;
    for (let place = 0; place < items; place++) {
      if (this.#isJudged[order[place]] === 1) continue;
      unjudged++;
      if (asksFirst) first ??= rows.idOf(order[place]);
    }
    return { items, unjudged, first };
  }

  /** Looks up each judged item in the list, because there are usually fewer of them than items of a run. */
  #lookUp(rows: ItemRows, judgements: Judgements, query: number, repeats: boolean): void {
    const { hashes, bytes, starts } = judgements.rows;
    const from = judgements.first(query);
    const to = judgements.first(query + 1);
    if (to - from > this.#rowOf.length) this.#rowOf = new Int32Array(2 * (to - from));
    const isJudged = this.#isJudged.fill(0, 0, rows.count);
    this.matched = 0;
    for (let j = from; j < to; j++) {
      const row = rows.find(hashes[j], bytes, starts[j], starts[j + 1]);
      this.#rowOf[j - from] = row;
      if (row < 0) continue;
      this.matched++;
      isJudged[row] = 1;
    }
    if (!repeats) return;
    for (let row = 0; row < rows.count; row++) {
      isJudged[row] = isJudged[rows.find(rows.hashes[row], rows.bytes, rows.starts[row], rows.starts[row + 1])];
    }
  }

  /**
   * Condenses the list: of the places that count, those with judged items move to the front. T. Sakai, "Alternatives to Bpref", SIGIR
   * 2007; trec_eval -J, which cuts the list first, too (form_res_rels.c).
   * @returns their number
   */
  #condense(order: Int32Array, length: number): number {
    const others = this.#slotOf;
    let judged = 0;
    let unjudged = 0;
    for (let place = 0; place < length; place++) {
      const row = order[place];
      if (this.#isJudged[row] === 1) order[judged++] = row;
      else others[unjudged++] = row;
    }
    for (let i = 0; i < unjudged; i++) order[judged + i] = others[i];
    return judged;
  }

  #judge(judgements: Judgements, query: number): void {
    const { joined } = this;
    const { scores: grades } = judgements.rows;
    const slotOf = this.#slotOf;
    const from = judgements.first(query);
    const to = judgements.first(query + 1);
    this.#roomForEvents((to - from) * this.#needs.actions);
    joined.known = judgements.grades(query);
    joined.events = 0;
    this.#relevantShown = 0;
    this.#relevantKnown = 0;
    this.relevantCut = 0;
    for (let j = from; j < to; j++) {
      const isRelevant = grades[j] >= this.#relevantFrom ? 1 : 0;
      this.#relevantKnown += isRelevant;
      const row = this.#rowOf[j - from];
      if (row < 0) continue;
      // For a repeated item, the table has its first row in the file, not its first place.
      const slot = joined.firstSlot === undefined ? slotOf[row] : joined.firstSlot[slotOf[row]];
      if (slot >= joined.length) {
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
