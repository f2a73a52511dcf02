import { DCG, discountOf, gainOf } from '../measures/dcg.ts';
import type { Measure } from '../measures/definition.ts';
import type { Discount, Gain } from '../measures/gain.ts';
import { minmaxNdcg, NDCG, ndcg } from '../measures/ndcg.ts';
import { LEFT_OUT, OUT, SCORE_WIDTH } from '../measures/sums.ts';
import type { Joined } from '../vocabulary/events.ts';

/**
 * dcg and ndcg as their mean over all orders of items with equal scores. DCG is a sum over ranks, and in a group of tied
 * items each is at each of the group's ranks equally often, so the mean is exact without enumerating orders:
 *
 *     E[DCG] = sum over groups of (mean gain of the group) x (sum of 1 / disc(r) over its ranks r <= k)
 *
 * The ideal does not depend on the order. McSherry and Najork, "Computing information retrieval performance measures
 * efficiently in the presence of tied scores", ECIR 2008; scikit-learn ndcg_score without ignore_ties.
 *
 * Example: three items of one score, grades 1 0 0: (1 + 1/log2(3) + 1/2) / 3 = 0.710310 for ndcg.
 */
export class TiesMean {
  readonly #measures: readonly Averaged[];
  #grades = new Float64Array(64);

  /** undefined if none of the measures has a mean over orders. */
  static of(measures: readonly Measure[]): TiesMean | undefined {
    const averaged = measures.flatMap((measure, place) => {
      return hasTiesMean(measure) ? [averagedOf(measure, place)] : [];
    });
    return averaged.length === 0 ? undefined : new TiesMean(averaged);
  }

  private constructor(measures: readonly Averaged[]) {
    this.#measures = measures;
  }

  /**
   * Replaces what the scorer wrote by the means.
   * @param scoreAt score of a slot; slots are in descending order of scores
   */
  correct(list: Joined, scoreAt: (slot: number) => number, out: Float64Array): void {
    const grades = this.#load(list);
    for (const averaged of this.#measures) {
      const at = SCORE_WIDTH * averaged.place;
      if (out[at] === LEFT_OUT) continue;
      const value = averaged.value(expectedDcg(grades, scoreAt, averaged), grades, list.known);
      // A weighted mean stores R x value and R.
      out[at + OUT.mean.value] = averaged.isWeighted ? value * out[at + OUT.fraction.below] : value;
    }
  }

  #load(list: Joined): Float64Array {
    if (this.#grades.length < list.length) this.#grades = new Float64Array(2 * list.length);
    const grades = this.#grades.subarray(0, list.length).fill(0);
    for (let e = 0; e < list.events; e++) {
      const grade = list.value[e];
      if (grade > grades[list.slot[e]]) grades[list.slot[e]] = grade;
    }
    return grades;
  }
}

/** Whether a measure that depends on the order has a known mean over orders. */
export function hasTiesMean({ definition }: Measure): boolean {
  return definition === DCG || definition === NDCG;
}

interface Averaged {
  readonly place: number;
  readonly k: number;
  readonly gain: Gain;
  readonly discount: Discount;
  readonly isWeighted: boolean;
  value(dcg: number, shown: Float64Array, known: Joined['known']): number;
}

function averagedOf(measure: Measure, place: number): Averaged {
  const { definition, params, k = Number.POSITIVE_INFINITY } = measure;
  const gain = gainOf(measure);
  const discount = discountOf(measure);
  const isWeighted = params.get('avg') === 'weighted';
  const common = { place, k, gain, discount, isWeighted };
  if (definition === DCG) return { ...common, value: (dcg) => dcg };
  const ideal = params.get('ideal');
  const ordered = (grades: Float64Array): number => orderDcg(grades, k, gain, discount);
  return {
    ...common,
    value(dcg, shown, known) {
      const held = ideal === 'all' && known !== undefined ? Float64Array.from(known) : shown.slice();
      held.sort();
      const worst = ordered(held);
      const best = ideal === 'perfect' ? perfectDcg(k, discount) : ordered(held.reverse());
      return params.get('norm') === 'minmax' ? minmaxNdcg(dcg, best, worst, ideal === 'shown') : ndcg(dcg, best);
    },
  };
}

function expectedDcg(grades: Float64Array, scoreAt: (slot: number) => number, { k, gain, discount }: Averaged): number {
  let sum = 0;
  for (let from = 0; from < grades.length && from < k; ) {
    let gained = gain(grades[from]);
    let weight = discount(from + 1);
    let to = from + 1;
    for (; to < grades.length && scoreAt(to) === scoreAt(from); to++) {
      gained += gain(grades[to]);
      if (to < k) weight += discount(to + 1);
    }
    sum += (gained / (to - from)) * weight;
    from = to;
  }
  return sum;
}

/** DCG of grades in the given order; those below 0 gain nothing. */
function orderDcg(grades: Float64Array, k: number, gain: Gain, discount: Discount): number {
  let sum = 0;
  for (let i = 0; i < grades.length && i < k; i++) sum += gain(Math.max(0, grades[i])) * discount(i + 1);
  return sum;
}

function perfectDcg(k: number, discount: Discount): number {
  let sum = 0;
  for (let rank = 1; rank <= k; rank++) sum += discount(rank);
  return sum;
}
