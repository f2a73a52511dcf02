import type { MeasureDefinition } from './definition.ts';
import { distinct } from './distinct.ts';
import { upTo } from './grammar/phrases.ts';
import type { Registers } from './registers.ts';

/**
 * `coverage[@k]`: share of the catalogue that was shown at ranks up to k, over all lists of a row together.
 * Convention: distinct items over the number of items in the catalogue; items that are not in it are left out. An estimate,
 * like distinct; never above 1.
 * Example: lists abc, abd, ace, a catalogue of 10: 5 / 10 = 0.5.
 * Agrees with RecBole `ItemCoverage`.
 *
 * @param registers of items of the catalogue alone
 * @param catalogueSize above 0
 */
export function coverage(registers: Registers, catalogueSize: number): number {
  return Math.min(1, distinct(registers) / catalogueSize);
}

export const COVERAGE: MeasureDefinition = {
  name: 'coverage',
  kind: 'items',
  takesCut: true,
  params: {},
  better: 'higher',
  range: [0, 1],
  dependsOnOrder: () => true,
  needs: () => ['items'],
  asksCatalogue: () => 'item',
  ofItems: { from: 'registers', value: (registers, _, catalogueSize) => coverage(registers, catalogueSize) },
  describe: (measure) =>
    `Different items of the catalogue shown ${upTo(measure)}, over all lists together, by HyperLogLog, over the size of the catalogue`,
  docs: {
    value: 'the same over the size of the catalogue, items of the catalogue only',
    parameters: 'needs the [catalogue](configuration.md#catalogue)',
  },
  examples: [{ of: 'coverage', list: 'shown', value: 0.5, agrees: 'RecBole ItemCoverage' }],
};
