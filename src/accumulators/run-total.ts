import { ABSENT_DIMENSION, INVALID_DIMENSION, OTHER_COHORT } from '../vocabulary/events.ts';
import { BUCKETS } from '../vocabulary/user-words.ts';
import type { PanesSettings } from './panes-settings.ts';
import type { Row } from './row.ts';
import { type LiveRow, type RowKind, type RowMemory, RowPlaces, RowTable } from './row-table.ts';
import type { RunSettings } from './runs.ts';
import { parseField, totalKey } from './store/layout.ts';

/**
 * The since-start rows of one run of an experiment, at its horizon, by variant, with sums by user bucket. Values that are not
 * configured variants share one row, so that events cannot create any number of rows.
 */
export class RunTotal {
  /** Index of the horizon whose closings are added. */
  readonly horizon: number;
  readonly table: RowTable;
  readonly #names: ReadonlySet<string>;

  constructor(
    { name, run, horizon, dimension, variants }: RunSettings,
    { owner, horizons }: Pick<PanesSettings, 'owner' | 'horizons'>,
    kind: Pick<RowKind, 'columns' | 'codec'>,
    memory: RowMemory,
  ) {
    this.horizon = horizon;
    const places = new RowPlaces([horizons[horizon].text], [dimension]);
    const rows: RowKind = { ...kind, places, buckets: BUCKETS };
    this.table = new RowTable(totalKey(owner, name, run), Number.POSITIVE_INFINITY, rows, memory);
    this.#names = new Set([...variants, ABSENT_DIMENSION, INVALID_DIMENSION]);
  }

  /** The row that a list with this value is added to. */
  row(value: string): LiveRow {
    return this.table.row(0, this.#names.has(value) ? value : OTHER_COHORT);
  }

  /** Number of lists that were added. */
  get lists(): number {
    return this.table.impressions;
  }

  /** Copies of all rows, by value. */
  rows(): ReadonlyMap<string, Row> {
    return valuesOfRun(this.table.snapshot());
  }
}

/** Rows of a run's total by value of its dimension, from rows by field. */
export function valuesOfRun(rows: ReadonlyMap<string, Row>): ReadonlyMap<string, Row> {
  return new Map(
    [...rows].flatMap(([field, row]) => {
      const name = parseField(field);
      return name === undefined ? [] : [[name.values, row] as const];
    }),
  );
}
