/**
 * Finds items that a list repeats, by their packed bytes: exact, without allocation, and in linear time whatever the ids are.
 *
 * The hash is keyed (ItemHash), so that ids cannot be chosen to meet in one cell, and a cell is compared by its whole hash
 * before its bytes. Should chains grow beyond what chance allows all the same, the rest of the list goes through a Map.
 */
import { Buffer } from 'node:buffer';
import { ItemHash } from './item-hash.ts';

const LEAST_CELLS = 128;
/** Steps that the chains of a list may take for each of its items, and some more: by chance half a step is usual. */
const STEPS_PER_ITEM = 4;
const MORE_STEPS = 64;

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

  /** The item of slot `s` stands at [from, end). */
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
