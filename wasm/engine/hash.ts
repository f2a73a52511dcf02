/**
 * Keyed hash of bytes, with a 64-bit key word for each 32 bits of input (multilinear hashing: Lemire and Kaser, Strongly universal string
 * hashing is fast, 2014).
 *
 *     h = key[0] + length * key[1] + sum over i of word[i] * key[2 + i]   mod 2^64
 *
 * The upper half of h is the hash. Two texts chosen before the key is drawn agree in the upper b bits with probability 2^-b, so nobody
 * who lacks the key can choose ids that collide. Longer texts are hashed block by block; the hash of the preceding bytes is one more word
 * of the next block, and the probabilities add up.
 */
import { take } from './memory';

const BLOCK_WORDS: usize = 32;
const BLOCK_BYTES: usize = 4 * BLOCK_WORDS;
/** Keys for the constant, the length, the hash of the previous block, and the words. */
const KEYS: usize = 3 + BLOCK_WORDS;

/** 2^64 divided by the golden ratio, and the factors of SplitMix64, in halves: JavaScript has no literal for the whole. */
const GOLDEN: u64 = (u64(0x9e3779b9) << 32) | 0x7f4a7c15;
const FACTOR: u64 = (u64(0xbf58476d) << 32) | 0x1ce4e5b9;
const SECOND_FACTOR: u64 = (u64(0x94d049bb) << 32) | 0x133111eb;

/** Keys derived from a seed by SplitMix64 (Steele, Lea and Flood 2014). */
export function newKeys(seed: u64): usize {
  const keys = take(8 * KEYS);
  let state = seed;
  for (let i: usize = 0; i < KEYS; i++) {
    state += GOLDEN;
    let z = (state ^ (state >> 30)) * FACTOR;
    z = (z ^ (z >> 27)) * SECOND_FACTOR;
    store<u64>(keys + 8 * i, z ^ (z >> 31));
  }
  return keys;
}

/** Hash of the bytes in [from, end). Reads up to 3 bytes beyond. */
export function hashBytes(keys: usize, from: usize, end: usize): u32 {
  const length = end - from;
  let h = load<u64>(keys) + <u64>length * load<u64>(keys, 8);
  let at = from;
  while (end - at > BLOCK_BYTES) {
    h = load<u64>(keys) + (hashWords(keys, at, at + BLOCK_BYTES, h) >> 32) * load<u64>(keys, 16);
    at += BLOCK_BYTES;
  }
  // Without this step, texts that differ in one word would fall into cells at equal distances.
  return finalised(<u32>(hashWords(keys, at, end, h) >> 32));
}

/** The finaliser of MurmurHash3. It is one to one, so probabilities of collisions do not change. */
export function finalised(hash: u32): u32 {
  let h = hash;
  h = (h ^ (h >> 16)) * 0x85ebca6b;
  h = (h ^ (h >> 13)) * 0xc2b2ae35;
  return h ^ (h >> 16);
}

function hashWords(keys: usize, from: usize, end: usize, start: u64): u64 {
  let h = start;
  let key = keys + 24;
  let at = from;
  for (; at + 4 <= end; at += 4) {
    h += <u64>load<u32>(at) * load<u64>(key);
    key += 8;
  }
  if (at < end) h += <u64>(load<u32>(at) & ((1 << (8 * <u32>(end - at))) - 1)) * load<u64>(key);
  return h;
}
