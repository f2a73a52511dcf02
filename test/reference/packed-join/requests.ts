import { Buffer } from 'node:buffer';
import { textEnd } from '../../../src/consumers/packed/text.ts';
import type { EpochMs } from '../../../src/vocabulary/events.ts';
import type { Arena } from './arena.ts';
import type { ItemHash } from './byte-table.ts';
import type { Texts } from './pages.ts';
import { copyText, sameText } from './text-copies.ts';
import { NamedTrees, type Span, TimeTrees } from './time-trees.ts';

/**
 * Finds packed records by the hash of their request id. Linear hashing (Litwin 1980): the table grows and shrinks by one chain
 * at a time, so no insertion rehashes the whole table. Chains run through the records themselves.
 *
 * Word 0 of a record is its hash, word 1 the next record of its chain. Within one hash the newest comes first. A third word, at
 * a place of the caller's choice, is the previous record, so that a record behind thousands with its hash is removed in
 * constant time.
 */
export const HASH_WORD = 0;
export const NEXT_WORD = 1;

const PART_BITS = 12;
const PART_MASK = (1 << PART_BITS) - 1;
const LEAST_CHAINS = 16;

export class RequestTable {
  readonly #arena: Arena;
  readonly #beforeWord: number;
  /** First record of each chain, in parts so that growing copies nothing. */
  readonly #parts: Uint32Array[] = [new Uint32Array(1 << PART_BITS)];
  #chains = LEAST_CHAINS;
  /** Chains at the start of this round of splits: a power of two, at most `#chains`. */
  #round = LEAST_CHAINS;
  #size = 0;

  /** @param beforeWord the word of a record that links to the previous record of its chain */
  constructor(arena: Arena, beforeWord: number) {
    this.#arena = arena;
    this.#beforeWord = beforeWord;
  }

  get size(): number {
    return this.#size;
  }

  get bytes(): number {
    return this.#parts.length * 4 * (1 << PART_BITS);
  }

  /** First record of the chain for this hash, which may also hold other hashes. 0: none. */
  chain(hash: number): number {
    return this.#first(this.#chainOf(hash));
  }

  next(handle: number): number {
    const arena = this.#arena;
    return arena.segment(handle).u32[arena.unit(handle) * 2 + NEXT_WORD];
  }

  hash(handle: number): number {
    const arena = this.#arena;
    return arena.segment(handle).u32[arena.unit(handle) * 2 + HASH_WORD];
  }

  insert(handle: number): void {
    const chain = this.#chainOf(this.hash(handle));
    const after = this.#first(chain);
    this.#setWord(handle, NEXT_WORD, after);
    this.#setWord(handle, this.#beforeWord, 0);
    if (after !== 0) this.#setWord(after, this.#beforeWord, handle);
    this.#setFirst(chain, handle);
    if (++this.#size > this.#chains) this.#grow();
  }

  remove(handle: number): void {
    const after = this.next(handle);
    const before = this.#word(handle, this.#beforeWord);
    if (before === 0) this.#setFirst(this.#chainOf(this.hash(handle)), after);
    else this.#setWord(before, NEXT_WORD, after);
    if (after !== 0) this.#setWord(after, this.#beforeWord, before);
    this.#size--;
    // Twice, so that a table that is emptied becomes small again.
    for (let i = 0; i < 2 && this.#size < this.#chains >>> 1 && this.#chains > LEAST_CHAINS; i++) this.#shrink();
  }

  #chainOf(hash: number): number {
    const chain = hash & (2 * this.#round - 1);
    return chain < this.#chains ? chain : hash & (this.#round - 1);
  }

  #first(chain: number): number {
    return this.#parts[chain >>> PART_BITS][chain & PART_MASK];
  }

  #setFirst(chain: number, handle: number): void {
    this.#parts[chain >>> PART_BITS][chain & PART_MASK] = handle;
  }

  #word(handle: number, word: number): number {
    const arena = this.#arena;
    return arena.segment(handle).u32[arena.unit(handle) * 2 + word];
  }

  #setWord(handle: number, word: number, value: number): void {
    const arena = this.#arena;
    arena.segment(handle).u32[arena.unit(handle) * 2 + word] = value;
  }

  #link(handle: number, next: number): void {
    this.#setWord(handle, NEXT_WORD, next);
    this.#setWord(next, this.#beforeWord, handle);
  }

  /** Makes it the only record of its chain. */
  #begin(chain: number, handle: number): void {
    this.#setFirst(chain, handle);
    this.#setWord(handle, this.#beforeWord, 0);
  }

  /** Splits the next chain of the round in two, both in the old order. */
  #grow(): void {
    const round = this.#round;
    const added = this.#chains++;
    if (added >>> PART_BITS === this.#parts.length) this.#parts.push(new Uint32Array(1 << PART_BITS));
    const from = added - round;
    let stay = 0;
    let move = 0;
    let at = this.#first(from);
    this.#setFirst(from, 0);
    this.#setFirst(added, 0);
    while (at !== 0) {
      const next = this.next(at);
      this.#setWord(at, NEXT_WORD, 0);
      if ((this.hash(at) & round) === 0) {
        if (stay === 0) this.#begin(from, at);
        else this.#link(stay, at);
        stay = at;
      } else {
        if (move === 0) this.#begin(added, at);
        else this.#link(move, at);
        move = at;
      }
      at = next;
    }
    if (this.#chains === 2 * round) this.#round = 2 * round;
  }

  /** Undoes the last split: appends the last chain to the one that it was split from. */
  #shrink(): void {
    if (this.#chains === this.#round) this.#round >>>= 1;
    const last = --this.#chains;
    const into = last - this.#round;
    const moved = this.#first(last);
    this.#setFirst(last, 0);
    let at = this.#first(into);
    if (at === 0) this.#setFirst(into, moved);
    else if (moved !== 0) {
      for (let next = this.next(at); next !== 0; next = this.next(at)) at = next;
      this.#link(at, moved);
    }
    if (this.#parts.length > ((last - 1) >>> PART_BITS) + 1) this.#parts.pop();
  }
}

/** An index for one request. */
interface OfRequest {
  /** The request id, packed, at 0. */
  readonly request: Uint8Array;
  readonly bytes: number;
  readonly steps: number;
}

/** Bytes of an index, its objects and its place in the Map. */
const INDEX_BYTES = 512;

/** Indexes for requests with so many records that a linear search would be slow; most requests have none. */
export class LongRequests<Index extends OfRequest> {
  /** By the keyed hash of the request id (packed/text.ts). */
  readonly #byHash = new Map<number, Index[]>();
  #bytes = 0;
  /** Steps of the indexes that were removed. */
  #steps = 0;

  get bytes(): number {
    return this.#bytes;
  }

  get steps(): number {
    let steps = this.#steps;
    for (const indexes of this.#byHash.values()) for (const index of indexes) steps += index.steps;
    return steps;
  }

  /** The index of the request whose id is at `request` of `u8`; undefined: it has none. */
  of(hash: number, u8: Uint8Array, request: number): Index | undefined {
    if (this.#byHash.size === 0) return undefined;
    const indexes = this.#byHash.get(hash);
    if (indexes === undefined) return undefined;
    return indexes.find((index) => sameText(index.request, 0, u8, request));
  }

  add(hash: number, index: Index): void {
    const indexes = this.#byHash.get(hash);
    if (indexes === undefined) this.#byHash.set(hash, [index]);
    else indexes.push(index);
    this.#bytes += INDEX_BYTES + index.bytes;
  }

  remove(hash: number, index: Index): void {
    const left = (this.#byHash.get(hash) ?? []).filter((other) => other !== index);
    if (left.length === 0) this.#byHash.delete(hash);
    else this.#byHash.set(hash, left);
    this.#bytes -= INDEX_BYTES + index.bytes;
    this.#steps += index.steps;
  }

  /** The size of an index changed by `bytes`. */
  grew(bytes: number): void {
    this.#bytes += bytes;
  }
}

/** A copy of the text at `at`. */
export function copyOf(u8: Uint8Array, at: number): Buffer {
  const copy = Buffer.alloc(textEnd(u8, at) - at);
  copyText(copy, 0, u8, at);
  return copy;
}

/** The feedback that waits for one request, if there is much of it, by item and time, and by watermark and time. */
export class WaitingOfRequest {
  readonly request: Uint8Array;
  live = 0;
  added = 0;
  readonly #trees: TimeTrees;
  readonly #items: NamedTrees;
  /** By descending watermark. */
  #byWatermark = 0;
  readonly #taken: { readonly order: number; readonly handle: number }[] = [];

  constructor(request: Uint8Array, hash: ItemHash, span: Span) {
    this.request = request;
    this.#items = new NamedTrees(hash);
    this.#trees = new TimeTrees(span, false);
  }

  get bytes(): number {
    return this.#trees.bytes + this.#items.bytes + this.request.length;
  }

  get steps(): number {
    return this.#trees.steps + this.#items.steps;
  }

  covers(ts: EpochMs): boolean {
    return this.#trees.covers(ts);
  }

  /** To be called in the order in which the feedback began to wait. */
  add(handle: number, ts: EpochMs, watermark: EpochMs, u8: Uint8Array, item: number): void {
    this.#byWatermark = this.#trees.add(this.#byWatermark, ts, -watermark, handle);
    const name = this.#items.at(u8, item, textEnd(u8, item));
    const { roots } = this.#items;
    roots[name] = this.#trees.add(roots[name], ts, this.added++, handle);
    this.live++;
  }

  remove(handle: number, ts: EpochMs, u8: Uint8Array, item: number): void {
    this.#byWatermark = this.#trees.remove(this.#byWatermark, ts, handle);
    const name = this.#items.find(u8, item, textEnd(u8, item));
    const { roots } = this.#items;
    if (name >= 0) roots[name] = this.#trees.remove(roots[name], ts, handle);
    this.live--;
  }

  /** One with from <= time < to whose watermark is at or above `closed`; 0: none. */
  lateFor(from: EpochMs, to: EpochMs, closed: EpochMs): number {
    const node = this.#trees.first(this.#byWatermark, from, to);
    return node !== 0 && -this.#trees.order(node) >= closed ? this.#trees.value(node) : 0;
  }

  /**
   * Puts all with from <= time < to that wait for one of these items into `found` from `n` on, oldest first, and returns the
   * number of entries there. The caller must remove them: they can no longer be found by their items.
   */
  takeFor({ u8, items, length }: Texts, from: EpochMs, to: EpochMs, found: number[], n: number): number {
    const trees = this.#trees;
    const taken = this.#taken;
    taken.length = 0;
    for (let s = 0; s < length; s++) {
      const name = this.#items.find(u8, items[s], textEnd(u8, items[s]));
      if (name < 0) continue;
      const { roots } = this.#items;
      for (let node = trees.first(roots[name], from, to); node !== 0; node = trees.first(roots[name], from, to)) {
        const handle = trees.value(node);
        taken.push({ order: trees.order(node), handle });
        roots[name] = trees.remove(roots[name], trees.time(node), handle);
      }
    }
    taken.sort((a, b) => a.order - b.order);
    for (let i = 0; i < taken.length; i++) found[n + i] = taken[i].handle;
    return n + taken.length;
  }
}
