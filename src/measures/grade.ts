import { assertNever, type Joined } from '../vocabulary/events.ts';
import { type Places, rankOf } from './places.ts';
import type { GradeRule } from './scorer-contract.ts';
import { type Credit, TouchedSlots } from './touched.ts';

const IGNORED = 0;
const FIXED = 1;
const VALUE = 2;
const LAST = 3;
const SUM = 4;
const VETO = 5;

/**
 * Feedback as graded slots (specification: measures 5.1). Events of one action on one item combine by the action's rule:
 * `max`; `last` by event time, then by their order in the list; `sum`. The result is clamped to 0..max (so a negative number
 * is 0), and a slot has the highest grade over its actions, or 0 if one of them is a veto. An absent value (NaN) gives no
 * grade. Example: values 1, 3, 1 of one action in this order are 3 by max, 1 by last, 5 by sum.
 *
 * Only slots with a grade above 0 are kept, ascending. Nothing is allocated per list.
 */
export class Graded implements Places {
  count = 0;
  ranks = new Float64Array(32);
  grades = new Float64Array(32);

  readonly #only: number;
  readonly #credit: Credit;
  readonly #kinds: readonly number[];
  readonly #fixed: readonly number[];
  readonly #highest: readonly number[];
  /** What an event adds to a sum, by action; NaN: its own value. */
  readonly #amounts: readonly number[];
  /** The actions that need a cell for each slot (LAST, SUM), and each action's place among them. */
  readonly #celled: readonly number[];
  readonly #column: readonly number[];

  readonly #touched = new TouchedSlots();
  readonly #vetoed = new TouchedSlots();
  readonly #cells = new TouchedSlots();
  #best = new Float64Array(32);
  #cellValue = new Float64Array(32);
  #cellTs = new Float64Array(32);
  #sorted = new Float64Array(32);
  #isSorted = false;

  /**
   * @param rules by index of action
   * @param only the only action that counts; -1: all
   */
  constructor(rules: readonly GradeRule[], only: number, credit: Credit) {
    this.#only = only;
    this.#credit = credit;
    this.#highest = rules.map((rule) => Math.max(0, rule.max));
    this.#fixed = rules.map((rule, a) => Math.min(this.#highest[a], Math.max(0, rule.grade)));
    this.#kinds = rules.map(kindOf);
    this.#amounts = rules.map((rule) => (rule.from === 'grade' ? rule.grade : Number.NaN));
    this.#celled = rules.map((_, a) => a).filter((a) => this.#kinds[a] === LAST || this.#kinds[a] === SUM);
    this.#column = rules.map((_, a) => this.#celled.indexOf(a));
  }

  load(list: Joined): void {
    this.count = 0;
    this.#isSorted = false;
    const events = list.events;
    if (events === 0) return;
    this.#begin(list.length);
    const { slot, action, value } = list;
    const kinds = this.#kinds;
    const only = this.#only;
    for (let e = 0; e < events; e++) {
      const a = action[e];
      if (a < 0 || (only >= 0 && a !== only)) continue;
      const s = slot[e];
      switch (kinds[a]) {
        case IGNORED:
          break;
        case FIXED:
          this.#raise(s, this.#fixed[a]);
          break;
        case VALUE:
          this.#raise(s, Math.min(value[e], this.#highest[a]));
          break;
        case VETO:
          this.#vetoed.add(s);
          break;
        default:
          this.#combine(list, e, a);
      }
    }
    if (this.#celled.length > 0) this.#raiseCells();
    this.#emit(list);
  }

  /** The grades, highest first; valid up to `count`. */
  descending(): Float64Array {
    if (this.#isSorted) return this.#sorted;
    this.#isSorted = true;
    if (this.#sorted.length < this.count) this.#sorted = new Float64Array(2 * this.count);
    sortDescending(this.grades, this.#sorted, this.count);
    return this.#sorted;
  }

  #begin(length: number): void {
    if (length > this.#best.length) {
      const room = 2 * length;
      this.ranks = new Float64Array(room);
      this.grades = new Float64Array(room);
      this.#best = new Float64Array(room);
    }
    this.#touched.begin(length);
    this.#vetoed.begin(length);
    if (this.#celled.length === 0) return;
    const cells = length * this.#celled.length;
    if (cells > this.#cellValue.length) {
      this.#cellValue = new Float64Array(2 * cells);
      this.#cellTs = new Float64Array(2 * cells);
    }
    this.#cells.begin(cells);
  }

  #raise(slot: number, grade: number): void {
    if (!(grade > 0)) return;
    if (this.#touched.add(slot) || grade > this.#best[slot]) this.#best[slot] = grade;
  }

  #combine(list: Joined, e: number, a: number): void {
    const amount = this.#amounts[a];
    const value = Number.isNaN(amount) ? list.value[e] : amount;
    if (Number.isNaN(value)) return;
    const cell = list.slot[e] * this.#celled.length + this.#column[a];
    if (this.#cells.add(cell)) {
      this.#cellValue[cell] = value;
      this.#cellTs[cell] = list.ts[e];
    } else if (this.#kinds[a] === SUM) {
      this.#cellValue[cell] += value;
    } else if (list.ts[e] >= this.#cellTs[cell]) {
      this.#cellValue[cell] = value;
      this.#cellTs[cell] = list.ts[e];
    }
  }

  #raiseCells(): void {
    for (let i = 0; i < this.#cells.count; i++) {
      const cell = this.#cells.slots[i];
      const column = cell % this.#celled.length;
      const highest = this.#highest[this.#celled[column]];
      this.#raise((cell - column) / this.#celled.length, Math.min(this.#cellValue[cell], highest));
    }
  }

  #emit(list: Joined): void {
    this.#touched.complete(list, this.#credit);
    const firstSlot = this.#credit === 'each' ? list.firstSlot : undefined;
    const anyVeto = this.#vetoed.count > 0;
    const { count, slots } = this.#touched;
    const { ranks, grades } = this;
    const best = this.#best;
    let n = 0;
    for (let i = 0; i < count; i++) {
      const s = slots[i];
      const first = firstSlot === undefined ? s : firstSlot[s];
      if (anyVeto && this.#vetoed.has(first)) continue;
      ranks[n] = rankOf(list, s);
      grades[n] = best[first];
      n++;
    }
    this.count = n;
  }
}

function kindOf(rule: GradeRule): number {
  if (rule.veto) return VETO;
  if (rule.from === 'grade') {
    if (!(rule.grade > 0)) return IGNORED;
    return rule.rule === 'sum' ? SUM : FIXED;
  }
  switch (rule.rule) {
    case 'max':
      return VALUE;
    case 'last':
      return LAST;
    case 'sum':
      return SUM;
    default:
      return assertNever(rule.rule);
  }
}

function sortDescending(from: Float64Array, to: Float64Array, count: number): void {
  if (count > 32) {
    const part = to.subarray(0, count);
    part.set(from.subarray(0, count));
    part.sort().reverse();
    return;
  }
  for (let i = 0; i < count; i++) {
    const value = from[i];
    let j = i;
    for (; j > 0 && to[j - 1] < value; j--) to[j] = to[j - 1];
    to[j] = value;
  }
}
