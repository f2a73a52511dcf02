import { positionsOf } from './bound.ts';
import type { MeasureDefinition } from './definition.ts';
import { judged } from './grammar/parameters.ts';
import { upTo } from './grammar/phrases.ts';
import type { Places } from './places.ts';

/**
 * Hit: 1 if there is a positive up to rank k, else 0. Its mean over lists is the hit rate.
 * Like trec_eval success (m_success.c), ranx and RecTools HitRate; Evidently with `empty=skip`.
 *
 * Example: grades 0 1 0 0 give 1 at k = 2 and 0 at k = 1.
 */
function hit(positives: Places, k: number): number {
  return positives.count > 0 && positives.ranks[0] <= k ? 1 : 0;
}

export const HIT: MeasureDefinition = {
  name: 'hit',
  aliases: ['success', 'hit_rate', 'hitrate'],
  trecEval: ['success', 'success'],
  kind: 'grades',
  takesCut: true,
  params: judged,
  better: 'higher',
  range: [0, 1],
  dependsOnOrder: ({ k }) => k !== undefined,
  bind: (measure, { views }) => {
    const { positives, k, overLists } = positionsOf(measure, views);
    return overLists(() => hit(positives, k));
  },
  describe: (measure) => `1 if there is a positive ${upTo(measure)}, else 0`,
  docs: { value: '1 if TP > 0, else 0' },
  examples: [
    { of: 'hit@2', list: { grades: [0, 1, 0, 0, 0] }, value: 1, agrees: 'trec_eval success, ranx, RecTools HitRate' },
  ],
};
