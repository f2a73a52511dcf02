import type { Joined } from '../vocabulary/events.ts';
import type { Graded } from './grade.ts';
import { type Places, rankOf } from './places.ts';
import { type Credit, TouchedSlots } from './touched.ts';

/**
 * The grades of every item that is known for the request, shown or not, which `ideal=all` compares a list with (offline, the
 * judgements of the query). If nothing else is known, those of the shown items.
 */
export class Known {
  /** Number of grades above 0. */
  count = 0;
  items = 0;
  /** The grades above 0, highest first; valid up to `count`. */
  grades: Float64Array = new Float64Array(32);
  readonly #graded: Graded;
  #own = new Float64Array(32);

  constructor(graded: Graded) {
    this.#graded = graded;
  }

  /** Reads the list that `graded` has loaded. */
  load({ known, length }: Joined): void {
    if (known === undefined) {
      this.count = this.#graded.count;
      this.items = length;
      this.grades = this.#graded.descending();
      return;
    }
    if (known.length > this.#own.length) this.#own = new Float64Array(2 * known.length);
    const grades = this.#own;
    let n = 0;
    for (let i = 0; i < known.length; i++) {
      if (known[i] > 0) grades[n++] = known[i];
    }
    grades.subarray(0, n).sort().reverse();
    this.count = n;
    this.items = known.length;
    this.grades = grades;
  }
}

/** R with `ideal=all`: the known items with a grade of at least `rel`. */
export class KnownPositives {
  count = 0;
  readonly #known: Known;
  readonly #shown: Positives;
  readonly #rel: number;

  constructor(known: Known, shown: Positives, rel: number) {
    this.#known = known;
    this.#shown = shown;
    this.#rel = rel;
  }

  /** Reads the list that `known` and `shown` have loaded. A shown positive is known, whatever the list says. */
  load(): void {
    const { count, grades } = this.#known;
    let n = 0;
    while (n < count && grades[n] >= this.#rel) n++;
    this.count = Math.max(n, this.#shown.count);
  }
}

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
