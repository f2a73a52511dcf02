import type { EpochMs } from '../../vocabulary/events.ts';
import { textEnd } from '../packed/text.ts';
import type { ItemHash } from './item-hash.ts';
import { NamedTrees } from './names.ts';
import type { Texts } from './pages.ts';
import { type Span, TimeTrees } from './time-trees.ts';

/** The feedback that waits for one request, where it is much, by item and time, and by watermark and time. */
export class WaitingOfRequest {
  readonly request: Uint8Array;
  live = 0;
  added = 0;
  readonly #trees: TimeTrees;
  readonly #items: NamedTrees;
  /** The latest watermark first. */
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

  /** In the order in which they began to wait. */
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
   * Puts all with from <= time < to that wait for one of these items into `found` from `n` on, oldest first, and answers how
   * many stand there then. They must be removed after that: their items do not find them any more.
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
