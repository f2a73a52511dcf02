/** What a list adds to rows, and the columns in which it is summed. */
import { type Exact, LEFT_OUT, OUT, PER_ONE, SCORE_WIDTH, SUMS, WITH_POSITIVE } from '../measures/sums.ts';
import { addExact, DIRECT_LIMIT, difference, type ExactSums, fixed } from './exact.ts';
import type { Row, RowShape } from './row.ts';
import { columnsBeforeSums, EMPTY, LEFT_OUT_LISTS, LISTS, MORE_POSITIVES, POSITIVES, vectorStarts } from './vector.ts';

const { value: VALUE } = OUT.mean;

/** Stands for the column of squares of a measure that has none. */
const NO_COLUMN = -1;

/** The columns of one measure in a cell. */
interface MeasureColumns {
  /** Whether it counts lists. Then two columns from `first` on hold how its counts differ from those of the cell. */
  readonly isCounted: boolean;
  readonly first: number;
  /** First column of the sums of values, and their number. */
  readonly sums: number;
  readonly values: number;
  /** Column of the sum of squares; NO_COLUMN: there is none. */
  readonly squares: number;
  /** First column of the tail, and its width. */
  readonly tails: number;
  readonly tail: number;
}

/**
 * How to compute a number of a row. value: it is the column. lists: the row's impressions minus the column. positives: the row's
 * positives plus the column.
 */
export interface FieldColumn {
  readonly column: number;
  readonly of: 'value' | 'lists' | 'positives';
}

/** The fields of one measure, in the order of rows. */
function fieldsOf({ isCounted, first, sums, values, squares, tails, tail }: MeasureColumns): readonly FieldColumn[] {
  const counts: readonly FieldColumn[] = [
    { column: first + LEFT_OUT_LISTS, of: 'lists' },
    { column: first + MORE_POSITIVES, of: 'positives' },
  ];
  const columns = [
    ...Array.from({ length: values }, (_, i) => sums + i),
    ...(squares === NO_COLUMN ? [] : [squares]),
    ...Array.from({ length: tail }, (_, i) => tails + i),
  ];
  return [...(isCounted ? counts : []), ...columns.map((column) => ({ column, of: 'value' as const }))];
}

/**
 * The columns of a cell, and of a row in memory: those of a vector, then lists without a user id, then what vectors lack: squares
 * and tails. Counts of lists are kept as in vectors: n of a measure as the number of lists that it leaves out, n+ as its
 * difference from the positives. Both are mostly 0, so that a list without feedback changes only LISTS.
 */
export class CellColumns {
  /** Number of columns that vectors have, too. */
  readonly ofVector: number;
  readonly userless: number;
  readonly width: number;
  readonly measures: readonly MeasureColumns[];
  /** For each sum of a row, how to compute it. */
  readonly fields: readonly FieldColumn[];

  constructor(shape: RowShape) {
    const firsts = vectorStarts(shape.kinds);
    this.ofVector = firsts[shape.kinds.length];
    this.userless = this.ofVector;
    let next = this.ofVector + 1;
    this.measures = shape.kinds.map((kind, m): MeasureColumns => {
      const { counted, values, squared, tail } = SUMS[kind];
      const squares = squared ? next++ : NO_COLUMN;
      const tails = next;
      next += tail.length;
      return {
        isCounted: counted,
        first: firsts[m],
        sums: firsts[m] + columnsBeforeSums(kind),
        values: values.length,
        squares,
        tails,
        tail: tail.length,
      };
    });
    this.width = next;
    this.fields = this.measures.flatMap(fieldsOf);
  }

  /** Impressions of the row that starts at `sums[at]`. */
  impressionsAt(sums: ExactSums, at: number): number {
    return sums.count(at + LISTS);
  }

  /** One number of the row that starts at `sums[at]`. */
  number(sums: ExactSums, at: number, { column, of }: FieldColumn): Exact {
    const value = sums.get(at + column);
    if (of === 'value') return value;
    return of === 'lists' ? difference(sums.count(at + LISTS), value) : addExact(sums.count(at + POSITIVES), value);
  }

  /** The head and sums of the row that starts at `sums[at]`. */
  rowAt(sums: ExactSums, at: number): Row {
    return {
      impressions: sums.count(at + LISTS),
      positives: sums.count(at + POSITIVES),
      userless: sums.count(at + this.userless),
      empty: sums.count(at + EMPTY),
      sums: this.fields.map((field) => this.number(sums, at, field)),
      vector: undefined,
      items: undefined,
      positions: undefined,
    };
  }

  /** The inverse of `rowAt`: adds the head and sums of a row to places that are 0. */
  put({ impressions, positives, userless, empty, sums: values }: Row, sums: ExactSums, at: number): void {
    sums.add(at + LISTS, impressions);
    sums.add(at + POSITIVES, positives);
    sums.add(at + this.userless, userless);
    sums.add(at + EMPTY, empty);
    for (const [index, { column, of }] of this.fields.entries()) {
      const value = values[index];
      if (of === 'value') sums.addExact(at + column, value);
      else if (of === 'lists') sums.addExact(at + column, difference(impressions, value));
      else sums.addExact(at + column, difference(value, positives));
    }
  }
}

/** A number that is too large for a cell. */
export interface LargeSum {
  readonly column: number;
  readonly value: Exact;
}

/** What one scored list adds to its cell and to vectors: 1 to LISTS, and these whole numbers of at most 2^40. */
export class ListSums {
  isPositive = false;
  /** Columns that vectors have, too, and the amount for each. Both are valid up to `count`. */
  count = 0;
  readonly columns: Int32Array;
  readonly amounts: Float64Array;
  /** The same for the columns that only cells have. */
  ownCount = 0;
  readonly ownColumns: Int32Array;
  readonly ownAmounts: Float64Array;
  /** Amounts above 2^40. */
  large: LargeSum[] = [];
  readonly #cell: CellColumns;

  constructor(cell: CellColumns) {
    const ownCount = cell.width - cell.ofVector;
    this.#cell = cell;
    this.columns = new Int32Array(cell.ofVector);
    this.amounts = new Float64Array(cell.ofVector);
    this.ownColumns = new Int32Array(ownCount);
    this.ownAmounts = new Float64Array(ownCount);
  }

  /** Takes the result of `Scorer.score`. Throws a RangeError for a value that is not finite. `isEmpty`: as from `isEmptyList`. */
  load(isPositive: boolean, out: Float64Array, isEmpty: boolean): void {
    const { measures } = this.#cell;
    this.isPositive = isPositive;
    this.count = 0;
    this.ownCount = 0;
    if (this.large.length > 0) this.large = [];
    if (isEmpty) this.#put(EMPTY, 1);
    for (let m = 0; m < measures.length; m++) {
      const one = measures[m];
      const at = SCORE_WIDTH * m;
      const state = out[at];
      if (one.isCounted) {
        if ((state === WITH_POSITIVE) !== isPositive) this.#put(one.first + MORE_POSITIVES, isPositive ? -1 : 1);
        if (state === LEFT_OUT) this.#put(one.first + LEFT_OUT_LISTS, 1);
      }
      const values = at + VALUE;
      if (state !== LEFT_OUT) {
        for (let i = 0; i < one.values; i++) {
          const value = out[values + i];
          if (value !== 0) this.#putValue(one.sums + i, value);
        }
        const value = out[values];
        if (one.squares !== NO_COLUMN && value !== 0) this.#putOwn(one.squares, value * value);
      }
      for (let i = 0; i < one.tail; i++) {
        const value = out[values + one.values + i];
        if (value !== 0) this.#putOwn(one.tails + i, value);
      }
    }
  }

  #put(column: number, amount: number): void {
    this.columns[this.count] = column;
    this.amounts[this.count++] = amount;
  }

  #putValue(column: number, value: number): void {
    const units = value * PER_ONE;
    if (units >= 0 && units <= DIRECT_LIMIT) {
      this.#put(column, Math.round(units));
      return;
    }
    const exact = fixed(value);
    if (isSmall(exact)) this.#put(column, exact);
    else this.large.push({ column, value: exact });
  }

  #putOwn(column: number, value: number): void {
    const units = value * PER_ONE;
    const exact = units >= 0 && units <= DIRECT_LIMIT ? Math.round(units) : fixed(value);
    if (isSmall(exact)) {
      this.ownColumns[this.ownCount] = column;
      this.ownAmounts[this.ownCount++] = exact;
    } else {
      this.large.push({ column, value: exact });
    }
  }
}

/** Whether a cell can take this amount. */
function isSmall(value: Exact): value is number {
  return typeof value === 'number' && value <= DIRECT_LIMIT && value >= -DIRECT_LIMIT;
}
