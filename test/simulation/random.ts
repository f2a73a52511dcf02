/** Seeded randomness: the same seed draws the same numbers on every machine. One stream for each purpose. */
export class Random {
  readonly #seed: number;
  #state: number;

  constructor(seed: number, purpose = '') {
    let state = seed | 0;
    for (const letter of purpose) state = Math.imul(state ^ (letter.codePointAt(0) ?? 0), 0x9e3779b1);
    this.#seed = state;
    this.#state = state;
  }

  /** Another stream, which continues by itself. */
  stream(purpose: string): Random {
    return new Random(this.#seed, purpose);
  }

  /** In [0, 1). SplitMix32: one addition, two multiplications. */
  next(): number {
    this.#state = (this.#state + 0x9e3779b9) | 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 4_294_967_296;
  }

  /** A whole number, both ends included. */
  whole(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.next() * list.length)];
  }

  /** One of the values, as often as its weight says. */
  weighted<T>(choices: readonly (readonly [weight: number, value: T])[]): T {
    let left = this.next() * choices.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, value] of choices) {
      left -= weight;
      if (left < 0) return value;
    }
    return choices[choices.length - 1][1];
  }
}
