import { Buffer } from 'node:buffer';

/**
 * Finds numbers by bytes that are stored elsewhere: an index that is built late, for chains that have become slow to search.
 *
 * Chains by a keyed hash in one typed array: the first of each chain, then next, hash and value of each entry. Entries that
 * would make chains longer than chance allows go into a Map, so that a search is short even if somebody knows the key.
 */
const LEAST_ENTRIES = 32;
const STEPS_PER_ENTRY = 4;
const MORE_STEPS = 64;
const WORDS = 3;
const NEXT = 0;
const HASH = 1;
const VALUE = 2;
/** Approximate bytes of an entry of a Map, besides its text. */
const MAP_ENTRY_BYTES = 64;

export class ByteTable {
  /** Links of chains followed by all searches. */
  steps = 0;
  readonly #hash: Pick<ItemHash, 'of'>;
  #bits: number;
  #room: number;
  #words: Int32Array;
  #size = 0;
  /** Steps that additions took, which is what a search for every entry would take. */
  #stepsToAll = 0;
  #overflow: Map<string, number> | undefined;
  #overflowBytes = 0;

  constructor(hash: Pick<ItemHash, 'of'>, entries: number = LEAST_ENTRIES) {
    this.#hash = hash;
    this.#room = Math.max(LEAST_ENTRIES, entries);
    this.#bits = Math.ceil(Math.log2(this.#room));
    this.#words = new Int32Array(2 ** this.#bits + WORDS * this.#room).fill(-1);
  }

  get bytes(): number {
    return this.#words.byteLength + this.#overflowBytes;
  }

  /** The value that was added for these bytes; -1: none. `isSame` says whether a value with the same hash belongs to them. */
  find(u8: Uint8Array, from: number, end: number, isSame: (value: number) => boolean): number {
    const words = this.#words;
    const hash = this.#hash.of(u8, from, end);
    let steps = 0;
    let found = -1;
    for (let at = words[this.#chainOf(hash)]; at >= 0; at = words[at + NEXT]) {
      steps++;
      if (words[at + HASH] !== hash || !isSame(words[at + VALUE] >>> 0)) continue;
      found = words[at + VALUE] >>> 0;
      break;
    }
    this.steps += steps;
    if (found < 0 && this.#overflow !== undefined) return this.#overflow.get(latin1(u8, from, end)) ?? -1;
    return found;
  }

  /** Adds bytes that `find` did not find. @param value an unsigned 32-bit integer */
  add(u8: Uint8Array, from: number, end: number, value: number): void {
    const hash = this.#hash.of(u8, from, end);
    if (this.#size === this.#room) this.#widen();
    const words = this.#words;
    const chain = this.#chainOf(hash);
    let steps = 0;
    for (let at = words[chain]; at >= 0; at = words[at + NEXT]) steps++;
    if (this.#stepsToAll + steps > STEPS_PER_ENTRY * this.#size + MORE_STEPS) {
      this.#overflow ??= new Map();
      this.#overflow.set(latin1(u8, from, end), value);
      this.#overflowBytes += end - from + MAP_ENTRY_BYTES;
      return;
    }
    this.#stepsToAll += steps;
    const at = 2 ** this.#bits + WORDS * this.#size++;
    words[at + NEXT] = words[chain];
    words[at + HASH] = hash;
    words[at + VALUE] = value;
    words[chain] = at;
  }

  #chainOf(hash: number): number {
    return hash >>> (32 - this.#bits);
  }

  #widen(): void {
    const old = this.#words;
    const first = 2 ** this.#bits;
    this.#room *= 2;
    this.#bits = Math.ceil(Math.log2(this.#room));
    const words = new Int32Array(2 ** this.#bits + WORDS * this.#room).fill(-1);
    this.#words = words;
    for (let n = 0; n < this.#size; n++) {
      const from = first + WORDS * n;
      const to = 2 ** this.#bits + WORDS * n;
      const chain = this.#chainOf(old[from + HASH]);
      words[to + NEXT] = words[chain];
      words[to + HASH] = old[from + HASH];
      words[to + VALUE] = old[from + VALUE];
      words[chain] = to;
    }
  }
}

function latin1(u8: Uint8Array, from: number, end: number): string {
  return Buffer.from(u8.buffer, u8.byteOffset + from, end - from).toString('latin1');
}

/**
 * Keyed hash of the bytes of an item: for each pair of bytes one multiplication by a key word of its own ("multiply-shift",
 * Dietzfelbinger, Universal hashing and k-wise independent random variables via integer arithmetic without primes, 1996).
 *
 *     h = key[0] + length * key[1] + sum over i of key[4 + i] * pair[i]   mod 2^32
 *
 * Two texts that are chosen before the key is drawn have equal upper `cellBits` bits with probability 2^-cellBits, and so equal
 * h with at most that: without the key nobody can choose ids that collide. Longer texts go block by block, the two halves of h
 * being two more pairs of the next block; the chances add up.
 */
const BLOCK_PAIRS = 64;
const BLOCK_BYTES = 2 * BLOCK_PAIRS;

export class ItemHash {
  /** Up to this many upper bits of the hash are as good as random. */
  static readonly cellBits = 17;
  readonly #keys = new Int32Array(BLOCK_PAIRS + 4);

  constructor(seed: number) {
    const next = keyStream(seed);
    for (let i = 0; i < this.#keys.length; i++) this.#keys[i] = next();
  }

  /** 32 bits, signed. */
  of(u8: Uint8Array, from: number, end: number): number {
    const keys = this.#keys;
    let h = (keys[0] + Math.imul(keys[1], end - from)) | 0;
    let at = from;
    while (end - at > BLOCK_BYTES) {
      h = (this.#block(u8, at, at + BLOCK_BYTES, h) + keys[0]) | 0;
      h = (Math.imul(keys[2], h & 0xffff) + Math.imul(keys[3], h >>> 16)) | 0;
      at += BLOCK_BYTES;
    }
    return this.#block(u8, at, end, h);
  }

  #block(u8: Uint8Array, from: number, end: number, start: number): number {
    const keys = this.#keys;
    let h = start;
    let k = 4;
    let at = from;
    for (; at + 1 < end; at += 2) h = (h + Math.imul(keys[k++], u8[at] | (u8[at + 1] << 8))) | 0;
    return at < end ? (h + Math.imul(keys[k], u8[at])) | 0 : h;
  }
}

/** A stream of key words from a seed: SplitMix32. */
function keyStream(seed: number): () => number {
  let low = seed | 0;
  // The bits of a seed above 32 count as well.
  const high = Math.floor(seed / 2 ** 32) | 0;
  return () => {
    low = (low + 0x9e3779b9) | 0;
    let z = low ^ Math.imul(high, 0x85ebca6b);
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return (z ^ (z >>> 15)) | 0;
  };
}
