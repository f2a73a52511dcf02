import { type Places, placesUpTo, rankOf, slotsUpTo } from '../measures/places.ts';
import type { Joined } from '../vocabulary/events.ts';
import { keysOf, listOf, whole } from './store/json.ts';

/**
 * What a row keeps for each rank from 1 on: the number of lists with an item there, and of those with a positive there (by
 * `relevantFrom`; a repeated item counts at its first slot). These are plain counts, so any split of a history gives the same
 * result.
 */
export class PositionSums {
  /** Index: rank - 1. */
  readonly exposed: Float64Array;
  readonly positives: Float64Array;

  /** @param ranks number of ranks, at least 1 */
  constructor(ranks: number) {
    this.exposed = new Float64Array(ranks);
    this.positives = new Float64Array(ranks);
  }

  get ranks(): number {
    return this.exposed.length;
  }

  /** Approximate bytes in memory. */
  get bytes(): number {
    return 16 * this.ranks + 200;
  }

  get isEmpty(): boolean {
    return this.exposed.every((lists) => lists === 0);
  }

  /** Adds one list. */
  add(list: Joined, positives: Places): void {
    const slots = slotsUpTo(list, this.ranks);
    for (let s = 0; s < slots; s++) this.exposed[rankOf(list, s) - 1]++;
    const places = placesUpTo(positives, this.ranks);
    for (let i = 0; i < places; i++) this.positives[positives.ranks[i] - 1]++;
  }

  /** Both must have the same ranks. `sign` -1 subtracts. */
  merge(other: PositionSums, sign: 1 | -1 = 1): void {
    if (other.ranks !== this.ranks) {
      throw new Error(`positions of ${this.ranks} and ${other.ranks} ranks cannot be merged: decode both by one shape`);
    }
    for (let r = 0; r < this.ranks; r++) {
      this.exposed[r] += sign * other.exposed[r];
      this.positives[r] += sign * other.positives[r];
    }
  }

  copy(): PositionSums {
    const copy = new PositionSums(this.ranks);
    copy.merge(this);
    return copy;
  }
}

/** Adds `positions` to `into` and returns the sum; undefined is neutral. */
export function addPositions(
  into: PositionSums | undefined,
  positions: PositionSums | undefined,
): PositionSums | undefined {
  if (into === undefined || positions === undefined) return into ?? positions?.copy();
  into.merge(positions);
  return into;
}

/** The inverse of `addPositions`; undefined: nothing is left. */
export function subtractPositions(
  from: PositionSums | undefined,
  positions: PositionSums | undefined,
): PositionSums | undefined {
  if (positions !== undefined) from?.merge(positions, -1);
  return from?.isEmpty === true ? undefined : from;
}

/** JSON `{"exposed":[20,20,19],"positives":[4,2,0]}`, rank 1 first. Equal sums have equal text. */
export function encodePositions({ exposed, positives }: PositionSums): string {
  return `{"exposed":[${exposed.join(',')}],"positives":[${positives.join(',')}]}`;
}

/**
 * Reads positions that another configuration may have written: ranks that the JSON lacks start empty, ranks above `ranks` are
 * ignored. Throws an Error that names the part that is wrong.
 */
export function readPositions(json: unknown, ranks: number): PositionSums {
  const parts = keysOf(json, 'positions');
  const exposed = listOf(parts['exposed'], 'positions.exposed', whole);
  const positives = listOf(parts['positives'], 'positions.positives', whole);
  if (exposed.length !== positives.length) {
    throw new Error(`positions.positives: expected ${exposed.length} counts, one per rank, found ${positives.length}`);
  }
  const sums = new PositionSums(ranks);
  sums.exposed.set(exposed.slice(0, ranks));
  sums.positives.set(positives.slice(0, ranks));
  return sums;
}
