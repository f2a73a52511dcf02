/**
 * Keyed hash of bytes: a key word of 64 bits for each 32 bits of them (multilinear hashing: Lemire and Kaser, Strongly universal
 * string hashing is fast, 2014).
 *
 *     h = key[0] + length * key[1] + sum over i of word[i] * key[2 + i]   mod 2^64, of which the upper half is the hash
 *
 * Two texts that are chosen before the key is drawn have equal upper b bits with probability 2^-b: without the key nobody can
 * choose ids that collide. Longer texts go block by block, the hash of the bytes before being one more word of the next block;
 * the chances add up.
 */
import { take } from './memory';

const BLOCK_WORDS: usize = 32;
const BLOCK_BYTES: usize = 4 * BLOCK_WORDS;
/** For the beginning, the length, the hash of the block before, and the words. */
const KEYS: usize = 3 + BLOCK_WORDS;

/** 2^64 over the golden ratio, and the factors of SplitMix64, in halves: as one number none would be JavaScript. */
const GOLDEN: u64 = (u64(0x9e3779b9) << 32) | 0x7f4a7c15;
const FACTOR: u64 = (u64(0xbf58476d) << 32) | 0x1ce4e5b9;
const SECOND_FACTOR: u64 = (u64(0x94d049bb) << 32) | 0x133111eb;

/** The keys that come from a seed: SplitMix64 (Steele, Lea and Flood 2014). */
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

/** Of the bytes in [from, end). Reads up to 3 bytes beyond. */
export function hashBytes(keys: usize, from: usize, end: usize): u32 {
  const length = end - from;
  let h = load<u64>(keys) + <u64>length * load<u64>(keys, 8);
  let at = from;
  while (end - at > BLOCK_BYTES) {
    h = load<u64>(keys) + (hashWords(keys, at, at + BLOCK_BYTES, h) >> 32) * load<u64>(keys, 16);
    at += BLOCK_BYTES;
  }
  // Without it, texts that differ in one word would fall into cells at equal distances.
  return finalised(<u32>(hashWords(keys, at, end, h) >> 32));
}

/** The finaliser of MurmurHash3: one to one, so that nothing that is said of the hash changes. */
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
