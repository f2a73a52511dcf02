import type { Row } from '../accumulators/row.ts';
import type { Measure } from '../measures/definition.ts';
import { itemPartOf, itemValue, type Sketch } from '../measures/item-part.ts';
import { Registers } from '../measures/registers.ts';
import type { Exact } from '../measures/sums.ts';
import { measureValue, measureWeight } from '../measures/value.ts';

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
