import type { Joined } from '../vocabulary/events.ts';
import { type Places, placesBetween, slotsBetween } from './places.ts';

/** Number of slots with from <= rank <= to that the user is assumed to have looked at (specification: measures 5.6). */
export type Examined = (list: Joined, from: number, to: number) => number;

/** Every slot. */
export const allSlots: Examined = slotsBetween;

/** Slots down to the last positive; every slot if there is no positive. */
export function downTo(positives: Places): Examined {
  return (list, from, to) => {
    const { count, ranks } = positives;
    return slotsBetween(list, from, count === 0 ? to : Math.min(to, ranks[count - 1]));
  };
}

/** The slots with a view, and the positives. */
export function viewport(views: Places, positives: Places): Examined {
  return (_list, from, to) => {
    let both = 0;
    let v = 0;
    for (let p = 0; p < positives.count && v < views.count; p++) {
      const rank = positives.ranks[p];
      while (v < views.count && views.ranks[v] < rank) v++;
      if (v < views.count && views.ranks[v] === rank && rank >= from && rank <= to) both++;
    }
    return placesBetween(views, from, to) + placesBetween(positives, from, to) - both;
  };
}
