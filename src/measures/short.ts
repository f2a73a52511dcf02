import { numberOf } from './bound.ts';
import type { MeasureDefinition } from './definition.ts';
import { whole } from './grammar/parameters.ts';
import { meanStep } from './step.ts';

/**
 * `short(below=10)`: share of lists with fewer slots than `below`.
 * Convention: 1 or 0 for each list. An empty list is short.
 * Example: lists of 3, 10 and 12 slots: 1/3.
 */
export function short({ length }: { readonly length: number }, below: number): number {
  return length < below ? 1 : 0;
}

export const SHORT: MeasureDefinition = {
  name: 'short',
  kind: 'list',
  takesCut: false,
  params: { below: whole(10) },
  better: 'lower',
  range: [0, 1],
  dependsOnOrder: () => false,
  takesEmptyLists: true,
  bind: (measure, { views }) => {
    const below = numberOf(measure, 'below');
    return meanStep((list) => short(list, below), views.usual());
  },
  describe: (measure) => `1 if the list has fewer than ${measure.params.get('below')} slots, else 0`,
  docs: { value: 'share of lists with fewer slots than `below`. Takes no `@k`', parameters: '`below`: 10' },
  examples: [{ of: 'short', list: 'shown', value: 1 }],
};
