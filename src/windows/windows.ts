/**
 * Windows over the rows of all units (specification: windows 3): sums over whole panes and units, so that a mean is one
 * division at the end, never an average of averages. An empty window has no rows.
 */
import { shownByName } from '../accumulators/admission.ts';
import type { AdmissionState } from '../accumulators/admission-state.ts';
import type { Horizon } from '../accumulators/panes-settings.ts';
import { addToSum, type Row } from '../accumulators/row.ts';
import { otherValues, parseField, setText, splitValues } from '../accumulators/store/layout.ts';
import type { Measure } from '../measures/definition.ts';
import { itemPartOf, itemValue, type Sketch } from '../measures/item-part.ts';
import { Registers } from '../measures/registers.ts';
import type { Exact } from '../measures/sums.ts';
import { measureValue, measureWeight } from '../measures/value.ts';
import type { DurationMs, EpochMs } from '../vocabulary/events.ts';

/** Rows of one key by field. */
export type Rows = ReadonlyMap<string, Row>;

export interface CohortRow {
  readonly by: readonly string[];
  /** One value per dimension of `by`; each is OTHER_COHORT for the rest. */
  readonly values: readonly string[];
  readonly row: Row;
}

/** The watermark of a unit; -Infinity: it has none yet. */
interface Watermarked {
  readonly watermark: EpochMs;
}

/** The cut of a horizon: panes that end at or before it are final in every unit that is not too far behind. -Infinity: no pane is. */
export function cutOf(units: readonly Watermarked[], horizon: Horizon, unitTimeout: DurationMs): EpochMs {
  const newest = Math.max(...units.map((unit) => unit.watermark));
  const inTime = units.map((unit) => unit.watermark).filter((watermark) => newest - watermark <= unitTimeout);
  return inTime.length === 0 ? Number.NEGATIVE_INFINITY : Math.min(...inTime) - horizon.ms;
}

/**
 * End of the newest pane that is final in every unit that is not too far behind; -Infinity: there is none. A unit is too far
 * behind if its W is more than `unitTimeout` below the newest unit's.
 */
export function completeUpTo(
  units: readonly Watermarked[],
  horizon: Horizon,
  { paneSize, unitTimeout }: { readonly paneSize: DurationMs; readonly unitTimeout: DurationMs },
): EpochMs {
  return Math.floor(cutOf(units, horizon, unitTimeout) / paneSize) * paneSize;
}

/**
 * Copies of the rows of one window or total at one horizon, summed by cohort: sets in the order of `sets`, cohorts in the order of their
 * values. Cohorts that may not be shown by name are added to the rest of their set.
 * @param tables of each unit; undefined: the unit has none
 * @param start of the window; -Infinity: since the start
 */
export function cohortRows(
  rows: Iterable<readonly [field: string, row: Row]>,
  sets: readonly (readonly string[])[],
  tables: readonly (readonly AdmissionState[] | undefined)[],
  start: EpochMs,
): readonly CohortRow[] {
  const bySet = new Map(
    sets.map((by) => {
      const name = setText(by);
      const shown = shownByName(
        tables.map((unit) => unit?.find((table) => setText(table.by) === name)),
        start,
      );
      return [name, { by, shown, other: otherValues(by), sums: new Map<string, Row>() }] as const;
    }),
  );
  for (const [field, row] of rows) {
    const name = parseField(field);
    const set = name && bySet.get(name.by);
    if (name === undefined || set === undefined) continue;
    const values = set.shown(name.values) ? name.values : set.other;
    addToSum(set.sums, values, row);
  }
  return [...bySet.values()].flatMap(({ by, sums }) =>
    [...sums]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([values, row]) => ({ by, values: splitValues(by, values), row })),
  );
}

/** Value and n of one measure of a row, whether it is computed from sums or from items. */
interface RowValue {
  /** undefined: nothing was counted, the row keeps no items, or it has more items than are counted. */
  readonly value: number | undefined;
  /** For a measure of items, the number of lists whose items the row keeps; else as `measureWeight`. */
  readonly n: number;
}

/**
 * @param sums of the measure
 * @param catalogueSize number of items in the catalogue; 0: there is no catalogue
 */
export function rowValue(measure: Measure, row: Row, sums: readonly Exact[], catalogueSize: number): RowValue {
  const part = itemPartOf(measure);
  if (part === undefined) return { value: measureValue(measure, sums), n: measureWeight(measure, sums) };
  const kept = keptOf(row, part.name);
  if (kept === undefined) return { value: undefined, n: 0 };
  return { value: kept.lists === 0 ? undefined : itemValue(measure, kept.sketch, catalogueSize), n: kept.lists };
}

/** Whether the row has more items than are counted. */
export function isOverItemLimit({ items }: Row): boolean {
  return items?.sketches.some((sketch) => !(sketch instanceof Registers) && sketch.isOver) ?? false;
}

function keptOf({ items }: Row, name: string): { readonly lists: number; readonly sketch: Sketch } | undefined {
  if (items === undefined) return undefined;
  const p = items.shape.parts.findIndex((part) => part.name === name);
  return p < 0 ? undefined : { lists: items.lists[p], sketch: items.sketches[p] };
}
