import { ItemRows } from './item-rows.ts';
import type { Ordering, OrderRule } from './order.ts';

export const REPEATS = ['refuse', 'first', 'best'] as const;

/**
 * What happens to an item that a list holds several times: it is an error; or it is credited at its first place, and the others stay
 * in their places and are not relevant; or only its best row is left, as for documents that were retrieved by their passages.
 */
export type Repeats = (typeof REPEATS)[number];

/** Removes repeated items; its buffers are reused. */
export class BestRows {
  readonly #kept = new ItemRows();
  #isSeen = new Uint8Array(1024);

  /**
   * The best row of each item, indexed, and sorted by `ordering`.
   * @param rows indexed, with items that repeat
   */
  of(rows: ItemRows, ordering: Ordering, rule: OrderRule): ItemRows {
    const { bytes, starts, hashes, scores, ranks, lines } = rows;
    if (this.#isSeen.length < rows.count) this.#isSeen = new Uint8Array(2 * rows.count);
    const isSeen = this.#isSeen.fill(0, 0, rows.count);
    const kept = this.#kept;
    kept.clear();
    ordering.sort(rows, rule);
    for (let place = 0; place < rows.count; place++) {
      const row = ordering.order[place];
      const [from, to] = [starts[row], starts[row + 1]];
      const first = rows.find(hashes[row], bytes, from, to);
      if (isSeen[first] === 1) continue;
      isSeen[first] = 1;
      kept.add(bytes, from, to, scores[row], ranks[row], lines[row]);
    }
    kept.index();
    ordering.sort(kept, rule);
    return kept;
  }
}
