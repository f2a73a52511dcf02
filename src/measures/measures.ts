/**
 * Ranking measures by name, for lists at hand: `receval/measures`.
 *
 * @example
 * const ndcg = measure('ndcg@10');
 * ndcg.score({ grades: [3, 2, 3, 0, 1, 2] }); // 0.9608081943360617
 * ndcg.mean([{ grades: [1, 0] }, { grades: [0, 1] }]); // 0.8154648767857288
 * measure(' NDCG( gain=exp )@10').name; // 'ndcg(gain=exp)@10'
 */
import { type Grading, LEFT_OUT, WITH_POSITIVE } from './contract.ts';
import { describe } from './describe.ts';
import type { Measure } from './family.ts';
import { parseMeasure } from './name.ts';
import { type PlainList, plainJoined } from './plain.ts';
import { MeasureError } from './scan.ts';
import { compile } from './scorer.ts';
import { fractionOf, meanOf } from './value.ts';

export interface MeasureOptions {
  /** Lowest grade that is a positive where the name has no `rel`. Default 1. */
  readonly relevantFrom?: number;
}

/** One measure of ranked lists. Values are doubles, not rounded; their range is the measure's (0 to 1, but dcg). */
export interface RankingMeasure {
  /** The canonical name: equal measures have equal names, and the name says every choice that is not the default. */
  readonly name: string;
  /** The convention in one sentence. */
  readonly description: string;
  /**
   * The value of one list. undefined: the measure leaves the list out (no slot of rank <= k, no slots at all, shorter
   * than `min_list_length`, or without positives under `empty=skip`).
   * @throws RangeError if the list is malformed.
   */
  score(list: PlainList): number | undefined;
  /**
   * The mean over lists by the measure's averaging; lists that are left out do not count. undefined: none counts.
   * @throws RangeError if a list is malformed.
   */
  mean(lists: Iterable<PlainList>): number | undefined;
}

/**
 * The measure of this name, such as `mrr`, `precision@5` or `ndcg(gain=exp)@10`. The convention, the source (trec_eval
 * file, paper or library) and a worked example of each stand at the top of its own file.
 *
 * Plain lists say what is relevant, not what was done: for `ctr`, `rate` and `action=...` a slot with a grade above 0
 * counts as a slot with that action.
 *
 * @throws MeasureError (an Error of this name) if the name is wrong or not offered; the message says what is right.
 */
export function measure(name: string, { relevantFrom = 1 }: MeasureOptions = {}): RankingMeasure {
  const parsed = parseMeasure(name, { relevantFrom });
  if (parsed.params.get('examined') === 'viewport') {
    throw new MeasureError(`"${name.trim()}": examined=viewport needs view events, which plain lists do not have`);
  }
  const scorer = compile([parsed], gradingFor(parsed, relevantFrom));
  const out = new Float64Array(3);

  function mean(lists: Iterable<PlainList>): number | undefined {
    let n = 0;
    let positive = 0;
    let sum = 0;
    let below = 0;
    for (const list of lists) {
      scorer.score(plainJoined(list), out);
      if (out[0] === LEFT_OUT) continue;
      n++;
      if (out[0] === WITH_POSITIVE) positive++;
      sum += out[1];
      below += out[2];
    }
    return scorer.kinds[0] === 'fraction' ? fractionOf(sum, below) : meanOf(parsed, n, positive, sum);
  }

  return { name: parsed.canonical, description: describe(parsed), score: (list) => mean([list]), mean };
}

/** One action, the one that the measure asks for, whose value is the grade. */
function gradingFor(measure: Measure, relevantFrom: number): Grading {
  const action = measure.params.get('action');
  const name = typeof action === 'string' ? action : 'click';
  return {
    actions: [{ name, rule: { from: 'value', grade: 0, rule: 'max', max: 30, veto: false } }],
    relevantFrom,
  };
}
