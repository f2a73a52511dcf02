/**
 * The hot path: scores one joined list by every configured measure, without allocation, in one pass over its feedback
 * per view and one over its positives per measure.
 *
 * Measured (Node 20, one busy core): mrr, precision@5, precision@10, ndcg@10, recall@10, ap@10 and hit@10 of a list of
 * 20 slots with 0 to 5 clicks take 0.21 us, of which 0.08 us are the shared views. The plain version that it is held
 * against is in the tests.
 */
import type { Joined } from '../events.ts';
import { nearest } from '../spelling.ts';
import { actionsOf, bind, cutOf } from './bind.ts';
import type { Grading, Scorer } from './contract.ts';
import type { Measure } from './family.ts';
import { rankOf } from './places.ts';
import { MeasureError } from './scan.ts';
import { leaveOut, type Step } from './step.ts';
import { sumsKind } from './value.ts';
import { Views } from './views.ts';

interface Compiled {
  readonly step: Step;
  readonly k: number;
  readonly leastLength: number;
}

/**
 * Compiles measures for one configuration. `Scorer.actions` is the order of indices in `Joined.action`: the actions of
 * the grading, then those that only measures name.
 * @throws MeasureError for a measure that is not offered, or that counts only feedback of an action without a grade.
 */
export function compile(measures: readonly Measure[], grading: Grading): Scorer {
  for (const measure of measures) mustHaveGrade(measure, grading);
  const views = new Views(grading, measures.flatMap(actionsOf));
  const positives = views.positives(undefined, false, grading.relevantFrom);
  const compiled = measures.map((measure): Compiled => {
    const { params } = measure;
    return {
      step: bind(measure, views),
      k: cutOf(measure),
      leastLength: Number(params.get('min_list_length') ?? 1),
    };
  });

  function score(list: Joined, out: Float64Array): boolean {
    if (list.length === 0) {
      for (let m = 0; m < compiled.length; m++) leaveOut(out, 3 * m);
      return false;
    }
    views.load(list);
    const top = rankOf(list, 0);
    for (let m = 0; m < compiled.length; m++) {
      const { step, k, leastLength } = compiled[m];
      if (top > k || list.length < leastLength) {
        leaveOut(out, 3 * m);
      } else {
        step(list, out, 3 * m);
      }
    }
    return positives.count > 0;
  }

  return {
    names: measures.map(({ canonical }) => canonical),
    kinds: measures.map(sumsKind),
    actions: views.actions,
    score,
  };
}

function mustHaveGrade({ name, params, canonical }: Measure, grading: Grading): void {
  const action = params.get('action');
  if (typeof action !== 'string' || name === 'rate') return;
  const names = grading.actions.map((known) => known.name);
  if (names.includes(action)) return;
  const near = nearest(action, names);
  const hint = near === undefined ? '' : `; did you mean "${near}"?`;
  throw new MeasureError(`"${canonical}": the action "${action}" has no grade, so it never makes a positive${hint}`);
}
