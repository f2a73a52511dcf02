/**
 * The hot path: scores one joined list by every configured measure, without allocation, in one pass over its feedback
 * per view and one over its positives per measure.
 *
 * Measured (Node 20, one busy core): mrr, precision@5, precision@10, ndcg@10, recall@10, ap@10 and hit@10 of a list of
 * 20 slots with 0 to 5 clicks take 0.21 us, of which 0.08 us are the shared views. The plain version that it is compared
 * with is in the tests.
 */
import type { Joined } from '../vocabulary/events.ts';
import { nearest } from '../vocabulary/spelling.ts';
import { cutOf } from './bound.ts';
import type { Binding, Measure } from './definition.ts';
import { offered } from './grammar/measure-name.ts';
import { MeasureError } from './grammar/scan.ts';
import { type ItemCatalogue, NO_CATALOGUE } from './item-catalogue.ts';
import { actionsOf, catalogueProblem, needsGrade, needsOf } from './needs.ts';
import { Patterns } from './patterns.ts';
import { rankOf } from './places.ts';
import type { Grading, Scorer } from './scorer-contract.ts';
import { emptyAsZero, leaveOut, type Step } from './step.ts';
import { SCORE_WIDTH } from './sums.ts';
import { sumsKind } from './value.ts';
import { Views } from './views.ts';

interface Compiled {
  readonly step: Step;
  readonly k: number;
  /** The least length of a list that has a value; BEYOND_END: any list has one. */
  readonly leastLength: number;
}

/** The length of an empty page behind the first. It is not a list that found nothing, so it is shorter than any. */
const BEYOND_END = -1;

/**
 * Compiles measures for one configuration. `Scorer.actions` is the order of indices in `Joined.action`: the actions of the grading, then
 * those that only measures name.
 *
 * What a command offers is checked where its measures are read (`offered`).
 * @param catalogue for measures of the list alone
 * @throws MeasureError for a measure that no command offers, that counts only feedback of an action without a grade, or that the
 * catalogue does not fit
 */
export function compile(
  measures: readonly Measure[],
  grading: Grading,
  catalogue: ItemCatalogue = NO_CATALOGUE,
): Scorer {
  for (const measure of measures) {
    const reason = offered(measure, 'score');
    if (reason !== undefined) throw new MeasureError(`"${measure.canonical}": ${reason}`);
    mustHaveGrade(measure, grading);
  }
  const views = new Views(grading, measures.flatMap(actionsOf));
  const positives = views.usual();
  const compiled = measures.map((measure): Compiled => {
    const { params } = measure;
    return {
      step: bind(measure, { views, catalogue }),
      k: cutOf(measure),
      leastLength: measure.definition.takesEmptyLists ? BEYOND_END : Number(params.get('min_list_length') ?? 1),
    };
  });
  const needs = needsOf(measures);

  function score(list: Joined, out: Float64Array): boolean {
    views.load(list);
    const top = list.length === 0 ? 0 : rankOf(list, 0);
    const length = list.length === 0 && list.pageOffset > 0 ? BEYOND_END : list.length;
    for (let m = 0; m < compiled.length; m++) {
      const { step, k, leastLength } = compiled[m];
      if (top > k || length < leastLength) {
        leaveOut(out, SCORE_WIDTH * m);
      } else {
        step(list, out, SCORE_WIDTH * m);
      }
    }
    return positives.count > 0;
  }

  return {
    names: measures.map(({ canonical }) => canonical),
    kinds: measures.map(sumsKind),
    actions: views.actions,
    needs,
    catalogue,
    positives,
    score,
    // A pattern does not encode scores, items or categories.
    patterns: needs.scores || needs.items || needs.categories ? undefined : new Patterns(views.reading),
  };
}

/**
 * Binds one measure. A measure of items has no value for a list: rows add the items up (item-part.ts).
 * @throws MeasureError if the catalogue is missing or contradicts the measure
 */
function bind(measure: Measure, from: Binding): Step {
  const problem = catalogueProblem(measure, from.catalogue);
  if (problem !== undefined) throw new MeasureError(`"${measure.canonical}": ${problem}`);
  const { definition, params } = measure;
  if (definition.kind === 'items') return (_, out, at) => leaveOut(out, at);
  const step = definition.bind(measure, from);
  return params.get('empty') === 'one' ? emptyAsZero(step) : step;
}

/** Rates count any action, and ratings are values, not grades; any other measure of an action without a grade is always 0. */
function mustHaveGrade(measure: Measure, grading: Grading): void {
  const { params, canonical } = measure;
  const action = params.get('action');
  if (typeof action !== 'string' || !needsGrade(measure)) return;
  const names = grading.actions.map((known) => known.name);
  if (names.includes(action)) return;
  const near = nearest(action, names);
  const hint = near === undefined ? '' : `; did you mean "${near}"?`;
  throw new MeasureError(`"${canonical}": the action "${action}" has no grade, so it never makes a positive${hint}`);
}
