import { cellsOf, positionsOf } from './bound.ts';
import { BINARY, classRecall, GRADED_KNOWN, type MeasureDefinition } from './definition.ts';
import { counted, word } from './grammar/parameters.ts';
import { relevantWords, upTo, worded } from './grammar/phrases.ts';
import { type Counted, fractionStep } from './step.ts';

/**
 * Recall: positives of rank <= k over R, the positives of the list (`ideal=shown`: it reaches 1 once k reaches the
 * length), or over min(k, R) (`denom=capped`: LensKit). Like trec_eval recall (m_recall.c) on the shown items.
 *
 * Example: grades 1 0 1 1 0 1 0 0 give 0.5 at k = 3, with `denom=capped` 2/3.
 */
export function recall(hits: number, base: number): number {
  return base === 0 ? 0 : hits / base;
}

/** R, or min(k, R). */
function recallBase(relevant: Counted, k: number, capped: boolean): number {
  return capped ? Math.min(k, relevant.count) : relevant.count;
}

export const RECALL: MeasureDefinition = {
  name: 'recall',
  aliases: ['r'],
  trecEval: ['set_recall', 'recall'],
  kind: 'grades',
  takesCut: true,
  params: { ...counted, denom: word('relevant', 'capped') },
  better: 'higher',
  range: [0, 1],
  dependsOnOrder: ({ k }) => k !== undefined,
  ofClass: () => classRecall,
  bind: (measure, { views }) => {
    const positions = positionsOf(measure, views);
    const { hits, k, relevant, overLists } = positions;
    const cells = cellsOf(measure, positions);
    if (cells !== undefined) return cells;
    const capped = measure.params.get('denom') === 'capped';
    if (measure.params.get('avg') === 'micro') {
      return fractionStep(hits, () => recallBase(relevant, k, capped), relevant);
    }
    return overLists(() => recall(hits(), recallBase(relevant, k, capped)));
  },
  describe: (measure) => {
    const capped = worded(measure, 'denom', { capped: 'the lesser of the cut-off and ' });
    return `Recall: positives ${upTo(measure)} over ${capped}${relevantWords(measure)}`;
  },
  docs: { value: 'TP / R', parameters: '`denom`: `relevant` = R, `capped` = min(k, R)' },
  examples: [
    {
      of: 'recall@3',
      list: BINARY,
      value: 0.5,
      agrees: 'trec_eval, recommenders and RecTools where all known positives were shown',
    },
    { of: 'recall(denom=capped)@3', list: BINARY, value: 0.666667, agrees: 'LensKit' },
    {
      of: 'recall(ideal=all)@3',
      list: GRADED_KNOWN,
      value: 0.428571,
      agrees: 'trec_eval recall, recommenders, RecTools',
    },
  ],
};
