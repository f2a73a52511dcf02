import type { Joined } from '../vocabulary/events.ts';
import type { MeasureDefinition } from './definition.ts';
import { meanStep } from './step.ts';

/**
 * `duplicated`: share of lists in which an item repeats.
 * Convention: 1 or 0 for each list, however often it repeats. An empty list counts as 0.
 * Example: lists abc, aba: 1/2.
 */
export function duplicated({ firstSlot, length }: Pick<Joined, 'firstSlot' | 'length'>): number {
  if (firstSlot === undefined) return 0;
  for (let s = 0; s < length; s++) if (firstSlot[s] !== s) return 1;
  return 0;
}

export const DUPLICATED: MeasureDefinition = {
  name: 'duplicated',
  kind: 'list',
  takesCut: false,
  params: {},
  better: 'lower',
  range: [0, 1],
  dependsOnOrder: () => false,
  takesEmptyLists: true,
  bind: (_, { views }) => meanStep(duplicated, views.usual()),
  describe: () => '1 if an item repeats in the list, else 0',
  docs: { value: 'share of lists in which an item repeats. Takes no `@k`' },
  examples: [{ of: 'duplicated', list: 'shown', value: 0 }],
};
