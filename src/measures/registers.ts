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
import { LONGEST_RUN, REGISTERS, RUNS } from './item-hash.ts';

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
