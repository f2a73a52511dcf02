import { positionsOf } from './bound.ts';
import { BINARY, type MeasureDefinition } from './definition.ts';
import { judged } from './grammar/parameters.ts';
import { relevantWords } from './grammar/phrases.ts';
import { type Places, placesUpTo } from './places.ts';
import type { Counted } from './step.ts';

/**
 * R-precision: positives of rank <= R over R, where R is the number of positives, shown or (`ideal=all`) known; 0 if
 * there are none. Like trec_eval Rprec (m_Rprec.c), with `ideal=all` on all judged items.
 *
 * Example: grades 1 0 1 1 0 1 0 0 have R = 4 and three positives up to rank 4: 0.75.
 */
function rprec(positives: Places, relevant: Counted): number {
  return relevant.count === 0 ? 0 : placesUpTo(positives, relevant.count) / relevant.count;
}

export const RPREC: MeasureDefinition = {
  name: 'rprec',
  aliases: ['r_precision'],
  trecEval: ['Rprec', 'Rprec'],
  kind: 'grades',
  takesCut: false,
  params: judged,
  better: 'higher',
  range: [0, 1],
  dependsOnOrder: () => true,
  bind: (measure, { views }) => {
    const { positives, relevant, overLists } = positionsOf(measure, views);
    return overLists(() => rprec(positives, relevant));
  },
  describe: (measure) => `R-precision: positives of rank up to R over R, with R ${relevantWords(measure)}`,
  docs: { value: 'positives of rank up to R, over R. Takes no `@k`' },
  examples: [{ of: 'rprec', list: BINARY, value: 0.75, agrees: 'trec_eval Rprec' }],
};
