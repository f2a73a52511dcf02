import { cellsOf, numberOf, positionsOf } from './bound.ts';
import { BINARY, classF, type MeasureDefinition } from './definition.ts';
import { above0, counted, examined, word } from './grammar/parameters.ts';
import { relevantWords, upTo, worded } from './grammar/phrases.ts';
import { baseCountsSlots, countsByRank, precision, precisionBaseOf, precisionBaseWords } from './precision.ts';
import { recall } from './recall.ts';
import { fractionStep } from './step.ts';

/**
 * F-measure of one list: (1 + b^2) P C / (b^2 P + C) with precision P = hits / base and recall C = hits / R; 0 if both
 * are 0. Computed as (1 + b^2) hits / (b^2 R + base); `avg=micro` sums both sides of this fraction over lists.
 * With `of=means` P and C are their means over lists (Evidently).
 * van Rijsbergen 1979; trec_eval set_F.x (m_set_F.c) is this with x = beta^2; ranx, RecTools F1Beta.
 *
 * Example: grades 1 0 1 1 0 1 0 0 give 2/3 at k = 5 and 4/7 at k = 3; `beta=2` at k = 5 gives 0.714286.
 */
function f1(hits: number, base: number, relevant: number, beta: number): number {
  return hits === 0 && base === 0 ? 0 : f1Above(hits, beta) / f1Below(base, relevant, beta);
}

function f1Above(hits: number, beta: number): number {
  return (1 + beta * beta) * hits;
}

function f1Below(base: number, relevant: number, beta: number): number {
  return beta * beta * relevant + base;
}

/** The F-measure of a given precision and recall, such as their means. */
function f1OfMeans(precision: number, recall: number, beta: number): number {
  const b2 = beta * beta;
  return precision === 0 && recall === 0 ? 0 : ((1 + b2) * precision * recall) / (b2 * precision + recall);
}

export const F1: MeasureDefinition = {
  name: 'f1',
  trecEval: ['set_F', 'F'],
  kind: 'grades',
  takesCut: true,
  params: { ...counted, denom: word('k', 'list'), beta: above0(1, 1000), of: word('lists', 'means'), examined },
  better: 'higher',
  range: [0, 1],
  dependsOnOrder: countsByRank,
  countsSlots: baseCountsSlots,
  ofClass: (measure) => classF(numberOf(measure, 'beta')),
  ofMeans: (measure, precisions, recalls) => f1OfMeans(precisions, recalls, numberOf(measure, 'beta')),
  bind: (measure, { views }) => {
    const positions = positionsOf(measure, views);
    const { hits, k, relevant, overLists } = positions;
    const cells = cellsOf(measure, positions);
    if (cells !== undefined) return cells;
    const base = precisionBaseOf(measure, views, positions.positives, relevant);
    const beta = numberOf(measure, 'beta');
    if (measure.params.get('of') === 'means') {
      return fractionStep(
        (list) => precision(hits(), base(list, k)),
        () => recall(hits(), relevant.count),
        relevant,
      );
    }
    if (measure.params.get('avg') === 'micro') {
      return fractionStep(
        () => f1Above(hits(), beta),
        (list) => f1Below(base(list, k), relevant.count, beta),
        relevant,
      );
    }
    return overLists((list) => f1(hits(), base(list, k), relevant.count, beta));
  },
  describe: (measure) => {
    const beta = numberOf(measure, 'beta');
    const sides = `precision (over ${precisionBaseWords(measure)}) and recall (over ${relevantWords(measure)})`;
    return `F-measure with beta ${beta} of ${sides} ${upTo(measure)}${worded(measure, 'of', { means: ', from their means' })}`;
  },
  docs: {
    value: '(1 + b²) P C / (b² P + C) of precision P and recall C',
    parameters:
      '`beta`: 1; `denom`: `k`, `list`; `examined`; `of`: `lists`, `means` (of the mean precision and the mean recall)',
  },
  examples: [
    { of: 'f1@5', list: BINARY, value: 0.666667, agrees: 'ranx, RecTools F1Beta, FLAGR' },
    { of: 'f1(beta=2)@5', list: BINARY, value: 0.714286, agrees: 'trec_eval set_F with x = 4' },
    { of: 'f1(per=class)@5', list: BINARY, value: 0.619048, agrees: 'scikit-learn with average=macro' },
    { of: 'f1(avg=micro,per=class)@5', list: BINARY, value: 0.625, agrees: 'scikit-learn with average=micro' },
  ],
};
