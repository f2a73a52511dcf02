import { Buffer } from 'node:buffer';
import type { EpochMs } from '../../vocabulary/events.ts';
import { copyText, sameText, textEnd } from '../packed/text.ts';
import type { ItemHash } from './item-hash.ts';
import type { Texts } from './pages.ts';
import { NamedTrees, type Span, TimeTrees } from './time-trees.ts';

/** An index for one request. */
export interface OfRequest {
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
