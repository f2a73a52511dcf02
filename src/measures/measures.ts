/**
 * Ranking measures by name, for plain lists: `receval/measures`.
 *
 * @example
 * const ndcg = measure('ndcg@10');
 * ndcg.score({ grades: [3, 2, 3, 0, 1, 2] }); // 0.9608081943360617
 * ndcg.mean([{ grades: [1, 0] }, { grades: [0, 1] }]); // 0.8154648767857288
 * measure(' NDCG( gain=exp )@10').name; // 'ndcg(gain=exp)@10'
 */
import { LARGEST_VALUE } from '../vocabulary/events.ts';
import type { Measure } from './definition.ts';
import { gradeLimit } from './gain.ts';
import { describe } from './grammar/describe.ts';
import { offered, parseMeasure } from './grammar/measure-name.ts';
import { MeasureError } from './grammar/scan.ts';
import { type ItemCatalogue, NO_CATALOGUE } from './item-catalogue.ts';
import { itemPartOf } from './item-part.ts';
import { described, type PlainList, plainJoined } from './plain.ts';
import { PlainItems, PlainSums } from './plain-sums.ts';
import { compile } from './scorer.ts';
import type { Grading } from './scorer-contract.ts';
import { LEFT_OUT, SCORE_WIDTH } from './sums.ts';

export interface MeasureOptions {
  /** Lowest grade of a positive if the name has no `rel`. Default 1. */
  readonly relevantFrom?: number;
  /** For measures that need the popularity or the category of items. Default: no items. */
  readonly catalogue?: ItemCatalogue;
}

/** One measure of ranked lists. Values are doubles, not rounded; their range is the measure's (mostly 0 to 1). */
export interface RankingMeasure {
  /** The canonical name: equal measures have equal names, and the name says every choice that is not the default. */
  readonly name: string;
  /** The convention in one sentence. */
  readonly description: string;
  /**
   * The value of one list. undefined: the measure leaves the list out (no slot of rank <= k, shorter than
   * `min_list_length`, an empty page, without positives under `empty=skip`, without a pair of score and rating, ...).
   * @throws RangeError if the list is malformed.
   */
  score(list: PlainList): number | undefined;
  /**
   * The mean over lists by the measure's averaging; lists that are left out do not count, nor does a list without `user`
   * in a mean over users. distinct, coverage, gini and entropy have one value for all lists together. undefined: no list counts.
   * @throws RangeError if a list is malformed.
   */
  mean(lists: Iterable<PlainList>): number | undefined;
}

/**
 * The measure of this name, such as `mrr`, `precision@5` or `ndcg(gain=exp)@10`. The convention, the source (trec_eval
 * file, paper or library) and a worked example of each are at the top of its own file.
 *
 * Plain lists say what is relevant, not what was done: for `ctr`, `rate` and `action=...` a slot with a grade above 0
 * counts as a slot with that action, and its grade is the value of the feedback.
 *
 * @throws MeasureError (an Error with this name) if the name is wrong or not offered; the message says what is right.
 */
export function measure(
  name: string,
  { relevantFrom = 1, catalogue = NO_CATALOGUE }: MeasureOptions = {},
): RankingMeasure {
  if (typeof name !== 'string') {
    throw new MeasureError(`name a measure, such as measure('ndcg@10'); got ${described(name)}`);
  }
  const parsed = parseMeasure(name, { relevantFrom });
  if (parsed.params.get('examined') === 'viewport') {
    throw new MeasureError(`"${name.trim()}": examined=viewport needs view events, which plain lists do not have`);
  }
  const reason = offered(parsed, 'lists');
  if (reason !== undefined) throw new MeasureError(`"${name.trim()}": ${reason}`);
  const scorer = compile([parsed], gradingFor(parsed, relevantFrom), catalogue);
  const limit = gradeLimit([parsed]);
  const part = itemPartOf(parsed);
  const out = new Float64Array(SCORE_WIDTH);
  const per = parsed.params.get('per');

  function mean(lists: Iterable<PlainList>): number | undefined {
    mustBeLists(lists);
    if (part !== undefined) {
      const items = new PlainItems(parsed, part, catalogue);
      for (const list of lists) items.add(plainJoined(list, limit));
      return items.value();
    }
    const total = new PlainSums(parsed);
    for (const list of lists) {
      scorer.score(plainJoined(list, limit), out);
      if (out[0] !== LEFT_OUT) total.add(out, per === 'session' ? list.session : list.user);
    }
    return total.value();
  }

  /** The list with an empty user and session if it has none: the mean of a user with one list is the list's value. */
  const own = (list: PlainList): PlainList =>
    isObject(list) ? { ...list, user: list.user ?? '', session: list.session ?? '' } : list;
  return { name: parsed.canonical, description: describe(parsed), score: (list) => mean([own(list)]), mean };
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function mustBeLists(lists: unknown): void {
  if (typeof lists === 'object' && lists !== null && Symbol.iterator in lists) return;
  throw new RangeError(
    `mean takes several lists, such as [{ grades: [1, 0] }, { grades: [0, 1] }]; got ${described(lists)}. The value of one list is score(list)`,
  );
}

/** A grading with a single action, the measure's own, whose value is the grade. */
function gradingFor(measure: Measure, relevantFrom: number): Grading {
  const action = measure.params.get('action');
  const name = typeof action === 'string' ? action : 'click';
  return {
    actions: [{ name, rule: { from: 'value', grade: 0, rule: 'max', max: LARGEST_VALUE, veto: false } }],
    relevantFrom,
  };
}
