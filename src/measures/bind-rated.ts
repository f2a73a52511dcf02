import { signedErrors } from './bias.ts';
import { chosen, creditsEach, textOf, unbound } from './bound.ts';
import type { Measure } from './family.ts';
import { kendall, tauA, tauB, tauC } from './kendall.ts';
import { absoluteErrors } from './mae.ts';
import type { Pairs } from './rated.ts';
import { squaredErrors } from './rmse.ts';
import { spearman } from './spearman.ts';
import { meanStep, pairMeansStep, pairsStep, type Step } from './step.ts';
import type { Views } from './views.ts';

/** Measures of predicted score against rating. Positives play no part, so n+ is that of `relevantFrom`. */
export function bindRated(measure: Measure, views: Views): Step {
  const by = textOf(measure, 'by') === 'rank' ? 'rank' : 'score';
  const pairs = views.pairs(textOf(measure, 'action') ?? 'rating', creditsEach(measure), by);
  const usual = views.usual();
  const overLists = (value: () => number): Step => {
    if (measure.params.get('per') === 'impression') return pairMeansStep(value, pairs, usual);
    return meanStep(() => (pairs.count === 0 ? Number.NaN : value()), usual);
  };
  const errors = (sum: (pairs: Pairs) => number, ofMean: (mean: number) => number = (mean) => mean): Step => {
    if (measure.params.get('avg') === 'micro') return pairsStep(() => sum(pairs), pairs, usual);
    return overLists(() => ofMean(sum(pairs) / pairs.count));
  };

  switch (measure.name) {
    case 'mae':
      return errors(absoluteErrors);
    case 'rmse':
      return errors(squaredErrors, Math.sqrt);
    case 'bias':
      return errors(signedErrors);
    case 'spearman':
      return overLists(() => spearman(pairs));
    case 'kendall': {
      const tau = kendall(chosen(measure, 'tau', { b: tauB, a: tauA, c: tauC }));
      return overLists(() => tau(pairs));
    }
    default:
      throw unbound(measure);
  }
}
