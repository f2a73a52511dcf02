import type { Measure } from '../measures/definition.ts';
import { itemPartsOf } from '../measures/item-part.ts';
import { type Exact, SUMS_WIDTH, type SumsKind } from '../measures/sums.ts';
import { sumsKind } from '../measures/value.ts';
import { addExact, difference } from './exact.ts';
import { addItems, type ItemSums, type ItemsShape } from './item-sums.ts';
import { addPositions, type PositionSums, subtractPositions } from './position-sums.ts';
import { addVector, type Vector } from './vector.ts';

/** Which measures a row keeps, in the order of the configuration. A `Scorer` is one. */
export interface RowShape {
  readonly names: readonly string[];
  readonly kinds: readonly SumsKind[];
  /** The items that rows of some grouping sets keep; undefined: none. */
  readonly items?: ItemsShape | undefined;
  /** Number of ranks for which rows of some grouping sets keep counts; undefined: none. */
  readonly ranks?: number | undefined;
}

/**
 * The shape of rows that keep these measures. `itemsCounted`: most items of one row whose exposure is counted; without it rows
 * keep no items. `ranks`: as in `RowShape`; 0: none.
 */
export function shapeOf(measures: readonly Measure[], itemsCounted?: number, ranks = 0): RowShape {
  const parts = itemsCounted === undefined ? [] : itemPartsOf(measures);
  return {
    names: measures.map((measure) => measure.canonical),
    kinds: measures.map(sumsKind),
    items: itemsCounted === undefined || parts.length === 0 ? undefined : { parts, limit: itemsCounted },
    ranks: ranks === 0 ? undefined : ranks,
  };
}

/**
 * The sums of one (pane, horizon, cohort). `sums` holds the measures one after the other, each with the fields of its kind
 * (measures/sums.ts): mean: n, n+, S, Q; fraction: numerator, denominator (specification: measures 3 says what each counts). Rows
 * merge by adding every field: any split of a history gives the same row to the last digit (specification: statistics 1.3).
 */
export interface Row {
  impressions: number;
  /** Lists with a positive by `relevantFrom`. */
  positives: number;
  /** Lists without a user id. */
  userless: number;
  /** Lists without slots (`isEmptyList`). */
  empty: number;
  readonly sums: Exact[];
  /** Sums by user bucket; undefined: none are kept. */
  vector: Vector | undefined;
  /** The items for measures of items; undefined: none are kept. */
  items: ItemSums | undefined;
  /** Counts by rank; undefined: none are kept. */
  positions: PositionSums | undefined;
}

/** The parts that a row may have besides its head and sums. */
export type RowParts = Readonly<Pick<Row, 'vector' | 'items' | 'positions'>>;

/** Index in `sums` of each measure's first field, and after the last one the number of all fields. */
export function sumsStarts(shape: RowShape): readonly number[] {
  const starts = [0];
  for (const kind of shape.kinds) starts.push(starts[starts.length - 1] + SUMS_WIDTH[kind]);
  return starts;
}

/** The neutral row. */
export function emptyRow(shape: RowShape): Row {
  const width = shape.kinds.reduce((sum, kind) => sum + SUMS_WIDTH[kind], 0);
  return {
    impressions: 0,
    positives: 0,
    userless: 0,
    empty: 0,
    sums: new Array<Exact>(width).fill(0),
    vector: undefined,
    items: undefined,
    positions: undefined,
  };
}

/** Adds `row` to `into`. Both must have the same shape. */
export function addRow(into: Row, row: Row): void {
  if (into.sums.length !== row.sums.length) {
    throw new Error(
      `rows of ${into.sums.length} and ${row.sums.length} sums cannot be merged: decode both by one shape`,
    );
  }
  into.impressions += row.impressions;
  into.positives += row.positives;
  into.userless += row.userless;
  into.empty += row.empty;
  for (let i = 0; i < row.sums.length; i++) into.sums[i] = addExact(into.sums[i], row.sums[i]);
  into.vector = addVector(into.vector, row.vector);
  into.items = addItems(into.items, row.items);
  into.positions = addPositions(into.positions, row.positions);
}

/**
 * Subtracts the head and the counts by rank of `row` from `from`: the inverse of `addRow`. Both must have the same shape; vectors
 * and items stay as they are.
 */
export function subtractRow(from: Row, row: Row): void {
  from.impressions -= row.impressions;
  from.positives -= row.positives;
  from.userless -= row.userless;
  from.empty -= row.empty;
  for (let i = 0; i < row.sums.length; i++) from.sums[i] = difference(from.sums[i], row.sums[i]);
  from.positions = subtractPositions(from.positions, row.positions);
}

/** Adds a row to the sum under `key`, or stores a copy of the row there if there is none. */
export function addToSum<Key>(sums: Map<Key, Row>, key: Key, row: Row): void {
  const sum = sums.get(key);
  if (sum === undefined) sums.set(key, copyRow(row));
  else addRow(sum, row);
}

/** Like `addToSum`, for a row that the caller hands over: it becomes the sum itself if there was none. */
export function giveToSum<Key>(sums: Map<Key, Row>, key: Key, row: Row): void {
  const sum = sums.get(key);
  if (sum === undefined) sums.set(key, row);
  else addRow(sum, row);
}

/** A copy that can be added to. */
export function copyRow(row: Row): Row {
  return {
    ...row,
    sums: [...row.sums],
    vector: row.vector?.copy(),
    items: row.items?.copy(),
    positions: row.positions?.copy(),
  };
}
