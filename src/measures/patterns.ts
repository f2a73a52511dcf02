import type { Joined } from '../vocabulary/events.ts';

/** The pattern of a list that has none. */
export const NO_PATTERN = -1;

/** Bounds of the parts of a pattern. Their product is 2^51, so that it is an exact double. */
const OFFSETS = 2 ** 20;
const LENGTHS = 2 ** 10;
const ACTIONS = 2 ** 6;
const VALUES = 2 ** 5;

/** Actions are counted from -1 on, and 0 is a list without an event. */
const FIRST_ACTION = 2;

/**
 * Lists that all measures score alike. A list with at most one event, where no rank is explicit, no item repeats and only the
 * shown items are known, is scored by its length, its page, and the event's slot, action and value: the number that stands for these is its
 * pattern. Most lists close with at most one event, and a page of 20 slots has only some dozens of patterns.
 */
export class Patterns {
  readonly #readsValue: readonly boolean[];

  /** `readsValue`: by index of action, whether anything is scored by the value of its events. */
  constructor(readsValue: readonly boolean[]) {
    this.#readsValue = readsValue;
  }

  /** Lists of one pattern are scored alike. NO_PATTERN: it may be scored like no other. */
  of(list: Joined): number {
    const { length, pageOffset, events } = list;
    if (events > 1 || length === 0 || length >= LENGTHS || pageOffset >= OFFSETS) return NO_PATTERN;
    if (list.ranks !== undefined || list.firstSlot !== undefined || list.known !== undefined) return NO_PATTERN;
    const shape = (pageOffset * LENGTHS + length) * LENGTHS;
    if (events === 0) return shape * ACTIONS * VALUES;
    const action = list.action[0];
    if (action >= ACTIONS - FIRST_ACTION) return NO_PATTERN;
    const value = action >= 0 && this.#readsValue[action] ? valueClass(list.value[0]) : 0;
    if (value < 0) return NO_PATTERN;
    return ((shape + list.slot[0]) * ACTIONS + action + FIRST_ACTION) * VALUES + value;
  }
}

/** Ratings have a class each, and so has an event without a value. -1: any other value. */
function valueClass(value: number): number {
  if (Number.isNaN(value)) return 0;
  const halves = 2 * value;
  return Number.isInteger(halves) && halves > 0 && halves < VALUES ? halves : -1;
}
