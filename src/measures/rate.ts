import type { Joined } from '../vocabulary/events.ts';
import type { Examined } from './examined.ts';
import { type Places, placesBetween } from './places.ts';

/**
 * Rate of an action, and ctr, the rate of clicks: slots of rank <= k with the action over examined slots of rank <= k.
 * Grades play no part. The mean weighs every slot the same (`avg=micro`, like TorchRec's ctr), or every list
 * (`avg=macro`). `slot=r` looks at rank r alone.
 *
 * Example: lists 1 1 and 0 0 1 0 0 0 0 0 and ten slots without a click: 3/20 = 0.15; `avg=macro` 0.375.
 */
export interface Rate {
  /** Slots with the action. */
  above(): number;
  /** Examined slots; NaN: there are none, the list is left out. */
  below(list: Joined): number;
}

/** The rate over ranks from..to. */
export function rate(acted: Places, examined: Examined, from: number, to: number): Rate {
  return {
    above: () => placesBetween(acted, from, to),
    below: (list) => examined(list, from, to) || Number.NaN,
  };
}
