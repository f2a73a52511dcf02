import type { Joined } from '../vocabulary/events.ts';
import type { GradeLimit } from './gain.ts';

type Id = string | number;

/** The ranks of a plain list's slots, whose list it is, and the predicted scores. */
export interface PlainSlots {
  /** Rank of each slot: whole numbers from 1, ascending. Default: offset + 1, offset + 2, ... */
  readonly ranks?: readonly number[];
  /** Slots before this page, a whole number from 0. Default 0. */
  readonly offset?: number;
  /** Predicted score of each slot, for measures by score; null: none. */
  readonly scores?: readonly (number | null)[];
  /** The user of the list, for `per=user`. */
  readonly user?: Id;
  /** The session of the list, for `per=session`. */
  readonly session?: Id;
}

/**
 * Grades of the slots, rank 1 first: 0 to 1e30 (with `gain=exp` to 30), not necessarily whole; a negative grade is taken as
 * 0.
 */
export interface GradedList extends PlainSlots {
  readonly grades: readonly number[];
  /** Grades of every known item, shown ones included, in any order, for `ideal=all`. Default: only the shown ones are known. */
  readonly known?: readonly number[];
}

/** Ids of the items, rank 1 first, and ids of every known positive (grade 1). An id that repeats is a duplicate. */
export interface ItemList extends PlainSlots {
  readonly items: readonly Id[];
  readonly positives: readonly Id[];
}

/** Ratings of the slots, rank 1 first, for measures of score against rating; null: not rated. As a grade, one star is 1. */
export interface RatedList extends PlainSlots {
  readonly ratings: readonly (number | null)[];
}

export type PlainList = GradedList | ItemList | RatedList;

/** What all forms of a list are converted to. */
interface Slots {
  /** Value of the feedback on each slot; NaN: none. */
  readonly values: readonly number[];
  readonly known: readonly number[] | undefined;
  readonly firstSlot: Int32Array | undefined;
}

/**
 * A plain list as if it came from the join: one event of action 0 for each item with a grade above 0, or a rating.
 * @throws RangeError that names the field, if a number is not as `PlainList` says.
 */
export function plainJoined(list: PlainList, limit: GradeLimit): Joined {
  mustBeList(list);
  const { values, known, firstSlot } =
    'grades' in list ? gradedSlots(list, limit) : 'items' in list ? itemSlots(list) : ratedSlots(list);
  const { offset = 0, ranks, scores } = list;
  if (!Number.isSafeInteger(offset) || offset < 0)
    throw new RangeError(`offset must be a whole number from 0, got ${offset}`);
  const slots = values.flatMap((value, s) => (Number.isNaN(value) || (firstSlot?.[s] ?? s) !== s ? [] : [s]));
  return {
    length: values.length,
    pageOffset: offset,
    ranks: ranks === undefined ? undefined : checkedRanks(ranks, values.length),
    firstSlot,
    events: slots.length,
    slot: Int32Array.from(slots),
    action: new Int32Array(slots.length),
    value: Float64Array.from(slots, (s) => values[s]),
    ts: new Float64Array(slots.length),
    known,
    items: 'items' in list ? list.items.map(String) : undefined,
    scores: scores === undefined ? undefined : checkedScores(scores, values.length),
  };
}

const FORMS = "{ grades: [1, 0] }, { items: ['a', 'b'], positives: ['a'] } or { ratings: [4, null] }";

/** Checks the type, because callers in JavaScript have no compiler to warn them. */
function mustBeList(list: unknown): void {
  if (typeof list !== 'object' || list === null || Array.isArray(list)) {
    throw new RangeError(`a list is an object such as ${FORMS}; got ${described(list)}`);
  }
  const kind = ['grades', 'items', 'ratings'].find((key) => key in list);
  if (kind === undefined) {
    const keys = Object.keys(list).join(', ');
    throw new RangeError(
      `a list has grades, items or ratings, as in ${FORMS}; got ${keys === '' ? 'nothing' : `only ${keys}`}`,
    );
  }
  for (const key of kind === 'items' ? ['items', 'positives'] : [kind]) {
    const value: unknown = Reflect.get(list, key);
    if (Array.isArray(value)) continue;
    const what =
      key === 'positives' ? 'an array with the ids of the relevant items, [] where there is none' : 'an array';
    throw new RangeError(`${key} must be ${what}; got ${described(value)}`);
  }
}

/** The kind of a value, in words. */
export function described(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `the ${typeof value} ${String(value)}`;
}

function gradedSlots({ grades, known }: GradedList, limit: GradeLimit): Slots {
  const values = grades.map((grade, s) => (checkedGrade(grade, `grades[${s}]`, limit) > 0 ? grade : Number.NaN));
  known?.forEach((grade, i) => {
    checkedGrade(grade, `known[${i}]`, limit);
  });
  if (known !== undefined) mustHold(known, values);
  return { values, known, firstSlot: undefined };
}

function itemSlots({ items, positives }: ItemList): Slots {
  const relevant = new Set(positives.map(String));
  const others = new Set(items.map(String).filter((item) => !relevant.has(item)));
  return {
    values: items.map((item) => (relevant.has(String(item)) ? 1 : Number.NaN)),
    known: [...Array.from(relevant, () => 1), ...Array.from(others, () => 0)],
    firstSlot: firstSlots(items),
  };
}

function ratedSlots({ ratings }: RatedList): Slots {
  const values = ratings.map((rating, s) => {
    if (rating === null) return Number.NaN;
    if (Number.isFinite(rating)) return rating;
    throw new RangeError(`ratings[${s}] must be a finite number or null, got ${rating}`);
  });
  return { values, known: undefined, firstSlot: undefined };
}

function checkedGrade(grade: number, place: string, { most, by }: GradeLimit): number {
  if (grade <= most) return grade;
  const why = by === undefined ? ',' : ` for ${by.measure}, ${by.reason};`;
  throw new RangeError(`${place} must be a number up to ${most}${why} got ${grade}`);
}

/** Requires every shown grade to be among the known ones. */
function mustHold(known: readonly number[], shown: readonly number[]): void {
  const left = new Map<number, number>();
  for (const grade of known) left.set(grade, (left.get(grade) ?? 0) + 1);
  shown.forEach((grade, s) => {
    if (Number.isNaN(grade)) return;
    const n = left.get(grade) ?? 0;
    if (n === 0) throw new RangeError(`known must hold the shown grades too, but grades[${s}], ${grade}, is not in it`);
    left.set(grade, n - 1);
  });
}

function checkedScores(scores: readonly (number | null)[], length: number): Float64Array {
  if (scores.length !== length)
    throw new RangeError(`scores must have one entry per slot (${length}), got ${scores.length}`);
  return Float64Array.from(scores, (score, s) => {
    if (score === null) return Number.NaN;
    if (Number.isFinite(score)) return score;
    throw new RangeError(`scores[${s}] must be a finite number or null, got ${score}`);
  });
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

function firstSlots(items: readonly Id[]): Int32Array {
  const first = new Map<string, number>();
  return Int32Array.from(items, (item, s) => {
    const known = first.get(String(item));
    if (known === undefined) first.set(String(item), s);
    return known ?? s;
  });
}
