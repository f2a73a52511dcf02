import type { Joined } from '../events.ts';
import * as averagePrecision from './ap.ts';
import { dcg } from './dcg.ts';
import * as discounts from './discount.ts';
import { allSlots, downTo, type Examined, viewport } from './examined.ts';
import { f1, f1Above, f1Below } from './f1.ts';
import type { Measure } from './family.ts';
import * as gains from './gain.ts';
import { hit } from './hit.ts';
import { mrr } from './mrr.ts';
import { minmaxNdcg, ndcg } from './ndcg.ts';
import { offered } from './offered.ts';
import { type Places, placesUpTo } from './places.ts';
import * as precisions from './precision.ts';
import { rate } from './rate.ts';
import { recall, recallBase } from './recall.ts';
import { rprec } from './rprec.ts';
import { MeasureError } from './scan.ts';
import { fractionStep, meanStep, type Step, weightedStep } from './step.ts';
import type { Views } from './views.ts';

/** Ties one measure to the views that it needs. The step may assume a list with a slot of rank <= k. */
export function bind(measure: Measure, views: Views): Step {
  const reason = offered(measure);
  if (reason !== undefined) throw new MeasureError(`"${measure.canonical}": ${reason}`);
  if (measure.name === 'ctr' || measure.name === 'rate') return bindRate(measure, views);

  const { params } = measure;
  const k = cutOf(measure);
  const each = params.get('dup') === 'each';
  const action = textOf(measure, 'action');
  const positives = views.positives(action, each, numberOf(measure, 'rel'));
  const overLists = (value: (list: Joined) => number, places: Places = positives): Step =>
    params.get('avg') === 'weighted' ? weightedStep(value, positives) : meanStep(value, places);
  const micro = params.get('avg') === 'micro';

  switch (measure.name) {
    case 'mrr':
      return overLists(() => mrr(positives, k));
    case 'hit':
      return overLists(() => hit(positives, k));
    case 'precision': {
      const base = precisionBaseOf(measure, views, positives);
      const hits = () => placesUpTo(positives, k);
      if (micro) return fractionStep(hits, (list) => base(list, positives, k), positives);
      return overLists((list) => precisions.precision(hits(), base(list, positives, k)));
    }
    case 'recall': {
      const capped = params.get('denom') === 'capped';
      const hits = () => placesUpTo(positives, k);
      if (micro) return fractionStep(hits, () => recallBase(positives, k, capped), positives);
      return overLists(() => recall(hits(), recallBase(positives, k, capped)));
    }
    case 'f1': {
      const base = precisionBaseOf(measure, views, positives);
      const beta = numberOf(measure, 'beta');
      const above = () => f1Above(placesUpTo(positives, k), beta);
      const below = (list: Joined) => f1Below(base(list, positives, k), positives.count, beta);
      if (micro) return fractionStep(above, below, positives);
      return overLists((list) => f1(placesUpTo(positives, k), base(list, positives, k), positives.count, beta));
    }
    case 'ap': {
      const base = apBaseOf(measure);
      return overLists((list) => averagePrecision.ap(positives, k, base(list, positives, k)));
    }
    case 'rprec':
      return overLists(() => rprec(positives));
    case 'dcg':
    case 'ndcg': {
      const graded = views.graded(action, each);
      const gain = gainOf(measure);
      const discount = discountOf(measure);
      // n+ counts the lists with an ideal gain above 0.
      const gaining = params.get('gain') === 'binary' ? positives : graded;
      if (measure.name === 'dcg') return overLists(() => dcg(graded, k, gain, discount), gaining);
      const one = params.get('norm') === 'minmax' ? minmaxNdcg : ndcg;
      return overLists((list) => one(list, graded, k, gain, discount), gaining);
    }
    default:
      throw unbound(measure);
  }
}

/** The measure's cut-off; without one every rank counts. */
export function cutOf(measure: Measure): number {
  return measure.k ?? Number.POSITIVE_INFINITY;
}

function bindRate(measure: Measure, views: Views): Step {
  const each = measure.params.get('dup') === 'each';
  const acted = views.acted(actionOfRate(measure), each);
  const slot = measure.params.get('slot');
  const [from, to] = typeof slot === 'number' ? [slot, slot] : [1, cutOf(measure)];
  const { above, below } = rate(acted, examinedOf(measure, views, acted), from, to);
  if (measure.params.get('avg') === 'micro') return fractionStep(above, below, acted);
  return meanStep((list) => above() / below(list), acted);
}

/** Actions that the measure names, or needs. */
export function actionsOf(measure: Measure): readonly string[] {
  const named = measure.name === 'ctr' ? ['click'] : [textOf(measure, 'action') ?? []].flat();
  return measure.params.get('examined') === 'viewport' ? [...named, 'view'] : named;
}

function actionOfRate(measure: Measure): string {
  return textOf(measure, 'action') ?? 'click';
}

function examinedOf(measure: Measure, views: Views, positives: Places): Examined {
  switch (measure.params.get('examined')) {
    case 'all':
      return allSlots;
    case 'last_positive':
      return downTo(positives);
    case 'viewport':
      return viewport(views.acted('view', measure.params.get('dup') === 'each'), positives);
    default:
      throw unbound(measure);
  }
}

function precisionBaseOf(measure: Measure, views: Views, positives: Places): precisions.PrecisionBase {
  if (measure.params.get('examined') !== 'all') {
    return precisions.examinedBase(examinedOf(measure, views, positives));
  }
  switch (measure.params.get('denom')) {
    case 'k':
      return precisions.cutBase;
    case 'list':
      return precisions.listBase;
    case 'capped':
      return precisions.cappedBase;
    default:
      throw unbound(measure);
  }
}

function apBaseOf(measure: Measure): averagePrecision.ApBase {
  switch (measure.params.get('denom')) {
    case 'relevant':
      return averagePrecision.relevantBase;
    case 'capped':
      return averagePrecision.cappedBase;
    case 'list_capped':
      return averagePrecision.listCappedBase;
    case 'hits':
      return averagePrecision.hitsBase;
    case 'k':
      return averagePrecision.cutBase;
    default:
      throw unbound(measure);
  }
}

function gainOf(measure: Measure): gains.Gain {
  switch (measure.params.get('gain')) {
    case 'linear':
      return gains.linear;
    case 'exp':
      return gains.exp;
    case 'binary':
      return gains.binary(numberOf(measure, 'rel'));
    default:
      throw unbound(measure);
  }
}

function discountOf(measure: Measure): discounts.Discount {
  switch (measure.params.get('discount')) {
    case 'log2':
      return discounts.log2;
    case 'clipped':
      return discounts.clipped;
    case 'ln':
      return discounts.ln;
    case 'none':
      return discounts.none;
    default:
      throw unbound(measure);
  }
}

function textOf(measure: Measure, key: string): string | undefined {
  const value = measure.params.get(key);
  return typeof value === 'string' ? value : undefined;
}

function numberOf(measure: Measure, key: string): number {
  const value = measure.params.get(key);
  if (typeof value !== 'number') throw unbound(measure);
  return value;
}

function unbound(measure: Measure): Error {
  return new Error(`no scoring for ${measure.canonical}`);
}
