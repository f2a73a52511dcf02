/**
 * Which register of a HyperLogLog an item raises, and how far. It must never change, since stored registers depend on it.
 *
 *     hash = fmix64(fnv1a64(utf8(item)))      index = its highest 12 bits      run = zeros before the first one of the rest, + 1
 *
 * FNV-1a, 64 bit (Fowler, Noll and Vo; IETF draft-eastlake-fnv), then the finaliser of MurmurHash3 (A. Appleby, public domain):
 * FNV-1a alone has too little of short ids in its highest bits. A lone surrogate counts as U+FFFD.
 *
 * Example: "foobar" has FNV-1a 85944171f73967e8.
 *
 * 64-bit words are pairs of 32-bit words: BigInt takes 40 times as long.
 */
import { Buffer } from 'node:buffer';

/** Number of registers, 2^12. */
export const REGISTERS = 4096;
/** The longest run: all 52 bits after the index are zero. */
export const LONGEST_RUN = 53;
/** A register and a run in one number: index * RUNS + run. */
export const RUNS = 64;

const OFFSET_HIGH = 0xcbf2_9ce4;
const OFFSET_LOW = 0x8422_2325;
/** The prime is 2^40 + PRIME_LOW. */
const PRIME_LOW = 0x1b3;
const WORD = 2 ** 32;

/** The register that an item raises and its run: index * RUNS + run. */
export function registerOf(item: string): number {
  const [high, low] = itemHash(item);
  const rest = high & 0xf_ffff;
  const run = rest === 0 ? 21 + Math.clz32(low) : Math.clz32(rest) - 11;
  return (high >>> 20) * RUNS + run;
}

/** The hash as two unsigned words, the high one first. */
export function itemHash(item: string): readonly [high: number, low: number] {
  const [high, low] = fnv1a64(item);
  return fmix64(high, low);
}

/** FNV-1a of the UTF-8 bytes as two unsigned words, the high one first. */
export function fnv1a64(text: string): readonly [high: number, low: number] {
  let high = OFFSET_HIGH;
  let low = OFFSET_LOW;
  const bytes = isAscii(text) ? undefined : Buffer.from(text);
  const length = bytes?.length ?? text.length;
  for (let i = 0; i < length; i++) {
    low = (low ^ (bytes === undefined ? text.charCodeAt(i) : bytes[i])) >>> 0;
    const product = low * PRIME_LOW;
    high = (Math.imul(high, PRIME_LOW) + Math.floor(product / WORD) + (low << 8)) >>> 0;
    low = product >>> 0;
  }
  return [high, low];
}

/** The finaliser of MurmurHash3 x64: a one-to-one mix of 64 bits. */
export function fmix64(highWord: number, lowWord: number): readonly [high: number, low: number] {
  let high = highWord;
  let low = (lowWord ^ (high >>> 1)) >>> 0;
  let next = productHigh(high, low, 0xff51_afd7, 0xed55_8ccd);
  low = Math.imul(low, 0xed55_8ccd) >>> 0;
  high = next;
  low = (low ^ (high >>> 1)) >>> 0;
  next = productHigh(high, low, 0xc4ce_b9fe, 0x1a85_ec53);
  low = Math.imul(low, 0x1a85_ec53) >>> 0;
  high = next;
  return [high, (low ^ (high >>> 1)) >>> 0];
}

/** High 32 bits of the product of two 64-bit numbers, modulo 2^64. */
function productHigh(aHigh: number, aLow: number, bHigh: number, bLow: number): number {
  return (carried(aLow, bLow) + Math.imul(aLow, bHigh) + Math.imul(aHigh, bLow)) >>> 0;
}

/** High 32 bits of the product of two 32-bit numbers. */
function carried(a: number, b: number): number {
  const aLow = a & 0xffff;
  const aHigh = a >>> 16;
  const bLow = b & 0xffff;
  const bHigh = b >>> 16;
  const middle = aHigh * bLow + ((aLow * bLow) >>> 16);
  const other = aLow * bHigh + (middle & 0xffff);
  return aHigh * bHigh + (middle >>> 16) + (other >>> 16);
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false;
  return true;
}
