import type { Joined } from '../vocabulary/events.ts';
import { chosen, positionsOf } from './bound.ts';
import { BINARY, type MeasureDefinition } from './definition.ts';
import { judged, word } from './grammar/parameters.ts';
import { relevantWords, upTo, worded } from './grammar/phrases.ts';
import { lastRank, type Places, placesUpTo, slotsUpTo } from './places.ts';
import type { Counted } from './step.ts';

/**
 * Average precision: the sum over positive ranks r <= k of (positives up to r) / r, over a base; its mean over lists is
 * MAP. The base is R (trec_eval m_map.c, m_map_cut.c; ranx, RecTools), min(k, R) (`denom=capped`: ml_metrics, RecBole),
 * min(k, slots of rank <= k, R) (`denom=list_capped`: LensKit), the hits up to k (`denom=hits`), or k (`denom=k`).
 *
 * Example: grades 1 0 1 1 0 1 0 0 at k = 5 give (1 + 2/3 + 3/4) / 4 = 0.604167, with `denom=hits` 0.805556.
 */
function ap(positives: Places, k: number, base: number): number {
  const { count, ranks } = positives;
  let sum = 0;
  for (let i = 0; i < count && ranks[i] <= k; i++) sum += (i + 1) / ranks[i];
  return base === 0 ? 0 : sum / base;
}

/** The base of one list. */
type ApBase = (list: Joined, k: number) => number;

function relevantBase(relevant: Counted): ApBase {
  return () => relevant.count;
}

function cappedBase(relevant: Counted): ApBase {
  return (list, k) => Math.min(cutBase(list, k), relevant.count);
}

function listCappedBase(relevant: Counted): ApBase {
  return (list, k) => Math.min(cutBase(list, k), slotsUpTo(list, k), relevant.count);
}

function hitsBase(positives: Places): ApBase {
  return (_list, k) => placesUpTo(positives, k);
}

/** The base k; without a cut-off it is the last rank. */
const cutBase: ApBase = (list, k) => (k === Number.POSITIVE_INFINITY ? lastRank(list) : k);

export const AP: MeasureDefinition = {
  name: 'ap',
  aliases: ['map'],
  trecEval: ['map', 'map_cut'],
  flagr: 'Mean Average Precision (MAP)',
  kind: 'grades',
  takesCut: true,
  params: { ...judged, denom: word('relevant', 'capped', 'list_capped', 'hits', 'k') },
  better: 'higher',
  range: [0, 1],
  dependsOnOrder: () => true,
  bind: (measure, { views }) => {
    const { positives, relevant, k, overLists } = positionsOf(measure, views);
    const base = chosen(measure, 'denom', {
      relevant: relevantBase(relevant),
      capped: cappedBase(relevant),
      list_capped: listCappedBase(relevant),
      hits: hitsBase(positives),
      k: cutBase,
    });
    return overLists((list) => ap(positives, k, base(list, k)));
  },
  describe: (measure) => {
    const relevant = relevantWords(measure);
    const base = worded(measure, 'denom', {
      relevant,
      capped: `the lesser of the cut-off and ${relevant}`,
      list_capped: `the least of the cut-off, the slots ${upTo(measure)} and ${relevant}`,
      hits: `the positives ${upTo(measure)}`,
      k: 'the cut-off',
    });
    return `Average precision ${upTo(measure)} over ${base}`;
  },
  docs: {
    value: 'sum over positive ranks r up to k of TP@r / r, over a base. Its mean is MAP',
    parameters: '`denom`: `relevant` = R, `capped` = min(k, R), `list_capped` = min(k, L, R), `hits` = TP, `k`',
  },
  examples: [
    { of: 'ap@5', list: BINARY, value: 0.604167, agrees: 'trec_eval map_cut, ranx, RecTools, FLAGR' },
    {
      of: 'ap(denom=capped)@3',
      list: BINARY,
      value: 0.555556,
      agrees: 'ml_metrics, RecBole, recommenders map_at_k',
    },
    { of: 'ap(denom=hits)@5', list: BINARY, value: 0.805556 },
    { of: 'ap(denom=k)@5', list: BINARY, value: 0.483333, agrees: 'RecTools divide_by_k' },
  ],
};
