import type { Joined } from '../vocabulary/events.ts';
import type { Graded } from './grade.ts';
import { type Places, rankOf } from './places.ts';
import { type Credit, TouchedSlots } from './touched.ts';

/** The slots with a grade of at least `rel`. Their count is R, the positives that a shown list is compared with. */
export class Positives implements Places {
  count = 0;
  ranks = new Float64Array(32);
  readonly #graded: Graded;
  readonly #rel: number;

  constructor(graded: Graded, rel: number) {
    this.#graded = graded;
    this.#rel = rel;
  }

  /** Reads the list that `graded` has loaded. */
  load(): void {
    const { count, grades, ranks } = this.#graded;
    if (count > this.ranks.length) this.ranks = new Float64Array(2 * count);
    let n = 0;
    for (let i = 0; i < count; i++) {
      if (grades[i] >= this.#rel) this.ranks[n++] = ranks[i];
    }
    this.count = n;
  }
}

/** The slots with feedback of one action; its grade does not matter. */
export class Acted implements Places {
  count = 0;
  ranks = new Float64Array(32);
  readonly #action: number;
  readonly #credit: Credit;
  readonly #touched = new TouchedSlots();

  constructor(action: number, credit: Credit) {
    this.#action = action;
    this.#credit = credit;
  }

  load(list: Joined): void {
    this.count = 0;
    if (list.events === 0) return;
    this.#touched.begin(list.length);
    for (let e = 0; e < list.events; e++) {
      if (list.action[e] === this.#action) this.#touched.add(list.slot[e]);
    }
    this.#touched.complete(list, this.#credit);
    this.count = this.#touched.count;
    if (this.count > this.ranks.length) this.ranks = new Float64Array(2 * this.count);
    for (let i = 0; i < this.count; i++) this.ranks[i] = rankOf(list, this.#touched.slots[i]);
  }
}
