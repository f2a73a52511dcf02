import { cutOf } from './bound.ts';
import type { MeasureDefinition } from './definition.ts';
import { upTo } from './grammar/phrases.ts';
import { placesUpTo, slotsUpTo } from './places.ts';
import { meanStep } from './step.ts';

/** The action of a judgement: its value is the grade. */
export const JUDGED_ACTION = 'rating';

/**
 * Judged: slots of rank <= k whose item somebody judged, with whatever grade, over the slots of rank <= k. In all other measures an item
 * that nobody judged counts as not relevant. ir_measures Judged@k (judged_provider.py), which also divides by the length of a list that
 * is shorter than k; it takes a grade below 0 for a judgement, which is none for trec_eval and here.
 *
 * Example: of six items the first, second and fourth were judged: 3/5 = 0.6 at k = 5, and 3/6 = 0.5 at k = 10.
 */
function judgedShare(judged: number, slots: number): number {
  return judged / slots;
}

export const JUDGED: MeasureDefinition = {
  name: 'judged',
  kind: 'actions',
  takesCut: true,
  params: {},
  action: JUDGED_ACTION,
  asksJudgements: true,
  better: 'higher',
  range: [0, 1],
  dependsOnOrder: ({ k }) => k !== undefined,
  bind: (measure, { views }) => {
    const k = cutOf(measure);
    const judged = views.acted(JUDGED_ACTION, 'each');
    return meanStep((list) => judgedShare(placesUpTo(judged, k), slotsUpTo(list, k)), views.usual());
  },
  describe: (measure) => `Judged: share of the slots ${upTo(measure)} whose item somebody judged, with any grade`,
  docs: { value: 'slots of L whose item somebody judged / L. For runs of `score` alone' },
  examples: [
    { of: 'judged@5', list: { judged: [1, 1, 0, 1, 0, 0] }, value: 0.6, agrees: 'ir_measures Judged' },
    {
      of: 'judged@10',
      list: { judged: [1, 1, 0, 1, 0, 0] },
      value: 0.5,
      agrees: 'the same: of the six places that there are',
    },
  ],
};
