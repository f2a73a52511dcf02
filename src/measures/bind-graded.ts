import { chosen, creditsEach, cutOf, numberOf, relevantOf, textOf, unbound } from './bound.ts';
import { dcg } from './dcg.ts';
import * as discounts from './discount.ts';
import { err } from './err.ts';
import type { Measure } from './family.ts';
import * as gains from './gain.ts';
import { allIdeal, allWorst, type OrderDcg, perfectIdeal, shownIdeal, shownWorst } from './ideal.ts';
import { minmaxNdcg, ndcg } from './ndcg.ts';
import { binaryRbp, normalisedRbp, scaledRbp } from './rbp.ts';
import { type Counted, meanStep, type Step, weightedStep } from './step.ts';
import type { Views } from './views.ts';

/** Measures of how high the grades are. */
export function bindGraded(measure: Measure, views: Views): Step {
  const k = cutOf(measure);
  const each = creditsEach(measure);
  const action = textOf(measure, 'action');
  const graded = views.graded(action, each);
  const relevant = relevantOf(measure, views);
  const isAll = measure.params.get('ideal') === 'all';
  // n+ of what counts every grade: the lists with an ideal gain above 0.
  const gained = isAll ? views.known(action) : graded;
  const overLists = (value: Parameters<typeof meanStep>[0], counted: Counted): Step =>
    measure.params.get('avg') === 'weighted' ? weightedStep(value, relevant) : meanStep(value, counted);

  switch (measure.name) {
    case 'dcg':
    case 'ndcg': {
      const gain = gainOf(measure);
      const discount = chosen(measure, 'discount', discounts);
      const gaining = measure.params.get('gain') === 'binary' ? relevant : gained;
      if (measure.name === 'dcg') return overLists(() => dcg(graded, k, gain, discount), gaining);
      const [ideal, worst] = ordersOf(measure, views, k, gain, discount);
      if (measure.params.get('norm') !== 'minmax') {
        return overLists((list) => ndcg(dcg(graded, k, gain, discount), ideal(list)), gaining);
      }
      return overLists((list) => minmaxNdcg(dcg(graded, k, gain, discount), ideal(list), worst(list), !isAll), gaining);
    }
    case 'rbp': {
      const p = numberOf(measure, 'p');
      const isScaled = measure.params.get('gain') === 'scaled';
      const { shown, best } = isScaled
        ? scaledRbp(graded, k, p, numberOf(measure, 'gmax'))
        : binaryRbp(views.positives(action, each, numberOf(measure, 'rel')), k, p);
      const gaining = isScaled ? gained : relevant;
      if (measure.params.get('norm') !== 'max') return overLists(shown, gaining);
      return overLists((list) => normalisedRbp(shown(), best(list)), gaining);
    }
    case 'err': {
      const gmax = numberOf(measure, 'gmax');
      return overLists(() => err(graded, k, gmax), gained);
    }
    default:
      throw unbound(measure);
  }
}

/** The best order and the worst. */
function ordersOf(
  measure: Measure,
  views: Views,
  k: number,
  gain: gains.Gain,
  discount: discounts.Discount,
): readonly [best: OrderDcg, worst: OrderDcg] {
  const action = textOf(measure, 'action');
  const graded = views.graded(action, creditsEach(measure));
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

function gainOf(measure: Measure): gains.Gain {
  const { linear, exp } = gains;
  return chosen(measure, 'gain', { linear, exp, binary: gains.binary(numberOf(measure, 'rel')) });
}
