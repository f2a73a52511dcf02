import { fmix32 } from '../vocabulary/user-words.ts';
import { KEY_BITS } from './sampled.ts';

const BYTE = 256;
const BYTES = Math.ceil(KEY_BITS / 8);

/**
 * A hash of the keys of a user sample that whoever chooses user ids does not know: simple tabulation, a word drawn for each
 * value of each byte. With it a search in a table with linear probing takes a constant number of steps for any set of keys
 * that was chosen without knowing the words (M. Patrascu and M. Thorup, "The power of simple tabulation hashing", JACM 2012).
 */
export class KeyHash {
  /** By byte of the key, from the lowest, then by its value. */
  readonly #words: Uint32Array;

  /** @param seed a whole number below 2^53, as `newHashSeed` draws it */
  constructor(seed: number) {
    const [low, high] = [seed | 0, Math.floor(seed / 2 ** 32) | 0];
    this.#words = Uint32Array.from({ length: BYTES * BYTE }, (_, i) => fmix32(fmix32(fmix32(i + 1) ^ low) ^ high));
  }

  /** 32 bits, signed. */
  of(key: number): number {
    const words = this.#words;
    const low = key | 0;
    const high = (key / 2 ** 32) | 0;
    return (
      words[low & 255] ^
      words[256 + ((low >>> 8) & 255)] ^
      words[512 + ((low >>> 16) & 255)] ^
      words[768 + (low >>> 24)] ^
      words[1024 + (high & 255)] ^
      words[1280 + ((high >>> 8) & 255)] ^
      words[1536 + (high >>> 16)]
    );
  }
}
