import type { Joined } from '../events.ts';
import { HIGHEST_GRADE } from './grade.ts';

/** Where the slots of a plain list stand. */
export interface Placed {
  /** Rank of each slot: whole numbers from 1, ascending. Default: offset + 1, offset + 2, ... */
  readonly ranks?: readonly number[];
  /** Slots before this page, a whole number from 0. Default 0. */
  readonly offset?: number;
}

/** Grades of the slots, rank 1 first: 0 to 30, not necessarily whole; a negative grade is taken as 0. */
export interface GradedList extends Placed {
  readonly grades: readonly number[];
}

/** Ids of the items, rank 1 first, and ids of the relevant ones (grade 1). An id that repeats is a duplicate. */
export interface ItemList extends Placed {
  readonly items: readonly (string | number)[];
  readonly positives: readonly (string | number)[];
}

export type PlainList = GradedList | ItemList;

/**
 * A plain list as if it came from the join: one event of action 0 for each item with a grade above 0.
 * @throws RangeError that names the field, if a grade, rank or offset is not as `PlainList` says.
 */
export function plainJoined(list: PlainList): Joined {
  const firstSlot = 'grades' in list ? undefined : firstSlots(list.items);
  const grades = 'grades' in list ? list.grades.map(checkedGrade) : gradesOfItems(list);
  const { offset = 0, ranks } = list;
  if (!Number.isSafeInteger(offset) || offset < 0)
    throw new RangeError(`offset must be a whole number from 0, got ${offset}`);
  const slots = grades.flatMap((grade, s) => (grade > 0 && (firstSlot === undefined || firstSlot[s] === s) ? [s] : []));
  return {
    length: grades.length,
    offset,
    ranks: ranks === undefined ? undefined : checkedRanks(ranks, grades.length),
    firstSlot,
    events: slots.length,
    slot: Int32Array.from(slots),
    action: new Int32Array(slots.length),
    value: Float64Array.from(slots, (s) => grades[s]),
    ts: new Float64Array(slots.length),
  };
}

function checkedGrade(grade: number, slot: number): number {
  if (grade <= HIGHEST_GRADE) return grade;
  throw new RangeError(`grades[${slot}] must be a number up to ${HIGHEST_GRADE}, got ${grade}`);
}

function checkedRanks(ranks: readonly number[], length: number): Int32Array {
  if (ranks.length !== length)
    throw new RangeError(`ranks must have one entry per slot (${length}), got ${ranks.length}`);
  ranks.forEach((rank, s) => {
    const least = s === 0 ? 1 : ranks[s - 1] + 1;
    if (Number.isInteger(rank) && rank >= least && rank < 2 ** 31) return;
    throw new RangeError(`ranks[${s}] must be a whole number from ${least}, got ${rank}`);
  });
  return Int32Array.from(ranks);
}

function firstSlots(items: readonly (string | number)[]): Int32Array {
  const first = new Map<string, number>();
  return Int32Array.from(items, (item, s) => {
    const known = first.get(String(item));
    if (known === undefined) first.set(String(item), s);
    return known ?? s;
  });
}

function gradesOfItems({ items, positives }: ItemList): readonly number[] {
  const relevant = new Set(positives.map(String));
  return items.map((item) => (relevant.has(String(item)) ? 1 : 0));
}
