import { Buffer } from 'node:buffer';
import { ByteTable } from './byte-table.ts';
import type { ItemHash } from './item-hash.ts';

const LEAST_NAMES = 32;

/** Texts of which each has a tree (time-trees.ts), found by their packed bytes, of which it keeps a copy. */
export class NamedTrees {
  /** By name. */
  roots = new Uint32Array(LEAST_NAMES);
  /** By name: what is to be added to its tree. */
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

  /** The same; it is made when it is not there, with an empty tree. */
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
