/** Settings that belong to measures of items and of the catalogue. */
import type { Measure } from '../measures/definition.ts';
import { itemPartOf } from '../measures/item-part.ts';
import { needsCatalogue } from '../measures/needs.ts';
import { type Referred, setsOf } from './referred.ts';
import type { ConfigDocument } from './schema.ts';

/** The grouping sets that keep items; what measures of items need and miss is reported. */
export function itemSetsOf(
  document: ConfigDocument,
  measures: readonly Measure[],
  referred: Referred,
): readonly (readonly string[])[] {
  const { cohorts, report } = referred;
  const { itemSets, catalogue } = document;
  const sets =
    itemSets === undefined ? cohorts.filter((set) => set.length === 0) : setsOf(itemSets, ['itemSets'], referred);
  for (const measure of measures) {
    if (itemPartOf(measure) !== undefined && sets.length === 0) {
      report.add(
        ['measures'],
        `${measure.canonical} is kept for the grouping set [] alone, which cohorts lacks: add [], or name others in itemSets`,
        ['cohorts', 'itemSets'],
      );
    }
    if (needsCatalogue(measure) && catalogue === null) {
      report.add(
        ['measures'],
        `${measure.canonical} needs a catalogue: the path of an item file, such as catalogue: items.csv`,
        ['catalogue'],
      );
    }
  }
  return sets;
}
