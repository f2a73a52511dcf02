import { Buffer } from 'node:buffer';
import type { PackedImpression } from '../../../src/consumers/packed/packed-impression.ts';
import { readText, textBound, textEnd, textStart, writeText } from '../../../src/consumers/packed/text.ts';
import { ByteTable, ItemHash } from './byte-table.ts';
import type { Texts } from './pages.ts';
import { copyText, isNarrow, sameText, writeNarrow } from './text-copies.ts';

/** The position of each slot's text relative to the list, and the first slot of each item. */
export interface SlotIndex {
  readonly places: Uint32Array;
  readonly slots: ByteTable;
}

const LEAST_CELLS = 128;

/** Most steps per item, plus a constant, that the chains of a list may take. Half a step is usual. */
const STEPS_PER_ITEM = 4;

const MORE_STEPS = 64;

/** The items of a list as packed texts: what all of them begin with, then the rest of each. */
export class ItemTexts {
  /** The items that repeat in the list that was written last. */
  readonly repeats: ItemRepeats;
  /** Items that `slotOf` compared one by one. */
  steps = 0;
  readonly #hash: ItemHash;
  #rest = new Uint8Array(64);

  /** @param seed of the hash of items; no result depends on it */
  constructor(seed: number) {
    this.repeats = new ItemRepeats(seed);
    this.#hash = new ItemHash(seed);
  }

  /** Writes the list and returns the place after it. `prefix`: units of the common prefix. */
  write(u8: Uint8Array, from: number, { length, items, u8: source }: PackedImpression, prefix: number): number {
    const { repeats } = this;
    repeats.begin(length);
    let at = from + 1;
    if (prefix === 0) {
      u8[from] = 0;
    } else {
      const first = textStart(source, items[0]);
      at = writeNarrow(u8, from, source, first, first + prefix);
    }
    for (let s = 0; s < length; s++) {
      const item = items[s];
      const end =
        prefix === 0
          ? copyText(u8, at, source, item)
          : writeNarrow(u8, at, source, textStart(source, item) + prefix, textEnd(source, item));
      repeats.add(u8, at, end, s);
      at = end;
    }
    return at;
  }

  /** Puts the items of the list at `list` into `items` and returns the place after it. */
  read(u8: Buffer, list: number, length: number, items: string[]): number {
    const shared = readText(u8, list);
    let at = textEnd(u8, list);
    for (let s = 0; s < length; s++) {
      items[s] = shared + readText(u8, at);
      at = textEnd(u8, at);
    }
    return at;
  }

  /** The items of the list at `list` as whole texts. */
  whole(u8: Buffer, list: number, length: number): Texts {
    const names: string[] = [];
    this.read(u8, list, length, names);
    const texts = new Uint8Array(names.reduce((bytes, name) => bytes + textBound(name.length), 0));
    const items = new Int32Array(length);
    let at = 0;
    for (let s = 0; s < length; s++) {
      items[s] = at;
      at = writeText(texts, at, names[s]);
    }
    return { u8: texts, items, length };
  }

  /** First slot of the list at `list` that holds the item at `item` of `source`; -1: none. */
  slotOf(u8: Uint8Array, list: number, length: number, source: Uint8Array, item: number): number {
    let at = list;
    let texts = source;
    let rest = item;
    if (u8[at] !== 0) {
      if (!this.#cut(u8, at, source, item)) return -1;
      rest = 0;
      texts = this.#rest;
    }
    for (let s = 0; s < length; s++) {
      at = textEnd(u8, at);
      if (!sameText(u8, at, texts, rest)) continue;
      this.steps += s + 1;
      return s;
    }
    this.steps += length;
    return -1;
  }

  /** An index for `indexedSlotOf`, which then need not compare all items of the list. */
  index(u8: Uint8Array, list: number, length: number): SlotIndex {
    const places = new Uint32Array(length);
    const slots = new ByteTable(this.#hash, length);
    let at = list;
    for (let s = 0; s < length; s++) {
      at = textEnd(u8, at);
      const place = at;
      places[s] = place - list;
      const end = textEnd(u8, at);
      if (slots.find(u8, at, end, (other) => sameText(u8, list + places[other], u8, place)) < 0)
        slots.add(u8, at, end, s);
    }
    return { places, slots };
  }

  /** As `slotOf`, by the index of the list. */
  indexedSlotOf({ places, slots }: SlotIndex, u8: Uint8Array, list: number, source: Uint8Array, item: number): number {
    let texts = source;
    let rest = item;
    if (u8[list] !== 0) {
      if (!this.#cut(u8, list, source, item)) return -1;
      rest = 0;
      texts = this.#rest;
    }
    const before = slots.steps;
    const slot = slots.find(texts, rest, textEnd(texts, rest), (s) => sameText(u8, list + places[s], texts, rest));
    this.steps += 1 + slots.steps - before;
    return slot;
  }

  /** Puts what follows the prefix in the item into `#rest`, as a text; returns false when it does not begin with the prefix. */
  #cut(u8: Uint8Array, at: number, source: Uint8Array, item: number): boolean {
    if (!isNarrow(source, item)) return false; // all items of a list with a prefix are narrow
    const prefix = textStart(u8, at);
    const length = textEnd(u8, at) - prefix;
    const start = textStart(source, item);
    const end = textEnd(source, item);
    if (end - start < length) return false;
    for (let i = 0; i < length; i++) if (u8[prefix + i] !== source[start + i]) return false;
    if (end - start + 5 > this.#rest.length) this.#rest = new Uint8Array(2 * (end - start) + 5);
    writeNarrow(this.#rest, 0, source, start + length, end);
    return true;
  }
}

/** Number of units in the common prefix of all items; 0 for fewer than two items, or if an item is not narrow. */
export function commonPrefix({ u8, items, length }: PackedImpression): number {
  if (length < 2) return 0;
  const first = textStart(u8, items[0]);
  let shared = textEnd(u8, items[0]) - first;
  for (let s = 0; s < length; s++) {
    if (!isNarrow(u8, items[s])) return 0;
    const start = textStart(u8, items[s]);
    const most = Math.min(shared, textEnd(u8, items[s]) - start);
    let i = 0;
    while (i < most && u8[first + i] === u8[start + i]) i++;
    shared = i;
  }
  // A prefix that is a UUID would have another form.
  return shared === 36 ? 35 : shared;
}

/**
 * Finds items that a list repeats, by their packed bytes: exact, without allocation, and in linear time whatever the ids are.
 *
 * The hash is keyed (ItemHash), so that nobody can choose ids that share a cell, and cells are compared by their whole hash
 * before their bytes. If chains still grow beyond what chance allows, the rest of the list goes through a Map.
 */
export class ItemRepeats {
  /** For each slot the first slot with the same item. */
  firstSlot = new Int32Array(64);
  /** Whether any item repeats. */
  found = false;
  /** Links of chains followed since the start: tests hold it to be linear. */
  steps = 0;
  readonly #hash: ItemHash;
  #from = new Int32Array(64);
  #end = new Int32Array(64);
  #next = new Int32Array(64);
  #hashes = new Int32Array(64);
  #head = new Int32Array(LEAST_CELLS);
  /** A cell counts only if it was written for this list. */
  #list = new Uint32Array(LEAST_CELLS);
  #shift = 32 - Math.log2(LEAST_CELLS);
  #current = 0;
  #stepsLeft = 0;
  /** The items so far, once chains grew too long. */
  readonly #slots = new Map<string, number>();

  /** @param seed of the hash; no result depends on it */
  constructor(seed: number) {
    this.#hash = new ItemHash(seed);
  }

  begin(slots: number): void {
    this.found = false;
    this.#current = (this.#current + 1) >>> 0;
    if (this.#current === 0) this.#list.fill(0xffffffff);
    this.#stepsLeft = STEPS_PER_ITEM * slots + MORE_STEPS;
    if (this.#slots.size > 0) this.#slots.clear();
    if (slots <= this.firstSlot.length) return;
    const size = 2 * slots;
    this.firstSlot = new Int32Array(size);
    this.#from = new Int32Array(size);
    this.#end = new Int32Array(size);
    this.#next = new Int32Array(size);
    this.#hashes = new Int32Array(size);
    // At least one cell for each slot, but no more than the hash tells apart.
    const bits = Math.min(ItemHash.cellBits, Math.ceil(Math.log2(size)));
    this.#head = new Int32Array(2 ** bits);
    this.#list = new Uint32Array(2 ** bits);
    this.#shift = 32 - bits;
    this.#current = 1;
  }

  /** Adds the item of slot `s`, which is at [from, end). */
  add(u8: Uint8Array, from: number, end: number, s: number): void {
    this.#from[s] = from;
    this.#end[s] = end;
    this.firstSlot[s] = s;
    if (this.#stepsLeft < 0) {
      this.#addToMap(u8, s);
      return;
    }
    const hash = this.#hash.of(u8, from, end);
    const cell = hash >>> this.#shift;
    this.#hashes[s] = hash;
    this.#next[s] = -1;
    if (this.#list[cell] === this.#current) {
      let steps = 0;
      for (let other = this.#head[cell]; other >= 0; other = this.#next[other]) {
        steps++;
        if (this.#hashes[other] !== hash || !this.#same(u8, other, s)) continue;
        this.firstSlot[s] = other;
        this.found = true;
        break;
      }
      this.steps += steps;
      this.#stepsLeft -= steps;
      if (this.#stepsLeft < 0) for (let other = 0; other <= s; other++) this.#addToMap(u8, other);
      if (this.firstSlot[s] !== s) return;
      this.#next[s] = this.#head[cell];
    }
    this.#list[cell] = this.#current;
    this.#head[cell] = s;
  }

  #addToMap(u8: Uint8Array, s: number): void {
    const from = this.#from[s];
    const text = Buffer.from(u8.buffer, u8.byteOffset + from, this.#end[s] - from).toString('latin1');
    const first = this.#slots.get(text);
    if (first === undefined) this.#slots.set(text, s);
    else {
      this.firstSlot[s] = first;
      this.found = true;
    }
  }

  #same(u8: Uint8Array, a: number, b: number): boolean {
    const length = this.#end[a] - this.#from[a];
    if (length !== this.#end[b] - this.#from[b]) return false;
    const p = this.#from[a];
    const q = this.#from[b];
    for (let i = length - 1; i >= 0; i--) if (u8[p + i] !== u8[q + i]) return false;
    return true;
  }
}
