import type { Joined } from '../vocabulary/events.ts';
import { creditOf, gradedSlotsOf, overLists, textOf, unbound } from './bound.ts';
import { dcg, discountOf, gainAndDiscount, gainAndDiscountWords, gainingOf, gainOf, takesEveryGain } from './dcg.ts';
import { GRADED, GRADED_KNOWN, type Measure, type MeasureDefinition } from './definition.ts';
import type { Discount, Gain } from './gain.ts';
import type { Graded } from './grade.ts';
import { judged, word } from './grammar/parameters.ts';
import { upTo, worded } from './grammar/phrases.ts';
import type { Known } from './known.ts';
import { rankOf } from './places.ts';
import type { Views } from './views.ts';

/**
 * Normalised DCG: DCG / IDCG, 0 if IDCG is 0.
 *
 * `ideal=shown`: IDCG takes the grades of the WHOLE list, best first, on the list's own ranks, and then cuts at k: it
 * judges the order of what was shown. Like scikit-learn ndcg_score and Evidently on the given list; with `gain=exp` like
 * FLAGR. `ideal=all`: all known grades, best first, on ranks 1, 2, 3, ..., cut at k: trec_eval ndcg_cut (m_ndcg_cut.c),
 * ranx; with `gain=exp` gdeval. `ideal=perfect`: k items of gain 1: RecTools.
 *
 * Example: grades 3 2 3 0 1 2 give 6.861127 / 7.140995 = 0.960808 at k = 6; where two more items of grades 3 and 2 are
 * known and `ideal=all`, 6.861127 / 8.740262 = 0.785002. Ranks 1 3 4 with grades 0 1 0 give 0.5.
 */
export function ndcg(gained: number, ideal: number): number {
  return ideal > 0 ? Math.min(1, gained / ideal) : 0;
}

/**
 * `norm=minmax`: (DCG - worst) / (IDCG - worst), where worst takes the grades in ascending order. NaN, the list is left
 * out, if every order is worth the same. With the shown grades it is in 0..1; with all known ones it can exceed that range, as
 * the shown list need not contain the worst of them.
 *
 * Example: grades 2 1 2 0 give 0.896871 at k = 4; a single slot is left out.
 */
export function minmaxNdcg(gained: number, ideal: number, worst: number, isShown: boolean): number {
  // Sums of equal terms in different orders may differ in their last bits.
  if (!(ideal - worst > 1e-12 * ideal)) return Number.NaN;
  const value = (gained - worst) / (ideal - worst);
  return isShown ? Math.min(1, Math.max(0, value)) : value;
}

export const NDCG: MeasureDefinition = {
  name: 'ndcg',
  trecEval: ['ndcg', 'ndcg_cut'],
  kind: 'grades',
  takesCut: true,
  params: { ...judged, ideal: word('shown', 'all', 'perfect'), ...gainAndDiscount, norm: word('max', 'minmax') },
  better: 'higher',
  range: [0, 1],
  dependsOnOrder: () => true,
  takesEveryGrade: takesEveryGain,
  bind: (measure, { views }) => {
    const slots = gradedSlotsOf(measure, views);
    const { graded, k, relevant } = slots;
    const gain = gainOf(measure);
    const discount = discountOf(measure);
    const gaining = gainingOf(measure, slots);
    const [ideal, worst] = ordersOf(measure, views, k, gain, discount);
    const dcgOf = () => dcg(graded, k, gain, discount);
    if (measure.params.get('norm') !== 'minmax') {
      return overLists(measure, (list) => ndcg(dcgOf(), ideal(list)), relevant, gaining);
    }
    const isShown = measure.params.get('ideal') !== 'all';
    return overLists(measure, (list) => minmaxNdcg(dcgOf(), ideal(list), worst(list), isShown), relevant, gaining);
  },
  describe: (measure) => {
    const ideal = worded(measure, 'ideal', {
      shown: 'the best order of the shown list',
      all: 'the best order of all known items',
      perfect: 'a gain of 1 at every rank',
    });
    const norm = worded(measure, 'norm', { minmax: ', scaled from the worst order to the best' });
    return `Normalised discounted cumulative gain ${upTo(measure)}: ${gainAndDiscountWords(measure)}, ideal ${ideal}${norm}`;
  },
  docs: {
    value: 'DCG / DCG of the best order of the shown list; without positives 0',
    parameters:
      'as dcg; `norm`: `max`, `minmax` (from the worst order to the best); `ideal` also `perfect` (k items of gain 1; needs `gain=binary` and k)',
  },
  examples: [
    { of: 'ndcg@6', list: GRADED, value: 0.960808, agrees: 'scikit-learn ndcg_score and Evidently on the given list' },
    { of: 'ndcg(gain=exp)@6', list: GRADED, value: 0.948811, agrees: 'FLAGR' },
    {
      of: 'ndcg(discount=clipped)@6',
      list: GRADED,
      value: 0.931509,
      agrees: 'LensKit where all known items were shown',
    },
    { of: 'ndcg(norm=minmax)@6', list: GRADED, value: 0.88433 },
    { of: 'ndcg(gain=binary)@6', list: GRADED, value: 0.974743 },
    { of: 'ndcg(ideal=all)@6', list: GRADED_KNOWN, value: 0.785002, agrees: 'trec_eval ndcg_cut, ranx' },
    { of: 'ndcg(gain=exp,ideal=all)@6', list: GRADED_KNOWN, value: 0.751083, agrees: 'gdeval, ranx ndcg_burges' },
    { of: 'ndcg(gain=binary,ideal=perfect)@10', list: GRADED_KNOWN, value: 0.632541, agrees: 'RecTools NDCG' },
  ],
};

/** The best order and the worst. */
function ordersOf(
  measure: Measure,
  views: Views,
  k: number,
  gain: Gain,
  discount: Discount,
): readonly [best: OrderDcg, worst: OrderDcg] {
  const action = textOf(measure, 'action');
  const graded = views.graded(action, creditOf(measure));
  const shown = shownWorst(graded, k, gain, discount);
  switch (measure.params.get('ideal')) {
    case 'shown':
      return [shownIdeal(graded, k, gain, discount), shown];
    case 'all': {
      const known = views.known(action);
      return [allIdeal(known, k, gain, discount), allWorst(known, k, gain, discount)];
    }
    case 'perfect':
      return [perfectIdeal(k, discount), shown];
    default:
      throw unbound(measure);
  }
}

/** The DCG that a list is compared with: that of an order of grades which does not depend on how they were shown. */
type OrderDcg = (list: Joined) => number;

/** The best order of the shown list: its grades, best first, on its own ranks, and THEN the cut at k. */
function shownIdeal(graded: Graded, k: number, gain: Gain, discount: Discount): OrderDcg {
  return (list) => {
    const grades = graded.descending();
    let sum = 0;
    for (let s = 0; s < graded.count; s++) {
      const rank = rankOf(list, s);
      if (rank > k) break;
      sum += gain(grades[s]) * discount(rank);
    }
    return sum;
  };
}

/** The worst order of the shown list: its grades ascending, on its own ranks, cut at k. */
function shownWorst(graded: Graded, k: number, gain: Gain, discount: Discount): OrderDcg {
  return (list) => {
    const grades = graded.descending();
    let sum = 0;
    for (let i = graded.count - 1; i >= 0; i--) {
      const rank = rankOf(list, list.length - 1 - i);
      if (rank > k) break;
      sum += gain(grades[i]) * discount(rank);
    }
    return sum;
  };
}

/** The best order of all known items, on ranks 1, 2, 3, ..., cut at k. */
function allIdeal(known: Known, k: number, gain: Gain, discount: Discount): OrderDcg {
  return () => {
    const { count, grades } = known;
    let sum = 0;
    for (let i = 0; i < count && i < k; i++) sum += gain(grades[i]) * discount(i + 1);
    return sum;
  };
}

/** The worst order of all known items, those without a grade first, on ranks 1, 2, 3, ..., cut at k. */
function allWorst(known: Known, k: number, gain: Gain, discount: Discount): OrderDcg {
  return () => {
    const { count, items, grades } = known;
    let sum = 0;
    for (let i = count - 1; i >= 0 && items - i <= k; i--) sum += gain(grades[i]) * discount(items - i);
    return sum;
  };
}

/** A gain of 1 at each of the ranks 1 to k (RecTools). */
function perfectIdeal(k: number, discount: Discount): OrderDcg {
  let sum = 0;
  for (let rank = 1; rank <= k; rank++) sum += discount(rank);
  return () => sum;
}
