import type { MeasureDefinition } from './definition.ts';
import { slots } from './grammar/parameters.ts';
import { countsByRank } from './precision.ts';
import { rateStep, shareWords } from './rate.ts';

/** The action that is a click. */
const CLICK = 'click';

/** Click-through rate: the rate of clicks (rate.ts). */
export const CTR: MeasureDefinition = {
  name: 'ctr',
  kind: 'actions',
  takesCut: true,
  params: slots,
  action: CLICK,
  better: 'higher',
  range: [0, 1],
  dependsOnOrder: countsByRank,
  countsSlots: () => true,
  bind: (measure, { views }) => rateStep(measure, views, CLICK),
  describe: (measure) => `Click-through rate: ${shareWords(measure, 'a click')}`,
  docs: {
    value: 'slots with a click / slots, over all lists',
    parameters: '`slot` (only this rank), `examined`, `avg`: `micro`, `macro` (per list, then the mean)',
  },
  examples: [{ of: 'ctr', list: { grades: [0, 0, 1, 0, 0, 0, 0, 0] }, value: 0.125, agrees: 'TorchRec ctr' }],
};
