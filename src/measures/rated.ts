import type { Joined } from '../vocabulary/events.ts';
import { rankOf } from './places.ts';
import type { GradeRule } from './scorer-contract.ts';
import { type Credit, TouchedSlots } from './touched.ts';

/**
 * The slots that have a rating: the value of the feedback of one action (not its grade, so it is not clamped and ignores
 * vetoes). Several values for one item combine by the action's rule: the largest, the last by event time, or their sum. A
 * repeated item has its rating at its first slot, credited at each at every slot.
 */
export class Rated {
  count = 0;
  /** Slots in ascending order; valid up to `count`. */
  slots = new Int32Array(32);
  ratings = new Float64Array(32);
  readonly #action: number;
  readonly #rule: GradeRule['rule'];
  readonly #credit: Credit;
  readonly #touched = new TouchedSlots();
  #value = new Float64Array(32);
  #ts = new Float64Array(32);

  constructor(action: number, rule: GradeRule['rule'], credit: Credit) {
    this.#action = action;
    this.#rule = rule;
    this.#credit = credit;
  }

  load(list: Joined): void {
    this.count = 0;
    if (list.events === 0) return;
    if (list.length > this.#value.length) {
      this.#value = new Float64Array(2 * list.length);
      this.#ts = new Float64Array(2 * list.length);
      this.slots = new Int32Array(2 * list.length);
      this.ratings = new Float64Array(2 * list.length);
    }
    this.#touched.begin(list.length);
    for (let e = 0; e < list.events; e++) {
      if (list.action[e] === this.#action && !Number.isNaN(list.value[e])) this.#take(list, e);
    }
    this.#touched.complete(list, this.#credit);
    this.count = this.#touched.count;
    for (let i = 0; i < this.count; i++) {
      const s = this.#touched.slots[i];
      this.slots[i] = s;
      this.ratings[i] = this.#value[this.#credit === 'each' && list.firstSlot !== undefined ? list.firstSlot[s] : s];
    }
  }

  #take(list: Joined, e: number): void {
    const s = list.slot[e];
    const value = list.value[e];
    const ts = list.ts[e];
    if (this.#touched.add(s)) {
      this.#value[s] = value;
      this.#ts[s] = ts;
    } else if (this.#rule === 'sum') {
      this.#value[s] += value;
    } else if (this.#rule === 'max') {
      this.#value[s] = Math.max(this.#value[s], value);
    } else if (ts >= this.#ts[s]) {
      this.#value[s] = value;
      this.#ts[s] = ts;
    }
  }
}

/** The rated slots that have a predicted score, or, `by` rank, all of them with minus the rank as the score. */
export class Pairs {
  /** Number of pairs. */
  count = 0;
  /** Number of rated slots, with or without a score. */
  rated = 0;
  /** Scores and ratings, valid up to `count`. */
  scores = new Float64Array(32);
  ratings = new Float64Array(32);
  readonly #of: Rated;
  readonly #by: 'score' | 'rank';

  constructor(of: Rated, by: 'score' | 'rank') {
    this.#of = of;
    this.#by = by;
  }

  /** Reads the list that the rated slots have loaded. */
  load(list: Joined): void {
    const { count, slots, ratings } = this.#of;
    this.rated = count;
    if (count > this.scores.length) {
      this.scores = new Float64Array(2 * count);
      this.ratings = new Float64Array(2 * count);
    }
    let n = 0;
    for (let i = 0; i < count; i++) {
      const score = this.#by === 'rank' ? -rankOf(list, slots[i]) : (list.scores?.[slots[i]] ?? Number.NaN);
      if (Number.isNaN(score)) continue;
      this.scores[n] = score;
      this.ratings[n++] = ratings[i];
    }
    this.count = n;
  }
}
