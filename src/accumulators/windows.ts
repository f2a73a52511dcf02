/**
 * Reads windows out of the rows of all units (semantics.md section 4): sums over whole panes and units, so that a mean is
 * one division at the end. Never an average of averages; an empty window gives no rows.
 */
import type { DurationMs, EpochMs } from '../events.ts';
import { shownByName } from './admission.ts';
import type { Horizon, PanesState } from './panes-settings.ts';
import { addRow, copyRow, type Row } from './row.ts';
import { otherValues, parseField, setText, splitValues } from './store/layout.ts';

/** Rows of one key by field. */
export type Rows = ReadonlyMap<string, Row>;

/** What one unit's checkpoint and rows say, all of one commit. */
export interface UnitRows {
  /** W; -Infinity: none yet. */
  readonly watermark: EpochMs;
  readonly state: PanesState;
  /** Panes that start earlier miss something: the start, a gap, a rebuilt span. -Infinity: nothing is missing. */
  readonly incompleteBefore: EpochMs;
  /** Rows of the minute pane that starts here; undefined: none. */
  pane(start: EpochMs): Rows | undefined;
  /** Rows of a since-start total; undefined: none. */
  total(name: string): Rows | undefined;
}

export interface WindowSettings {
  readonly paneSize: DurationMs;
  readonly sets: readonly (readonly string[])[];
  /** A unit whose W is more than this behind the newest unit's leaves the cut. */
  readonly unitTimeout: DurationMs;
}

export interface CohortRow {
  readonly by: readonly string[];
  /** One per dimension of `by`; all OTHER_COHORT for the rest. */
  readonly values: readonly string[];
  readonly row: Row;
}

export interface WindowRows {
  /** Start of the first and end of the last pane. */
  readonly start: EpochMs;
  readonly end: EpochMs;
  /** Every unit has every pane, whole. */
  readonly complete: boolean;
  /** Sets in the order of the settings, cohorts in the order of their values. */
  readonly rows: readonly CohortRow[];
}

/** The cut of a horizon: panes that end at or before it are final in every unit that is not too far behind. -Infinity: none. */
export function cutOf(
  units: readonly Pick<UnitRows, 'watermark'>[],
  horizon: Horizon,
  unitTimeout: DurationMs,
): EpochMs {
  const newest = Math.max(...units.map((unit) => unit.watermark));
  const inTime = units.map((unit) => unit.watermark).filter((watermark) => newest - watermark <= unitTimeout);
  return inTime.length === 0 ? Number.NEGATIVE_INFINITY : Math.min(...inTime) - horizon.ms;
}

/** End of the newest pane that is final in every unit that is not too far behind; -Infinity: there is none. */
export function completeUpTo(
  units: readonly Pick<UnitRows, 'watermark'>[],
  horizon: Horizon,
  { paneSize, unitTimeout }: Pick<WindowSettings, 'paneSize' | 'unitTimeout'>,
): EpochMs {
  return Math.floor(cutOf(units, horizon, unitTimeout) / paneSize) * paneSize;
}

/** The panes that end in (cut - length, cut]. A unit adds the panes that are final in it. `length`: whole panes. */
export function readWindow(
  units: readonly UnitRows[],
  horizon: Horizon,
  length: DurationMs,
  settings: WindowSettings,
): WindowRows {
  const { paneSize, sets } = settings;
  const end = completeUpTo(units, horizon, settings);
  const start = end - length;
  if (!Number.isFinite(end)) return { start, end, complete: false, rows: [] };
  const sum = new CohortSums(units, horizon, sets, start);
  let complete = true;
  for (const unit of units) {
    if (unit.watermark - horizon.ms < end || unit.incompleteBefore > start) complete = false;
    for (let pane = start; pane < end && pane + paneSize + horizon.ms <= unit.watermark; pane += paneSize) {
      const rows = unit.pane(pane);
      if (rows !== undefined) sum.add(rows);
    }
  }
  return { start, end, complete, rows: sum.rows() };
}

/** A since-start total at one horizon: the window that began before everything. */
export function readTotal(
  units: readonly UnitRows[],
  horizon: Horizon,
  name: string,
  sets: readonly (readonly string[])[],
): WindowRows {
  const start = Number.NEGATIVE_INFINITY;
  const sum = new CohortSums(units, horizon, sets, start);
  for (const unit of units) {
    const rows = unit.total(name);
    if (rows !== undefined) sum.add(rows);
  }
  const complete = units.every((unit) => unit.incompleteBefore === start);
  return { start, end: Number.POSITIVE_INFINITY, complete, rows: sum.rows() };
}

/** Sums of one horizon by cohort. Cohorts that may not be shown by name are added to the rest of their set. */
class CohortSums {
  readonly #horizon: string;
  readonly #sets: readonly (readonly string[])[];
  readonly #shown: ReadonlyMap<string, (values: string) => boolean>;
  readonly #others: ReadonlyMap<string, string>;
  /** By set, by values. */
  readonly #sums: ReadonlyMap<string, Map<string, Row>>;

  constructor(units: readonly UnitRows[], horizon: Horizon, sets: readonly (readonly string[])[], start: EpochMs) {
    this.#horizon = horizon.text;
    this.#sets = sets;
    this.#others = new Map(sets.map((by) => [setText(by), otherValues(by)] as const));
    this.#sums = new Map(sets.map((by) => [setText(by), new Map<string, Row>()] as const));
    this.#shown = new Map(
      sets.map((by) => {
        const tables = units.map((unit) => unit.state.admission.find((table) => setText(table.by) === setText(by)));
        return [setText(by), shownByName(tables, start)] as const;
      }),
    );
  }

  add(rows: Rows): void {
    for (const [field, row] of rows) {
      const name = parseField(field);
      if (name === undefined || name.horizon !== this.#horizon) continue;
      const sums = this.#sums.get(name.by);
      if (sums === undefined) continue;
      const other = this.#others.get(name.by) ?? name.values;
      const values = this.#shown.get(name.by)?.(name.values) ? name.values : other;
      const sum = sums.get(values);
      if (sum === undefined) sums.set(values, copyRow(row));
      else addRow(sum, row);
    }
  }

  rows(): readonly CohortRow[] {
    return this.#sets.flatMap((by) =>
      [...(this.#sums.get(setText(by)) ?? [])]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([values, row]) => ({ by, values: splitValues(by, values), row })),
    );
  }
}
