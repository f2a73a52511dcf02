import { fmix32 } from '../vocabulary/user-words.ts';

/**
 * Seeded random numbers: xoshiro128** (Blackman and Vigna, "Scrambled linear pseudorandom number generators", ACM TOMS 2021), its
 * state filled by a splitmix of the seed and the stream's name. Each purpose has its own stream, so that a setting that draws
 * more or fewer numbers from its stream changes no other draw.
 */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #d: number;
  /** The second of a pair of normals, not returned yet; NaN: there is none. */
  #spare = Number.NaN;

  /** @param seed any whole number; @param stream name of the purpose */
  constructor(seed: number, stream: string) {
    let state = hashText(stream, fmix32(seed) ^ fmix32(Math.floor(seed / 0x1_0000_0000) + 0x5bf0_3635));
    const word = (): number => {
      state = (state + 0x9e37_79b9) | 0;
      return fmix32(state) | 0;
    };
    this.#a = word();
    this.#b = word();
    this.#c = word();
    this.#d = word() | 1;
  }

  /** Uniform in [0, 1), a multiple of 2^-32. */
  next(): number {
    const scrambled = Math.imul(rotateLeft(Math.imul(this.#b, 5), 7), 9);
    const t = this.#b << 9;
    this.#c ^= this.#a;
    this.#d ^= this.#b;
    this.#b ^= this.#c;
    this.#a ^= this.#d;
    this.#c ^= t;
    this.#d = rotateLeft(this.#d, 11);
    return (scrambled >>> 0) / 0x1_0000_0000;
  }

  /** Standard normal (Box and Muller 1958). */
  normal(): number {
    const spare = this.#spare;
    if (!Number.isNaN(spare)) {
      this.#spare = Number.NaN;
      return spare;
    }
    const radius = Math.sqrt(-2 * Math.log(1 - this.next()));
    const angle = 2 * Math.PI * this.next();
    this.#spare = radius * Math.sin(angle);
    return radius * Math.cos(angle);
  }

  /** Exponential with this mean. */
  exponential(mean: number): number {
    return -mean * Math.log(1 - this.next());
  }

  /** Exponential, cut to [0, limit), computed by the inverse of its distribution function. `mean`: before the cut. */
  exponentialBelow(mean: number, limit: number): number {
    return -mean * Math.log(1 - this.next() * (1 - Math.exp(-limit / mean)));
  }
}

/** Uniform in [0, 1), by a hash: equal for equal seed, name and index. */
export function hashUniform(seed: number, name: string, index: number): number {
  return fmix32(hashText(name, fmix32(seed)) ^ fmix32(index + 1)) / 0x1_0000_0000;
}

/** FNV-1a over the code units, starting from `state`. */
function hashText(text: string, state: number): number {
  let h = state ^ 0x811c_9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x0100_0193);
  return h | 0;
}

function rotateLeft(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

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
