import { Buffer } from 'node:buffer';
import { textEnd } from '../../../src/consumers/packed/text.ts';
import type { DurationMs, EpochMs } from '../../../src/vocabulary/events.ts';
import type { ItemHash } from './byte-table.ts';
import { NamedTrees, type Span, TimeTrees } from './time-trees.ts';

/** No packed text starts with this byte, so the number of a page cannot be an item. */
const PAGE_TAG = 3;
const PAGE_BYTES = 5;

/** Packed texts and their places. */
export interface Texts {
  readonly u8: Uint8Array;
  readonly items: Int32Array;
  readonly length: number;
}

/**
 * The accepted impressions of one request that has many, by time, by item and time, and by page and time. Results are entries
 * (impressions.ts); 0: none. Forgotten impressions stay in the trees, as no search reaches times that old.
 */
export class Pages {
  readonly request: Uint8Array;
  /** Impressions that were added and not forgotten. */
  live = 0;
  added = 0;
  readonly #trees: TimeTrees;
  readonly #names: NamedTrees;
  #all = 0;
  readonly #page = Buffer.alloc(PAGE_BYTES, PAGE_TAG);

  constructor(request: Uint8Array, hash: ItemHash, span: Span) {
    this.request = request;
    this.#names = new NamedTrees(hash);
    this.#trees = new TimeTrees(span, true);
  }

  get bytes(): number {
    return this.#trees.bytes + this.#names.bytes + this.request.length;
  }

  get steps(): number {
    return this.#trees.steps + this.#names.steps;
  }

  covers(ts: EpochMs): boolean {
    return this.#trees.covers(ts);
  }

  /** To be called in the order of the log. `items` undefined: it has closed, and its items were freed. */
  add(entry: number, ts: EpochMs, page: number, items: Texts | undefined): void {
    const order = this.added++;
    this.live++;
    this.#all = this.#trees.add(this.#all, ts, order, entry);
    this.#page.writeUInt32LE(page, 1);
    this.#addTo(this.#names.at(this.#page, 0, PAGE_BYTES), ts, order, entry);
    if (items === undefined) return;
    const { u8, items: places, length } = items;
    for (let s = 0; s < length; s++) {
      this.#addTo(this.#names.at(u8, places[s], textEnd(u8, places[s])), ts, order, entry);
    }
  }

  #addTo(name: number, ts: EpochMs, order: number, entry: number): void {
    const { postponed } = this.#names;
    postponed[name] = this.#trees.postpone(postponed[name], ts, order, entry);
  }

  #rootOf(name: number): number {
    const { roots, postponed } = this.#names;
    if (postponed[name] !== 0) {
      roots[name] = this.#trees.addAll(roots[name], postponed[name]);
      postponed[name] = 0;
    }
    return roots[name];
  }

  /** Whether one has from <= time < to. */
  hasAny(from: EpochMs, to: EpochMs): boolean {
    return this.#trees.first(this.#all, from, to) !== 0;
  }

  /** The first in the log with from <= time < to that holds the item or has a time below `closed`. */
  firstFor(u8: Uint8Array, item: number, from: EpochMs, to: EpochMs, closed: EpochMs): number {
    const trees = this.#trees;
    const late = trees.first(this.#all, from, Math.min(to, closed));
    const name = this.#names.find(u8, item, textEnd(u8, item));
    const holder = name < 0 ? 0 : trees.first(this.#rootOf(name), from, to);
    if (late === 0 || holder === 0) return trees.value(late + holder);
    return trees.value(trees.order(late) <= trees.order(holder) ? late : holder);
  }

  /** The last in the log of this page that is less than `apart` from `ts`. Accepted impressions of one page are at least that far apart. */
  lastNear(page: number, ts: EpochMs, apart: DurationMs): number {
    this.#page.writeUInt32LE(page, 1);
    const name = this.#names.find(this.#page, 0, PAGE_BYTES);
    if (name < 0) return 0;
    const trees = this.#trees;
    const root = this.#rootOf(name);
    const before = trees.first(root, ts - apart + 1, ts + 1);
    const after = trees.first(root, ts + 1, ts + apart);
    if (before === 0 || after === 0) return trees.value(before + after);
    return trees.value(trees.order(before) < trees.order(after) ? after : before);
  }
}
