import type { Joined } from '../vocabulary/events.ts';
import type { Discount } from './discount.ts';
import type { Gain } from './gain.ts';
import type { Graded } from './grade.ts';
import type { Known } from './known.ts';
import { rankOf } from './places.ts';

/** The DCG that a list is compared with: of an order of grades that does not depend on how they were shown. */
export type OrderDcg = (list: Joined) => number;

/** The best order of the shown list: its grades, best first, on its own ranks, and THEN the cut at k. */
export function shownIdeal(graded: Graded, k: number, gain: Gain, discount: Discount): OrderDcg {
  return (list) => {
    const grades = graded.descending();
    let sum = 0;
    for (let s = 0; s < graded.count; s++) {
      const rank = rankOf(list, s);
      if (rank > k) break;
      sum += gain(grades[s]) * discount(rank);
    }
    return sum;
  };
}

/** The worst order of the shown list: its grades ascending, on its own ranks, cut at k. */
export function shownWorst(graded: Graded, k: number, gain: Gain, discount: Discount): OrderDcg {
  return (list) => {
    const grades = graded.descending();
    let sum = 0;
    for (let i = graded.count - 1; i >= 0; i--) {
      const rank = rankOf(list, list.length - 1 - i);
      if (rank > k) break;
      sum += gain(grades[i]) * discount(rank);
    }
    return sum;
  };
}

/** The best order of all known items, on ranks 1, 2, 3, ..., cut at k. */
export function allIdeal(known: Known, k: number, gain: Gain, discount: Discount): OrderDcg {
  return () => {
    const { count, grades } = known;
    let sum = 0;
    for (let i = 0; i < count && i < k; i++) sum += gain(grades[i]) * discount(i + 1);
    return sum;
  };
}

/** The worst order of all known items, those without a grade first, on ranks 1, 2, 3, ..., cut at k. */
export function allWorst(known: Known, k: number, gain: Gain, discount: Discount): OrderDcg {
  return () => {
    const { count, items, grades } = known;
    let sum = 0;
    for (let i = count - 1; i >= 0 && items - i <= k; i--) sum += gain(grades[i]) * discount(items - i);
    return sum;
  };
}

/** A gain of 1 at each of the ranks 1 to k (RecTools). */
export function perfectIdeal(k: number, discount: Discount): OrderDcg {
  let sum = 0;
  for (let rank = 1; rank <= k; rank++) sum += discount(rank);
  return () => sum;
}
