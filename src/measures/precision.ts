import type { Joined } from '../vocabulary/events.ts';
import { cellsOf, chosen, type Examined, examinedOf, positionsOf } from './bound.ts';
import { BINARY, classPrecision, GRADED, GRADED_KNOWN, type Measure, type MeasureDefinition } from './definition.ts';
import { counted, examined, word } from './grammar/parameters.ts';
import { relevantWords, upTo, worded } from './grammar/phrases.ts';
import { lastRank, type Places, slotsUpTo } from './places.ts';
import { type Counted, fractionStep } from './step.ts';
import type { Views } from './views.ts';

/**
 * Precision: positives of rank <= k over a base. The base is k less the page's offset (trec_eval m_P.c, ranx, RecTools,
 * recommenders; without a cut-off k is the last rank), the slots of rank <= k (`denom=list`: LensKit, Evidently),
 * min(k, R) (`denom=capped`; with `ideal=all`, where R is all known positives, RecTools Precision with r_precision), or the
 * examined slots of rank <= k.
 *
 * Example: grades 1 0 1 1 0 1 0 0 give 0.6 at k = 5; at k = 10 they give 0.4, with `denom=list` 0.5.
 * Five positives of seven known ones at k = 10 give 5/7 with `denom=capped,ideal=all`.
 */
export function precision(hits: number, base: number): number {
  return base === 0 ? 0 : hits / base;
}

/** The base of one list; NaN: the list is left out. */
type PrecisionBase = (list: Joined, k: number) => number;

/** A base is never less than the number of slots up to it, whatever ranks a list claims. */
const cutBase: PrecisionBase = (list, k) =>
  Math.max((k === Number.POSITIVE_INFINITY ? lastRank(list) : k) - list.pageOffset, slotsUpTo(list, k));

const listBase: PrecisionBase = slotsUpTo;

function cappedBase(relevant: Counted): PrecisionBase {
  return (list, k) => Math.min(cutBase(list, k), relevant.count);
}

function examinedBase(examined: Examined): PrecisionBase {
  return (list, k) => examined(list, 1, k) || (list.length === 0 ? 0 : Number.NaN);
}

/** The base of a measure's `denom` or `examined`. */
export function precisionBaseOf(measure: Measure, views: Views, positives: Places, relevant: Counted): PrecisionBase {
  if (measure.params.get('examined') !== 'all') return examinedBase(examinedOf(measure, views, positives));
  return chosen(measure, 'denom', { k: cutBase, list: listBase, capped: cappedBase(relevant) });
}

export function precisionBaseWords(measure: Measure): string {
  if (measure.params.get('examined') !== 'all') return `the examined slots ${upTo(measure)}`;
  const cut = measure.k === undefined ? 'the last rank' : `${measure.k}`;
  return worded(measure, 'denom', {
    k: `${cut} less the offset of the page`,
    list: `the slots ${upTo(measure)}`,
    capped: `the lesser of ${cut} and ${relevantWords(measure)}`,
  });
}

/** Whether the base of precision counts slots of the list. */
export function baseCountsSlots({ params, k }: Measure): boolean {
  if (params.get('avg') !== 'micro') return false;
  return k === undefined || params.get('denom') === 'list' || params.get('examined') !== 'all';
}

/** Whether the order decides which slots count: those up to a cut-off, a rank or the last positive. */
export function countsByRank({ params, k }: Measure): boolean {
  return k !== undefined || params.has('slot') || params.get('examined') === 'last_positive';
}

export const PRECISION: MeasureDefinition = {
  name: 'precision',
  aliases: ['p'],
  trecEval: ['set_P', 'P'],
  kind: 'grades',
  takesCut: true,
  params: { ...counted, denom: word('k', 'list', 'capped'), examined },
  better: 'higher',
  range: [0, 1],
  dependsOnOrder: countsByRank,
  countsSlots: baseCountsSlots,
  ofClass: () => classPrecision,
  bind: (measure, { views }) => {
    const positions = positionsOf(measure, views);
    const { hits, k, relevant, overLists } = positions;
    const cells = cellsOf(measure, positions);
    if (cells !== undefined) return cells;
    const base = precisionBaseOf(measure, views, positions.positives, relevant);
    if (measure.params.get('avg') === 'micro') return fractionStep(hits, (list) => base(list, k), relevant);
    return overLists((list) => precision(hits(), base(list, k)));
  },
  describe: (measure) => `Precision: positives ${upTo(measure)} over ${precisionBaseWords(measure)}`,
  docs: {
    value: 'TP over a base',
    parameters:
      "`denom`: `k` (less the page's offset; without a cut-off the last rank), `list` = L, `capped` = min(k, R); `examined`",
  },
  examples: [
    { of: 'precision@5', list: BINARY, value: 0.6, agrees: 'trec_eval P, ranx, RecTools, recommenders' },
    { of: 'precision@10', list: BINARY, value: 0.4, agrees: 'the same: the base is k, though the list has 8' },
    { of: 'precision(denom=list)@10', list: BINARY, value: 0.5, agrees: 'LensKit, Evidently' },
    {
      of: 'precision(denom=capped)@5',
      list: BINARY,
      value: 0.75,
      agrees: 'RecTools r_precision where all known positives were shown',
    },
    { of: 'precision(denom=capped,ideal=all)@10', list: GRADED_KNOWN, value: 0.714286, agrees: 'RecTools r_precision' },
    { of: 'precision(rel=2)@5', list: GRADED, value: 0.6, agrees: 'trec_eval with -l 2' },
  ],
};
