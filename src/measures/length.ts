import type { MeasureDefinition } from './definition.ts';
import { meanStep } from './step.ts';

/**
 * `length`: number of slots of a list.
 * Convention: slots of this page; gaps between ranks are not slots. An empty list counts as 0.
 * Example: lists abc, abd, ace: 3.
 */
export function length({ length: slots }: { readonly length: number }): number {
  return slots;
}

export const LENGTH: MeasureDefinition = {
  name: 'length',
  kind: 'list',
  takesCut: false,
  params: {},
  better: 'higher',
  range: [0, Number.POSITIVE_INFINITY],
  dependsOnOrder: () => false,
  takesEmptyLists: true,
  bind: (_, { views }) => meanStep(length, views.usual()),
  describe: () => 'Number of slots in the list',
  docs: { value: 'slots of a list. Takes no `@k`' },
  examples: [{ of: 'length', list: 'shown', value: 3 }],
};
