import { MAD_TO_SD } from './baseline-spread.ts';

/** Residuals whose median tells the scale. */
const KEPT = 288;
/** With fewer the errors are taken at their word. */
const LEAST = 24;
const LEAST_SCALE = 0.5;

/**
 * The scale of the residuals of a while ago: max(.5, 1.4826 · median |z|) of the last 288, 1 while there are fewer than 24.
 * The caller leaves out what belongs to an alarm, so the scale cannot learn the fall that it is to measure.
 */
export class RunningScale {
  readonly #ring = new Float64Array(KEPT);
  readonly #sorted = new Float64Array(KEPT);
  #count = 0;
  #next = 0;

  get value(): number {
    const n = this.#count;
    if (n < LEAST) return 1;
    const half = n >> 1;
    const middle = n % 2 === 1 ? this.#sorted[half] : (this.#sorted[half - 1] + this.#sorted[half]) / 2;
    return Math.max(LEAST_SCALE, MAD_TO_SD * middle);
  }

  add(z: number): void {
    const size = Math.abs(z);
    if (this.#count === KEPT) this.#remove(this.#ring[this.#next]);
    this.#ring[this.#next] = size;
    this.#next = (this.#next + 1) % KEPT;
    const at = this.#place(size);
    this.#sorted.copyWithin(at + 1, at, this.#count);
    this.#sorted[at] = size;
    this.#count++;
  }

  #remove(size: number): void {
    const at = this.#place(size);
    this.#sorted.copyWithin(at, at + 1, this.#count);
    this.#count--;
  }

  /** Index of the first value that is not smaller. */
  #place(size: number): number {
    let low = 0;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#sorted[middle] < size) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
