import { distinct } from './distinct.ts';
import type { Registers } from './registers.ts';

/**
 * `coverage[@k]`: share of the catalogue that was shown at ranks up to k, over all lists of a row together.
 * Convention: distinct items over the number of items in the catalogue; items that it does not hold are left out. An
 * estimate, as distinct is; never above 1.
 * Example: lists abc, abd, ace, a catalogue of 10: 5 / 10 = 0.5.
 * Agrees with RecBole `ItemCoverage`.
 *
 * @param registers of items of the catalogue alone
 * @param catalogueSize above 0
 */
export function coverage(registers: Registers, catalogueSize: number): number {
  return Math.min(1, distinct(registers) / catalogueSize);
}
