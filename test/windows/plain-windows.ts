import type { AdmissionState } from '../../src/accumulators/admission-state.ts';
import type { Horizon } from '../../src/accumulators/panes-settings.ts';
import type { Row } from '../../src/accumulators/row.ts';
import { parseField } from '../../src/accumulators/store/layout.ts';
import type { DurationMs, EpochMs } from '../../src/vocabulary/events.ts';
import { type CohortRow, cohortRows, completeUpTo, type Rows } from '../../src/windows/windows.ts';

/** What one unit's checkpoint and rows say, all of one commit. */
export interface UnitRows {
  /** W; -Infinity: none yet. */
  readonly watermark: EpochMs;
  readonly admission: readonly AdmissionState[];
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
  readonly unitTimeout: DurationMs;
}

export interface WindowRows {
  /** Start of the first and end of the last pane. */
  readonly start: EpochMs;
  readonly end: EpochMs;
  /** Every unit has every pane, whole. */
  readonly complete: boolean;
  readonly rows: readonly CohortRow[];
}

/**
 * The panes that end in (cut - length, cut], each read and added again: the plain version of what a ladder keeps up. A unit
 * adds the panes that are final in it. `length`: whole panes.
 */
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
  const found: (readonly [string, Row])[] = [];
  let complete = true;
  for (const unit of units) {
    if (unit.watermark - horizon.ms < end || unit.incompleteBefore > start) complete = false;
    for (let pane = start; pane < end && pane + paneSize + horizon.ms <= unit.watermark; pane += paneSize) {
      found.push(...rowsAt(unit.pane(pane), horizon));
    }
  }
  return { start, end, complete, rows: cohortRows(found, sets, tablesOf(units), start) };
}

/** A since-start total at one horizon: the window that began before everything. */
export function readTotal(
  units: readonly UnitRows[],
  horizon: Horizon,
  name: string,
  sets: readonly (readonly string[])[],
): readonly CohortRow[] {
  const found = units.flatMap((unit) => rowsAt(unit.total(name), horizon));
  return cohortRows(found, sets, tablesOf(units), Number.NEGATIVE_INFINITY);
}

function rowsAt(rows: Rows | undefined, { text }: Horizon): (readonly [string, Row])[] {
  return [...(rows ?? [])].filter(([field]) => parseField(field)?.horizon === text);
}

function tablesOf(units: readonly UnitRows[]): readonly (readonly AdmissionState[])[] {
  return units.map(({ admission }) => admission);
}
