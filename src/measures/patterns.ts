import type { Joined } from '../vocabulary/events.ts';

/** The pattern of a list that has none. */
export const NO_PATTERN = -1;

/** Bounds of the parts of a pattern, which the engine reads where the lists are kept (accumulators/kept-table.ts). Lists of so many slots or more have none. */
export const LENGTHS = 2 ** 10;
/** Lists with more events have none. */
export const MOST_EVENTS = 3;
/** A pattern is below, so that it is an exact double. */
const LIMIT = 2 ** 53;
/** Ratings from 0.5 to 15.5 in halves have a class each, and so has an event without a value. */
const CLASSES = 32;

/**
 * Lists that all measures score alike. A list with few events, where no rank is explicit, no item repeats and only the shown items
 * are known, is scored by its length, its page, and each event's slot, action and value: the number that stands for these is its
 * pattern. The times of events matter only where one value follows another of the same slot and action. Most lists close with at
 * most one event, and a page of 20 slots has only some dozens of patterns of those. The engine knows the patterns, too
 * (wasm/engine/adding.ts).
 */
export class Patterns {
  /** By index of action, whether anything is scored by the value of its events. */
  readonly readsValue: readonly boolean[];
  /** How many classes of values, and how many actions, unlisted ones included, a pattern tells apart. */
  readonly classes: number;
  readonly actions: number;

  constructor(readsValue: readonly boolean[]) {
    this.readsValue = readsValue;
    this.classes = readsValue.includes(true) ? CLASSES : 1;
    this.actions = readsValue.length + 1;
  }

  /** Lists of one pattern are scored alike. NO_PATTERN: it may be scored like no other. */
  of(list: Joined): number {
    const { length, events } = list;
    if (events > MOST_EVENTS || length === 0 || length >= LENGTHS) return NO_PATTERN;
    if (list.ranks !== undefined || list.firstSlot !== undefined || list.known !== undefined) return NO_PATTERN;
    let pattern = list.pageOffset;
    for (let e = 0; e < events; e++) {
      const action = list.action[e];
      const value = this.#valueClass(list, e);
      if (value < 0) return NO_PATTERN;
      pattern = ((pattern * length + list.slot[e]) * this.actions + action + 1) * this.classes + value;
    }
    pattern = (pattern * LENGTHS + length) * (MOST_EVENTS + 1) + events;
    return pattern < LIMIT ? pattern : NO_PATTERN;
  }

  /** -1: it belongs to none, or is one of several of its slot and action. */
  #valueClass({ slot, action, value }: Joined, event: number): number {
    const of = action[event];
    if (of < 0 || !this.readsValue[of]) return 0;
    for (let e = 0; e < event; e++) if (slot[e] === slot[event] && action[e] === of) return -1;
    if (Number.isNaN(value[event])) return 0;
    const halves = 2 * value[event];
    return Number.isInteger(halves) && halves > 0 && halves < CLASSES ? halves : -1;
  }
}
