import type { Joined } from '../vocabulary/events.ts';
import { creditOf, type Examined, examinedOf, numberOf, overLists, scoresOfBy, textOf } from './bound.ts';
import { BINARY, type MeasureDefinition } from './definition.ts';
import { examined, graded, judged, word } from './grammar/parameters.ts';
import { byWords } from './grammar/phrases.ts';
import { lastRank, type Places, placesUpTo, rankOf } from './places.ts';

/**
 * Area under the ROC curve of one list: the share of pairs of a positive and another examined slot in which the positive
 * comes first, or (`by=score`) has the larger predicted score; ties count half; Mann and Whitney 1947. NaN, so the list is
 * left out, if it has no positive or no other slot. Like scikit-learn roc_auc_score and ml_metrics auc with `by=score`;
 * with `avg=weighted` the grouped AUC (GAUC).
 *
 * Example: grades 1 0 1 1 0 1 0 0 give 12/16 = 0.75. Grades 1 0 1 0 0 give 5/6, with `examined=last_positive` 1/2.
 */
function aucByRank(list: Joined, positives: Places, examined: Examined): number {
  const { count, ranks } = positives;
  const others = examined(list, 1, lastRank(list)) - count;
  if (count === 0 || others <= 0) return Number.NaN;
  let wrong = 0;
  for (let i = 0; i < count; i++) wrong += examined(list, 1, ranks[i]) - placesUpTo(positives, ranks[i]);
  return 1 - wrong / (count * others);
}

/**
 * AUC by predicted score; slots without a score are ignored. Compares every positive with every other slot, without allocation, since
 * lists have few positives.
 */
class AucByScore {
  #goods = new Float64Array(32);
  #others = new Float64Array(32);

  of(list: Joined, positives: Places, examined: Examined): number {
    const { scores } = list;
    if (scores === undefined || positives.count === 0) return Number.NaN;
    this.#reserve(list.length);
    const goods = this.#goods;
    const others = this.#others;
    let g = 0;
    let o = 0;
    let place = 0;
    for (let s = 0; s < list.length; s++) {
      const rank = rankOf(list, s);
      const isPositive = place < positives.count && positives.ranks[place] === rank;
      if (isPositive) place++;
      if (Number.isNaN(scores[s])) continue;
      if (isPositive) goods[g++] = scores[s];
      else if (examined(list, rank, rank) > 0) others[o++] = scores[s];
    }
    if (g === 0 || o === 0) return Number.NaN;
    let right = 0;
    for (let i = 0; i < g; i++) {
      for (let j = 0; j < o; j++) right += goods[i] > others[j] ? 1 : goods[i] === others[j] ? 0.5 : 0;
    }
    return right / (g * o);
  }

  #reserve(length: number): void {
    if (length <= this.#goods.length) return;
    this.#goods = new Float64Array(2 * length);
    this.#others = new Float64Array(2 * length);
  }
}

export const AUC: MeasureDefinition = {
  name: 'auc',
  kind: 'grades',
  takesCut: false,
  params: { ...graded, avg: judged.avg, per: judged.per, by: word('rank', 'score'), examined },
  better: 'higher',
  range: [0, 1],
  dependsOnOrder: ({ params }) => params.get('by') === 'rank',
  needs: scoresOfBy,
  leavesListsOut: true,
  bind: (measure, { views }) => {
    const positives = views.positives(textOf(measure, 'action'), creditOf(measure), numberOf(measure, 'rel'));
    const examinedSlots = examinedOf(measure, views, positives);
    const byScore = new AucByScore();
    const value =
      measure.params.get('by') === 'score'
        ? (list: Joined) => byScore.of(list, positives, examinedSlots)
        : (list: Joined) => aucByRank(list, positives, examinedSlots);
    // A list with a value has a positive, so n+ is n.
    return overLists(measure, value, positives, positives);
  },
  describe: (measure) =>
    `Area under the ROC curve: share of pairs of a positive and another slot in the right order by ${byWords(measure)}`,
  docs: {
    value:
      'share of pairs of a positive and another slot in the right order, ties half. One class only: left out. Takes no `@k`',
    parameters: '`by`: `rank`, `score` (slots without a predicted score take no part); `examined`',
  },
  examples: [
    {
      of: 'auc',
      list: BINARY,
      value: 0.75,
      agrees: 'scikit-learn roc_auc_score and ml_metrics auc with `by=score`; with `avg=weighted` GAUC',
    },
  ],
};
