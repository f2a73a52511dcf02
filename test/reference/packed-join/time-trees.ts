import { Buffer } from 'node:buffer';
import type { EpochMs } from '../../../src/vocabulary/events.ts';
import { ByteTable, type ItemHash } from './byte-table.ts';

/** A span of time, a power of two of milliseconds long. */
export interface Span {
  readonly from: EpochMs;
  readonly length: number;
}

const LEAST_NODES = 64;

/**
 * Finds, among entries with times in a range, the first in some order: priority search trees (McCreight 1985), many in one
 * pool.
 *
 * A node holds the first of all entries at or below it. Times in the earlier half of its span go left, the others right; in a
 * span of 1 ms the bits of the values decide. So no tree is deeper than the number of bits of its span plus 32, whatever the
 * times are.
 *
 * A tree is identified by its root, which may change when the tree does; 0 is the empty tree, and not a node.
 */
export class TimeTrees {
  /** Number of nodes visited. */
  steps = 0;
  readonly span: Span;
  readonly #onePerTime: boolean;
  #times = new Float64Array(LEAST_NODES);
  #orders = new Float64Array(LEAST_NODES);
  #values = new Uint32Array(LEAST_NODES);
  /** Left and right child of each node. The left child of a free node is the next free node. */
  #children = new Uint32Array(2 * LEAST_NODES);
  #size = 1;
  #free = 0;

  /** @param onePerTime keep only the first of the entries with one time: the others could never be a result */
  constructor(span: Span, onePerTime: boolean) {
    this.span = span;
    this.#onePerTime = onePerTime;
  }

  get bytes(): number {
    return 28 * this.#values.length;
  }

  covers(ts: EpochMs): boolean {
    return ts >= this.span.from && ts < this.span.from + this.span.length;
  }

  /** Adds an entry and returns the root. `value`: 32 bits, unique within the tree. */
  add(root: number, ts: EpochMs, order: number, value: number): number {
    if (root === 0) return this.#make(ts, order, value);
    // The entry that moves down.
    let time = ts;
    let rank = order;
    let own = value;
    let low = this.span.from;
    let half = this.span.length / 2;
    let bit = 1;
    let steps = 0;
    for (let at = root; ; ) {
      steps++;
      if (this.#onePerTime && this.#times[at] === time) {
        if (rank < this.#orders[at]) this.#put(at, time, rank, own);
        break;
      }
      if (rank < this.#orders[at]) {
        const heldTime = this.#times[at];
        const heldRank = this.#orders[at];
        const heldOwn = this.#values[at];
        this.#put(at, time, rank, own);
        time = heldTime;
        rank = heldRank;
        own = heldOwn;
      }
      let side: number;
      if (half >= 1) {
        side = time < low + half ? 0 : 1;
        if (side === 1) low += half;
        half /= 2;
      } else {
        side = (own & bit) === 0 ? 0 : 1;
        bit <<= 1;
      }
      const child = this.#children[2 * at + side];
      if (child === 0) {
        const made = this.#make(time, rank, own);
        this.#children[2 * at + side] = made;
        break;
      }
      at = child;
    }
    this.steps += steps;
    return root;
  }

  /**
   * Prepends the entry to a list of entries that are added to a tree when it is first searched, which most trees never are, and
   * returns the list. The empty list is 0.
   */
  postpone(list: number, ts: EpochMs, order: number, value: number): number {
    if (this.#onePerTime && list !== 0 && this.#times[list] === ts && this.#orders[list] < order) return list;
    const at = this.#make(ts, order, value);
    this.#children[2 * at] = list;
    return at;
  }

  /** Adds all entries of a list, which is consumed. Returns the root. */
  addAll(root: number, list: number): number {
    let grown = root;
    for (let at = list; at !== 0; ) {
      const next = this.#children[2 * at];
      this.#children[2 * at] = this.#free;
      this.#free = at;
      grown = this.add(grown, this.#times[at], this.#orders[at], this.#values[at]);
      at = next;
    }
    return grown;
  }

  /** Removes an entry, if there is one, and returns the root. */
  remove(root: number, ts: EpochMs, value: number): number {
    let low = this.span.from;
    let half = this.span.length / 2;
    let bit = 1;
    /** Where the link to `at` stands in `#children`; -1: it is the root. */
    let link = -1;
    let at = root;
    while (at !== 0 && (this.#times[at] !== ts || this.#values[at] !== value)) {
      this.steps++;
      let side: number;
      if (half >= 1) {
        side = ts < low + half ? 0 : 1;
        if (side === 1) low += half;
        half /= 2;
      } else {
        side = (value & bit) === 0 ? 0 : 1;
        bit <<= 1;
      }
      link = 2 * at + side;
      at = this.#children[link];
    }
    if (at === 0) return root;
    for (;;) {
      this.steps++;
      const child = this.#firstOf(this.#children[2 * at], this.#children[2 * at + 1]);
      if (child === 0) break;
      this.#put(at, this.#times[child], this.#orders[child], this.#values[child]);
      link = child === this.#children[2 * at] ? 2 * at : 2 * at + 1;
      at = child;
    }
    this.#children[2 * at] = this.#free;
    this.#free = at;
    if (link < 0) return 0;
    this.#children[link] = 0;
    return root;
  }

  /** The first entry with from <= time < to, as a node that is valid until the next change; 0: none. */
  first(root: number, from: EpochMs, to: EpochMs): number {
    return from < to ? this.#search(root, this.span.from, this.span.length, from, to) : 0;
  }

  time(node: number): EpochMs {
    return this.#times[node];
  }

  value(node: number): number {
    return this.#values[node];
  }

  order(node: number): number {
    return this.#orders[node];
  }

  #search(at: number, low: number, length: number, from: EpochMs, to: EpochMs): number {
    if (at === 0 || low >= to || low + length <= from) return 0;
    this.steps++;
    const time = this.#times[at];
    if (time >= from && time < to) return at;
    const half = length / 2;
    return this.#firstOf(
      this.#search(this.#children[2 * at], low, half, from, to),
      this.#search(this.#children[2 * at + 1], low + half, half, from, to),
    );
  }

  #firstOf(a: number, b: number): number {
    if (a === 0 || b === 0) return a + b;
    return this.#orders[a] <= this.#orders[b] ? a : b;
  }

  #put(at: number, ts: EpochMs, order: number, value: number): void {
    this.#times[at] = ts;
    this.#orders[at] = order;
    this.#values[at] = value;
  }

  #make(ts: EpochMs, order: number, value: number): number {
    let at = this.#free;
    if (at !== 0) this.#free = this.#children[2 * at];
    else {
      at = this.#size++;
      if (at === this.#values.length) this.#widen();
    }
    this.#put(at, ts, order, value);
    this.#children[2 * at] = 0;
    this.#children[2 * at + 1] = 0;
    return at;
  }

  #widen(): void {
    const room = 2 * this.#values.length;
    const [times, orders, values, children] = [this.#times, this.#orders, this.#values, this.#children];
    this.#times = new Float64Array(room);
    this.#times.set(times);
    this.#orders = new Float64Array(room);
    this.#orders.set(orders);
    this.#values = new Uint32Array(room);
    this.#values.set(values);
    this.#children = new Uint32Array(2 * room);
    this.#children.set(children);
  }
}

/** A span around these times with an equal margin on both sides of at least `margin`. */
export function spanAround(least: EpochMs, most: EpochMs, margin: number): Span {
  const beside = Math.max(margin, most - least);
  return { from: least - beside, length: 2 ** Math.ceil(Math.log2(most - least + 2 * beside + 1)) };
}

const LEAST_NAMES = 32;

/** Texts that each have a tree. Texts are found by their packed bytes, which are copied. */
export class NamedTrees {
  /** By name. */
  roots = new Uint32Array(LEAST_NAMES);
  /** By name: entries to be added to its tree. */
  postponed = new Uint32Array(LEAST_NAMES);
  readonly #table: ByteTable;
  #bytes = Buffer.allocUnsafeSlow(1024);
  /** Where each name begins, and the end of the last. */
  #places = new Uint32Array(LEAST_NAMES + 1);
  #size = 0;

  constructor(hash: ItemHash) {
    this.#table = new ByteTable(hash);
  }

  get bytes(): number {
    return this.#table.bytes + this.#bytes.length + this.#places.byteLength + 2 * this.roots.byteLength;
  }

  get steps(): number {
    return this.#table.steps;
  }

  /** The name whose bytes are [from, end) of `u8`; -1: none is. */
  find(u8: Uint8Array, from: number, end: number): number {
    return this.#table.find(u8, from, end, (name) => this.#is(name, u8, from, end));
  }

  /** The same, but adds the name with an empty tree if it is missing. */
  at(u8: Uint8Array, from: number, end: number): number {
    const known = this.find(u8, from, end);
    if (known >= 0) return known;
    const name = this.#size++;
    if (name === this.roots.length) this.#widen();
    const place = this.#places[name];
    const next = place + end - from;
    if (next > this.#bytes.length) {
      const bytes = Buffer.allocUnsafeSlow(2 * next);
      bytes.set(this.#bytes.subarray(0, place));
      this.#bytes = bytes;
    }
    this.#bytes.set(u8.subarray(from, end), place);
    this.#places[name + 1] = next;
    this.#table.add(u8, from, end, name);
    return name;
  }

  #is(name: number, u8: Uint8Array, from: number, end: number): boolean {
    const place = this.#places[name];
    const length = this.#places[name + 1] - place;
    if (length !== end - from) return false;
    for (let i = length - 1; i >= 0; i--) if (this.#bytes[place + i] !== u8[from + i]) return false;
    return true;
  }

  #widen(): void {
    const { roots, postponed } = this;
    const places = this.#places;
    this.roots = new Uint32Array(2 * roots.length);
    this.roots.set(roots);
    this.postponed = new Uint32Array(2 * roots.length);
    this.postponed.set(postponed);
    this.#places = new Uint32Array(2 * roots.length + 1);
    this.#places.set(places);
  }
}
