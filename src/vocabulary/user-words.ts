/**
 * The bucket of a user, which never changes, and the words that select the user sample (specification: statistics 1.2, 5.1).
 *
 *     word = fmix32(fnv1a32(utf8(salt + id)))        bucket = word mod 256
 *
 * FNV-1a, 32 bit (Fowler, Noll and Vo; IETF draft-eastlake-fnv), then the finaliser of MurmurHash3 (A. Appleby, public
 * domain). Both parts are needed: the lowest bit of FNV-1a is the parity of the input's lowest bits, so an assigner that
 * takes FNV-1a mod 2 would leave half of the buckets of each variant empty. The salts are part of the format version.
 *
 * Example: user "user-42" has word 1382978383 and bucket 79 of 256.
 *
 * Runs once or twice per impression: the salts are hashed beforehand, and UTF-8 is made byte by byte without a buffer.
 */

/** Number of buckets of a full vector. */
export const BUCKETS = 256;

const FNV_OFFSET = 0x811c_9dc5;
const FNV_PRIME = 0x0100_0193;
/** Replaces a lone surrogate, as in TextEncoder. */
const REPLACEMENT = 0xfffd;

/**
 * FNV-1a of the UTF-8 bytes, unsigned.
 * @param state where to continue; default: the start
 */
export function fnv1a32(text: string, state: number = FNV_OFFSET): number {
  let h = state | 0;
  for (let i = 0; i < text.length; i++) {
    let code = text.charCodeAt(i);
    if (code < 0x80) {
      h = Math.imul(h ^ code, FNV_PRIME);
      continue;
    }
    if (code < 0x800) {
      h = Math.imul(h ^ (0xc0 | (code >> 6)), FNV_PRIME);
      h = Math.imul(h ^ (0x80 | (code & 0x3f)), FNV_PRIME);
      continue;
    }
    if (code >= 0xd800 && code <= 0xdfff) {
      const low = code <= 0xdbff && i + 1 < text.length ? text.charCodeAt(i + 1) : 0;
      if (low >= 0xdc00 && low <= 0xdfff) {
        i++;
        code = 0x1_0000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        h = Math.imul(h ^ (0xf0 | (code >> 18)), FNV_PRIME);
        h = Math.imul(h ^ (0x80 | ((code >> 12) & 0x3f)), FNV_PRIME);
        h = Math.imul(h ^ (0x80 | ((code >> 6) & 0x3f)), FNV_PRIME);
        h = Math.imul(h ^ (0x80 | (code & 0x3f)), FNV_PRIME);
        continue;
      }
      code = REPLACEMENT;
    }
    h = Math.imul(h ^ (0xe0 | (code >> 12)), FNV_PRIME);
    h = Math.imul(h ^ (0x80 | ((code >> 6) & 0x3f)), FNV_PRIME);
    h = Math.imul(h ^ (0x80 | (code & 0x3f)), FNV_PRIME);
  }
  return h >>> 0;
}

/** A one-to-one mix of 32 bits, unsigned. */
export function fmix32(word: number): number {
  let h = word | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85eb_ca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2_ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** The hash state after the salt of bucket words. */
export const BUCKET_SALT = fnv1a32('receval/bucket/1:');
const FIRST_SALT = fnv1a32('receval/sample/1:');
const SECOND_SALT = fnv1a32('receval/sample/2:');

/**
 * The word whose lowest bits are the bucket.
 * @param id user id, or request id of an impression without a user
 */
export function bucketWord(id: string): number {
  return fmix32(fnv1a32(id, BUCKET_SALT));
}

/**
 * Bucket of a user, from 0.
 * @param id as in `bucketWord`
 * @param buckets a power of two, at most 2^31
 */
export function bucketOf(id: string, buckets: number = BUCKETS): number {
  return bucketWord(id) & (buckets - 1);
}

/** The word that decides whether a user is in the sample: below 2^(32 - level). */
export function sampleFirst(userId: string): number {
  return fmix32(fnv1a32(userId, FIRST_SALT));
}

/** The user's key in the sample, 53 bits: first word, then 21 bits of the second. */
export function sampleKey(userId: string, first: number = sampleFirst(userId)): number {
  return first * 2 ** 21 + (fmix32(fnv1a32(userId, SECOND_SALT)) >>> 11);
}

/** The key of an id whose bytes [from, to) are ASCII. */
export function sampleKeyOf(ascii: Uint8Array, from: number, to: number): number {
  let first = FIRST_SALT | 0;
  let second = SECOND_SALT | 0;
  for (let i = from; i < to; i++) {
    first = Math.imul(first ^ ascii[i], FNV_PRIME);
    second = Math.imul(second ^ ascii[i], FNV_PRIME);
  }
  return fmix32(first) * 2 ** 21 + (fmix32(second) >>> 11);
}
