import type { MeasureDefinition } from './definition.ts';
import { upTo } from './grammar/phrases.ts';
import type { Registers } from './registers.ts';

/**
 * `distinct[@k]`: number of different items shown at ranks up to k, over all lists of a row together.
 * Convention: estimated by HyperLogLog (registers.ts), rounded to a whole number; standard error 1.6 %, almost exact up to a
 * few hundred items. An item counts once, however often it is shown. No list has a value of its own.
 * Example: lists abc, abd, ace: 5.
 * Source: as in registers.ts. "Aggregate diversity" of Adomavicius and Kwon, IEEE TKDE 24 (2012).
 */
export function distinct(registers: Registers): number {
  return Math.round(registers.estimate());
}

export const DISTINCT: MeasureDefinition = {
  name: 'distinct',
  kind: 'items',
  takesCut: true,
  params: {},
  better: 'higher',
  range: [0, Number.POSITIVE_INFINITY],
  dependsOnOrder: () => true,
  needs: () => ['items'],
  ofItems: { from: 'registers', value: distinct },
  describe: (measure) => `Number of different items shown ${upTo(measure)}, over all lists together, by HyperLogLog`,
  docs: { value: 'number of different items shown, over all lists together' },
  examples: [{ of: 'distinct', list: 'shown', value: 5 }],
};
