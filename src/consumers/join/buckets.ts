/** Values by slices of time, found by key and walked from the oldest. Few keys at a time (thousands), mostly added at the end. */
export class TimeBuckets<T> {
  readonly #make: (key: number) => T;
  readonly #keys: number[] = [];
  readonly #values: T[] = [];

  constructor(make: (key: number) => T) {
    this.#make = make;
  }

  get size(): number {
    return this.#keys.length;
  }

  /** The bucket of a key, made when it is not there yet. */
  at(key: number): T {
    const keys = this.#keys;
    const end = keys.length;
    if (end > 0 && keys[end - 1] === key) return this.#values[end - 1];
    const i = this.lowerBound(key);
    if (i < end && keys[i] === key) return this.#values[i];
    const value = this.#make(key);
    keys.splice(i, 0, key);
    this.#values.splice(i, 0, value);
    return value;
  }

  /** Place of the first key at or above the given one. */
  lowerBound(key: number): number {
    let low = 0;
    let high = this.#keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#keys[middle] < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  key(place: number): number {
    return this.#keys[place];
  }

  value(place: number): T {
    return this.#values[place];
  }

  /** Removes the `count` oldest. */
  dropOldest(count: number): void {
    if (count === 0) return;
    this.#keys.splice(0, count);
    this.#values.splice(0, count);
  }
}
