import type { Joined } from '../vocabulary/events.ts';

/** Where a repeated item is credited: at the first slot that shows it, or at each. */
export type Credit = 'first' | 'each';

/**
 * The slots that feedback touched, each once. Nothing is cleared between lists: a slot belongs to the current list if its stamp is the
 * current turn. Costs O(touched), and O(slots) only for long lists of touched slots.
 */
export class TouchedSlots {
  count = 0;
  /** Valid up to `count`. */
  slots = new Int32Array(32);
  #stamps = new Int32Array(32);
  #turn = 0;

  begin(length: number): void {
    this.count = 0;
    if (length > this.#stamps.length) {
      this.slots = new Int32Array(2 * length);
      this.#stamps = new Int32Array(2 * length);
      this.#turn = 0;
    } else if (this.#turn === 0x7fffffff) {
      this.#stamps.fill(0);
      this.#turn = 0;
    }
    this.#turn++;
  }

  has(slot: number): boolean {
    return this.#stamps[slot] === this.#turn;
  }

  /** Returns whether the slot is new. */
  add(slot: number): boolean {
    if (this.#stamps[slot] === this.#turn) return false;
    this.#stamps[slot] = this.#turn;
    this.slots[this.count++] = slot;
    return true;
  }

  /** Sorts `slots` in ascending order. With credit `each`, adds the later slots of touched items. */
  complete(list: Joined, credit: Credit): void {
    const firstSlot = credit === 'each' ? list.firstSlot : undefined;
    if (this.count === 0) return;
    if (firstSlot === undefined && this.count <= 16) {
      insertionSort(this.slots, this.count);
      return;
    }
    let n = 0;
    for (let s = 0; s < list.length; s++) {
      if (this.has(firstSlot === undefined ? s : firstSlot[s])) this.slots[n++] = s;
    }
    this.count = n;
  }
}

function insertionSort(values: Int32Array, count: number): void {
  for (let i = 1; i < count; i++) {
    const value = values[i];
    let j = i;
    for (; j > 0 && values[j - 1] > value; j--) values[j] = values[j - 1];
    values[j] = value;
  }
}
