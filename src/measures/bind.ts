import { bindGraded } from './bind-graded.ts';
import { bindJudged } from './bind-judged.ts';
import { bindRate } from './bind-rate.ts';
import { bindRated } from './bind-rated.ts';
import { textOf, unbound } from './bound.ts';
import type { Measure } from './family.ts';
import type { Step } from './step.ts';
import type { Views } from './views.ts';

/** Ties one measure to the views that it needs. The step may assume a list with a slot of rank <= k. */
export function bind(measure: Measure, views: Views): Step {
  switch (measure.name) {
    case 'mrr':
    case 'hit':
    case 'precision':
    case 'recall':
    case 'f1':
    case 'ap':
    case 'rprec':
    case 'auc':
      return bindJudged(measure, views);
    case 'dcg':
    case 'ndcg':
    case 'rbp':
    case 'err':
      return bindGraded(measure, views);
    case 'ctr':
    case 'rate':
      return bindRate(measure, views);
    case 'mae':
    case 'rmse':
    case 'bias':
    case 'spearman':
    case 'kendall':
      return bindRated(measure, views);
    default:
      throw unbound(measure);
  }
}

/** Actions that the measure names, or needs. */
export function actionsOf(measure: Measure): readonly string[] {
  const named = measure.name === 'ctr' ? ['click'] : [textOf(measure, 'action') ?? []].flat();
  return measure.params.get('examined') === 'viewport' ? [...named, 'view'] : named;
}

/** Whether the measure reads predicted scores. */
export function needsScores({ name, params }: Measure): boolean {
  return name === 'mae' || name === 'rmse' || name === 'bias' || params.get('by') === 'score';
}
