import type { DurationMs, EpochMs } from '../vocabulary/events.ts';

/**
 * Records on their way, taken in the order of arrival (ties: as added). They lie in buckets of equal time; a bucket is
 * sorted once, when it is due. Holds only what is on its way: about rate times mean delay.
 */
export class Schedule<T extends { readonly at: EpochMs }> {
  readonly #width: DurationMs;
  readonly #buckets = new Map<number, T[]>();
  #due: readonly T[] = [];
  #taken = 0;
  /** Number of the first bucket that is not due yet. */
  #next = Number.NEGATIVE_INFINITY;
  #waiting = 0;

  constructor(width: DurationMs) {
    this.#width = width;
  }

  add(record: T): void {
    const number = Math.floor(record.at / this.#width);
    if (number < this.#next) throw new Error(`a record of ${record.at} came after its time was taken`);
    const bucket = this.#buckets.get(number);
    if (bucket === undefined) this.#buckets.set(number, [record]);
    else bucket.push(record);
    this.#waiting++;
  }

  get isEmpty(): boolean {
    return this.#waiting === 0 && this.#taken >= this.#due.length;
  }

  /** The next record, given that nothing below `sealed` will be added any more; undefined: none is sure to be next. */
  take(sealed: EpochMs): T | undefined {
    if (this.#taken < this.#due.length) return this.#due[this.#taken++];
    const end = Math.floor(sealed / this.#width);
    if (this.#waiting === 0) {
      if (end !== Number.POSITIVE_INFINITY) this.#next = end;
      return undefined;
    }
    if (this.#next === Number.NEGATIVE_INFINITY) this.#next = Math.min(end, ...this.#buckets.keys());
    while (this.#next < end) {
      const bucket = this.#buckets.get(this.#next++);
      if (bucket === undefined) continue;
      this.#buckets.delete(this.#next - 1);
      this.#waiting -= bucket.length;
      this.#due = bucket.sort((a, b) => a.at - b.at);
      this.#taken = 1;
      return this.#due[0];
    }
    return undefined;
  }
}
