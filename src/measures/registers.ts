/**
 * HyperLogLog: the number of different items in 4096 registers (Flajolet, Fusy, Gandouet and Meunier, "HyperLogLog: the
 * analysis of a near-optimal cardinality estimation algorithm", 2007). A register is the longest run of its items, so a
 * repeated item changes nothing, and registers merge by their maximum: any split of a history gives the same registers.
 *
 * The estimate is Ertl's ("New cardinality estimation algorithms for HyperLogLog sketches", arXiv:1702.01284, algorithm
 * 6, as in Redis): the classical one with linear counting for few items is off by several percent where the two meet
 * (about 10,000 items here); this one is linear counting for few items, and unbiased everywhere. Standard error
 * 1.04 / sqrt(4096) = 1.6 %; much less while most registers are empty. Only +, -, *, / and square roots, which are the
 * same on every machine.
 *
 * Example: 5 items leave 4091 registers at 0; the estimate is 5.003.
 */
import { Buffer } from 'node:buffer';

/** 1 / (2 ln 2) */
const ALPHA = 0.7213475204444817;

export class Registers {
  /** The longest run of each register; 0: none. */
  readonly runs = new Uint8Array(REGISTERS);

  /** Approximate bytes in memory. */
  get bytes(): number {
    return REGISTERS;
  }

  /** Adds an item by the result of `registerOf`. */
  add(register: number): void {
    this.raise(Math.floor(register / RUNS), register % RUNS);
  }

  /** Adds an item of this index and run. */
  raise(index: number, run: number): void {
    if (run > this.runs[index]) this.runs[index] = run;
  }

  merge(other: Registers): void {
    const { runs } = this;
    for (let i = 0; i < REGISTERS; i++) if (other.runs[i] > runs[i]) runs[i] = other.runs[i];
  }

  /** Number of different items, not rounded. */
  estimate(): number {
    const counts = new Array<number>(LONGEST_RUN + 1).fill(0);
    for (const run of this.runs) counts[run]++;
    let z = REGISTERS * tau(1 - counts[LONGEST_RUN] / REGISTERS);
    for (let run = LONGEST_RUN - 1; run >= 1; run--) z = 0.5 * (z + counts[run]);
    z += REGISTERS * sigma(counts[0] / REGISTERS);
    return (ALPHA * REGISTERS * REGISTERS) / z;
  }
}

/**
 * What empty registers add.
 * @param share of registers that are empty
 */
function sigma(share: number): number {
  if (share === 1) return Number.POSITIVE_INFINITY;
  let x = share;
  let power = 1;
  let sum = share;
  for (let before = -1; before !== sum; ) {
    before = sum;
    x *= x;
    sum += x * power;
    power += power;
  }
  return sum;
}

/** What full registers add. @param share of registers that are not full */
function tau(share: number): number {
  if (share === 0 || share === 1) return 0;
  let x = share;
  let power = 1;
  let sum = 1 - share;
  for (let before = -1; before !== sum; ) {
    before = sum;
    x = Math.sqrt(x);
    power *= 0.5;
    sum -= (1 - x) * (1 - x) * power;
  }
  return sum / 3;
}

// Which register of a HyperLogLog an item raises, and how far. It must never change, since stored registers depend on it.
//
//     hash = fmix64(fnv1a64(utf8(item)))      index = its highest 12 bits      run = zeros before the first one of the rest, + 1
//
// FNV-1a, 64 bit (Fowler, Noll and Vo; IETF draft-eastlake-fnv), then the finaliser of MurmurHash3 (A. Appleby, public domain):
// FNV-1a alone has too little of short ids in its highest bits. A lone surrogate counts as U+FFFD.
//
// Example: "foobar" has FNV-1a 85944171f73967e8.
//
// 64-bit words are pairs of 32-bit words: BigInt takes 40 times as long.

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
