import { positionsOf } from './bound.ts';
import type { MeasureDefinition } from './definition.ts';
import { judged } from './grammar/parameters.ts';
import { upTo } from './grammar/phrases.ts';
import type { Places } from './places.ts';

/**
 * Reciprocal rank: 1 / rank of the first positive, 0 if there is none up to k. Its mean over lists is MRR.
 * Like trec_eval recip_rank (m_recip_rank.c), ranx and RecTools MRR; Evidently with `empty=skip`.
 *
 * Example: grades 0 0 1 0 0 give 1/3; page two (offset 10) with grades 0 1 0 gives 1/12.
 */
function mrr(positives: Places, k: number): number {
  return positives.count > 0 && positives.ranks[0] <= k ? 1 / positives.ranks[0] : 0;
}

export const MRR: MeasureDefinition = {
  name: 'mrr',
  aliases: ['rr', 'recip_rank'],
  trecEval: ['recip_rank', 'recip_rank'],
  kind: 'grades',
  takesCut: true,
  params: judged,
  better: 'higher',
  range: [0, 1],
  dependsOnOrder: () => true,
  bind: (measure, { views }) => {
    const { positives, k, overLists } = positionsOf(measure, views);
    return overLists(() => mrr(positives, k));
  },
  describe: (measure) => `Reciprocal rank of the first positive ${upTo(measure)}, 0 if there is none`,
  docs: { value: '1 / rank of the first positive; none: 0' },
  examples: [
    {
      of: 'mrr',
      list: { grades: [0, 0, 1, 0, 0] },
      value: 0.333333,
      agrees: 'trec_eval recip_rank, ranx, RecTools MRR; Evidently with `empty=skip`',
    },
  ],
};
