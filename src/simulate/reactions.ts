import type { DurationMs, EpochMs } from '../vocabulary/events.ts';
import type { Random } from './random.ts';
import { PAGE_LENGTH } from './settings.ts';

export const ACTIONS = ['click', 'add_to_cart', 'purchase', 'rating'] as const;
export type Action = (typeof ACTIONS)[number];

/** One thing the user did with one slot of the page. */
export interface Reaction {
  slot: number;
  action: Action;
  ts: EpochMs;
}

const CART_AFTER_CLICK = 0.18;
const PURCHASE_AFTER_CART = 0.4;
const RATING_AFTER_PURCHASE = 0.3;

/** Delays: with probability `slowly` exponential with the mean `slow`, else with the mean `fast`; in ms. */
interface Delay {
  readonly fast: DurationMs;
  readonly slow: DurationMs;
  readonly slowly: number;
}
const DELAYS: Readonly<Record<Action, Delay>> = {
  click: { fast: 6_000, slow: 60_000, slowly: 0.15 },
  add_to_cart: { fast: 30_000, slow: 180_000, slowly: 0.2 },
  purchase: { fast: 120_000, slow: 900_000, slowly: 0.4 },
  rating: { fast: 60_000, slow: 600_000, slowly: 0.5 },
};

/**
 * What follows from the clicks of a page. Clicks come one after the other down the page; each may lead to the cart, then
 * to a purchase, then to a rating. Every delay is cut to what is left of the attribution window, so that all event
 * times lie in [ts, ts + window).
 */
export class Reactions {
  /** Of the last page; valid up to `length`; used again by the next one. */
  readonly all: readonly Reaction[];
  length = 0;
  readonly #random: Random;
  readonly #window: DurationMs;

  constructor(random: Random, window: DurationMs) {
    this.all = Array.from({ length: PAGE_LENGTH * ACTIONS.length }, () => ({ slot: 0, action: 'click', ts: 0 }));
    this.#random = random;
    this.#window = window;
  }

  react(ts: EpochMs, clicked: Uint8Array, pageLength: number): void {
    this.length = 0;
    const end = ts + this.#window;
    const random = this.#random;
    let clickedAt = ts;
    for (let slot = 0; slot < pageLength; slot++) {
      if (clicked[slot] === 0) continue;
      clickedAt = this.#add(slot, 'click', clickedAt, end);
      if (random.next() >= CART_AFTER_CLICK) continue;
      const inCartAt = this.#add(slot, 'add_to_cart', clickedAt, end);
      if (random.next() >= PURCHASE_AFTER_CART) continue;
      const boughtAt = this.#add(slot, 'purchase', inCartAt, end);
      if (random.next() < RATING_AFTER_PURCHASE) this.#add(slot, 'rating', boughtAt, end);
    }
  }

  #add(slot: number, action: Action, after: EpochMs, end: EpochMs): EpochMs {
    const delay = DELAYS[action];
    const mean = this.#random.next() < delay.slowly ? delay.slow : delay.fast;
    const ts = Math.min(end - 1, after + Math.floor(this.#random.exponentialBelow(mean, end - after)));
    const reaction = this.all[this.length++];
    reaction.slot = slot;
    reaction.action = action;
    reaction.ts = ts;
    return ts;
  }
}

/** Stars from 1 to 5: more where the item attracts more. */
export function stars(attraction: number, random: Random): number {
  return Math.max(1, Math.min(5, Math.round(2.5 + 3.5 * attraction + random.normal())));
}
