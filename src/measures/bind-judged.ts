import type { Joined } from '../vocabulary/events.ts';
import * as averagePrecision from './ap.ts';
import { AucByScore, aucByRank } from './auc.ts';
import { chosen, creditsEach, cutOf, examinedOf, numberOf, relevantOf, textOf, unbound } from './bound.ts';
import { f1, f1Above, f1Below } from './f1.ts';
import type { Measure } from './family.ts';
import { hit } from './hit.ts';
import { mrr } from './mrr.ts';
import { type Places, placesUpTo, slotsUpTo } from './places.ts';
import * as precisions from './precision.ts';
import { recall, recallBase } from './recall.ts';
import { rprec } from './rprec.ts';
import { type Counted, classesStep, fractionStep, meanStep, meansStep, type Step, weightedStep } from './step.ts';
import type { Views } from './views.ts';

/** Measures of where the positives stand. */
export function bindJudged(measure: Measure, views: Views): Step {
  const { params } = measure;
  const k = cutOf(measure);
  const positives = views.positives(textOf(measure, 'action'), creditsEach(measure), numberOf(measure, 'rel'));
  if (measure.name === 'auc') return bindAuc(measure, views, positives);

  const relevant = relevantOf(measure, views);
  const hits = () => placesUpTo(positives, k);
  const overLists = (value: (list: Joined) => number): Step =>
    params.get('avg') === 'weighted' ? weightedStep(value, relevant) : meanStep(value, relevant);
  const micro = params.get('avg') === 'micro';
  if (params.get('per') === 'class') {
    return classesStep({ hits, taken: (list) => slotsUpTo(list, k), relevant: positives });
  }

  switch (measure.name) {
    case 'mrr':
      return overLists(() => mrr(positives, k));
    case 'hit':
      return overLists(() => hit(positives, k));
    case 'precision': {
      const base = precisionBaseOf(measure, views, positives, relevant);
      if (micro) return fractionStep(hits, (list) => base(list, k), relevant);
      return overLists((list) => precisions.precision(hits(), base(list, k)));
    }
    case 'recall': {
      const capped = params.get('denom') === 'capped';
      if (micro) return fractionStep(hits, () => recallBase(relevant, k, capped), relevant);
      return overLists(() => recall(hits(), recallBase(relevant, k, capped)));
    }
    case 'f1': {
      const base = precisionBaseOf(measure, views, positives, relevant);
      const beta = numberOf(measure, 'beta');
      if (params.get('of') === 'means') {
        return meansStep(
          (list) => precisions.precision(hits(), base(list, k)),
          () => recall(hits(), relevant.count),
          relevant,
        );
      }
      if (micro) {
        return fractionStep(
          () => f1Above(hits(), beta),
          (list) => f1Below(base(list, k), relevant.count, beta),
          relevant,
        );
      }
      return overLists((list) => f1(hits(), base(list, k), relevant.count, beta));
    }
    case 'ap': {
      const { relevantBase, cappedBase, listCappedBase, hitsBase, cutBase } = averagePrecision;
      const base = chosen(measure, 'denom', {
        relevant: relevantBase(relevant),
        capped: cappedBase(relevant),
        list_capped: listCappedBase(relevant),
        hits: hitsBase(positives),
        k: cutBase,
      });
      return overLists((list) => averagePrecision.ap(positives, k, base(list, k)));
    }
    case 'rprec':
      return overLists(() => rprec(positives, relevant));
    default:
      throw unbound(measure);
  }
}

/** A list with a value has a positive, so n+ is n. */
function bindAuc(measure: Measure, views: Views, positives: Places): Step {
  const examined = examinedOf(measure, views, positives);
  const byScore = new AucByScore();
  const value =
    measure.params.get('by') === 'score'
      ? (list: Joined) => byScore.of(list, positives, examined)
      : (list: Joined) => aucByRank(list, positives, examined);
  return measure.params.get('avg') === 'weighted' ? weightedStep(value, positives) : meanStep(value, positives);
}

function precisionBaseOf(
  measure: Measure,
  views: Views,
  positives: Places,
  relevant: Counted,
): precisions.PrecisionBase {
  if (measure.params.get('examined') !== 'all') {
    return precisions.examinedBase(examinedOf(measure, views, positives));
  }
  const { cutBase, listBase, cappedBase } = precisions;
  return chosen(measure, 'denom', { k: cutBase, list: listBase, capped: cappedBase(relevant) });
}
