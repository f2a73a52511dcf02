import type { Random } from './random.ts';

/** Draws an index with probability proportional to its weight, in constant time (Walker 1977; built as in Vose 1991). */
export class Choice {
  readonly #threshold: Float64Array;
  readonly #alias: Int32Array;

  /** @param weights at least one; none negative; not all 0 */
  constructor(weights: ArrayLike<number>) {
    const n = weights.length;
    let total = 0;
    for (let i = 0; i < n; i++) total += weights[i];
    const share = Float64Array.from({ length: n }, (_, i) => (weights[i] * n) / total);
    this.#threshold = new Float64Array(n).fill(1);
    this.#alias = Int32Array.from({ length: n }, (_, i) => i);
    const order = Int32Array.from({ length: n }, (_, i) => i);
    let small = 0;
    let large = n;
    for (let i = 0; i < n; i++) {
      if (share[i] < 1) order[small++] = i;
      else order[--large] = i;
    }
    while (small > 0 && large < n) {
      const low = order[--small];
      const high = order[large];
      this.#threshold[low] = share[low];
      this.#alias[low] = high;
      share[high] -= 1 - share[low];
      if (share[high] < 1) {
        large++;
        order[small++] = high;
      }
    }
  }

  pick(random: Random): number {
    const point = random.next() * this.#threshold.length;
    const index = Math.floor(point);
    return point - index < this.#threshold[index] ? index : this.#alias[index];
  }
}
