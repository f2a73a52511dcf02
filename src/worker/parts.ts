import type { Batch } from '../consumers/source/source-port.ts';

/** A unit begins with so many records at once. */
const FIRST_PART = 25;
const LARGEST_PART = 6400;

/**
 * How many records a unit is fed between two looks at what they changed: a list may change a row, or a hundred kB of sums by user bucket.
 * Few at first and after much has changed, twice as many after little has.
 */
export class PartSize {
  #records = FIRST_PART;

  get records(): number {
    return this.#records;
  }

  /** After a part, `changed` bytes of rows are to be stored; a commit should not have more than `most`. */
  fed(changed: number, most: number): void {
    if (changed > most) this.#records = Math.max(1, Math.floor(this.#records / 2));
    else if (changed < most / 4) this.#records = Math.min(LARGEST_PART, 2 * this.#records);
  }
}

/** The first `records` of a batch, and the rest of it; undefined: there is none. */
export function cut(batch: Batch, records: number): readonly [part: Batch, rest: Batch | undefined] {
  if (batch.records.length <= records) return [batch, undefined];
  const first = batch.records.slice(0, records);
  return [
    { ...batch, records: first, next: first[records - 1].offset + 1 },
    { ...batch, records: batch.records.slice(records) },
  ];
}
