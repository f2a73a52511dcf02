/**
 * Keyed hash of the bytes of an item: for each pair of bytes one multiplication by a key word of its own ("multiply-shift",
 * Dietzfelbinger, Universal hashing and k-wise independent random variables via integer arithmetic without primes, 1996).
 *
 *     h = key[0] + length * key[1] + sum over i of key[4 + i] * pair[i]   mod 2^32
 *
 * Two texts that are chosen before the key is drawn have equal upper `cellBits` bits with probability 2^-cellBits, and so equal
 * h with at most that: without the key nobody can choose ids that collide. Longer texts go block by block, the two halves of h
 * being two more pairs of the next block; the chances add up.
 */
const BLOCK_PAIRS = 64;
const BLOCK_BYTES = 2 * BLOCK_PAIRS;

export class ItemHash {
  /** Up to this many upper bits of the hash are as good as random. */
  static readonly cellBits = 17;
  readonly #keys = new Int32Array(BLOCK_PAIRS + 4);

  constructor(seed: number) {
    const next = keyStream(seed);
    for (let i = 0; i < this.#keys.length; i++) this.#keys[i] = next();
  }

  /** 32 bits, signed. */
  of(u8: Uint8Array, from: number, end: number): number {
    const keys = this.#keys;
    let h = (keys[0] + Math.imul(keys[1], end - from)) | 0;
    let at = from;
    while (end - at > BLOCK_BYTES) {
      h = (this.#block(u8, at, at + BLOCK_BYTES, h) + keys[0]) | 0;
      h = (Math.imul(keys[2], h & 0xffff) + Math.imul(keys[3], h >>> 16)) | 0;
      at += BLOCK_BYTES;
    }
    return this.#block(u8, at, end, h);
  }

  #block(u8: Uint8Array, from: number, end: number, start: number): number {
    const keys = this.#keys;
    let h = start;
    let k = 4;
    let at = from;
    for (; at + 1 < end; at += 2) h = (h + Math.imul(keys[k++], u8[at] | (u8[at + 1] << 8))) | 0;
    return at < end ? (h + Math.imul(keys[k], u8[at])) | 0 : h;
  }
}

/** A stream of key words from a seed: SplitMix32. */
function keyStream(seed: number): () => number {
  let low = seed | 0;
  // The bits of a seed above 32 count as well.
  const high = Math.floor(seed / 2 ** 32) | 0;
  return () => {
    low = (low + 0x9e3779b9) | 0;
    let z = low ^ Math.imul(high, 0x85ebca6b);
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return (z ^ (z >>> 15)) | 0;
  };
}
