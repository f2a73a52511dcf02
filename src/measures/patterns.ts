import type { Joined } from '../vocabulary/events.ts';

/** The pattern of a list that has none. */
export const NO_PATTERN = -1;

/**
 * Limits of the parts of a pattern; the host passes them to the engine (accumulators/kept-lists.ts). Lists of this many slots or more
 * have no pattern.
 */
export const LENGTHS = 2 ** 10;
/** Lists with more distinct events have no pattern. */
export const MOST_EVENTS = 6;
/** Patterns are below this limit, so that they are exact as doubles. */
const LIMIT = 2 ** 53;
/** Ratings from 0.5 to 15.5 in halves have a class each, and so has an event without a value. */
const CLASSES = 32;

/** What measures read from the events of an action. */
export interface ActionReading {
  /** Whether the value of its events affects any score. */
  readonly readsValue: boolean;
  /** Whether several of its events on one slot count as more than one. */
  readonly addsUp: boolean;
}

/** Codes of the events of an action on one slot: from `first` up to, but not including, `behind`. */
interface ActionCodes extends ActionReading {
  readonly first: number;
  readonly behind: number;
}

/**
 * Finds lists that all measures score alike. A list with few events is scored by its length, its page, and which actions, with which
 * values, its slots have, provided that no rank is explicit, no item repeats and only the shown items are known. The number that encodes
 * these is its pattern. Neither the order nor the times of events matter, unless one slot and action have different values; and a
 * repetition of the same event counts only where an action adds up. The engine computes the same patterns (wasm/engine/adding.ts).
 */
export class Patterns {
  /** Codes by index of action. */
  readonly codes: readonly ActionCodes[];
  /** Number of codes of a slot. */
  readonly width: number;
  /** The codes of the events of a list, in ascending order. */
  readonly #sorted = new Uint32Array(MOST_EVENTS);

  constructor(reading: readonly ActionReading[]) {
    let width = 0;
    this.codes = reading.map((of) => {
      const first = width;
      width += of.readsValue ? CLASSES : 1;
      return { ...of, first, behind: width };
    });
    this.width = width;
  }

  /** The pattern of a list. Lists of one pattern are scored alike. NO_PATTERN: it may be scored like no other. */
  of(list: Joined): number {
    const { length } = list;
    if (length >= LENGTHS) return NO_PATTERN;
    if (list.ranks !== undefined || list.firstSlot !== undefined || list.known !== undefined) return NO_PATTERN;
    const count = this.#sort(list);
    if (count < 0) return NO_PATTERN;
    let pattern = list.pageOffset;
    for (let n = 0; n < count; n++) pattern = pattern * length * this.width + this.#sorted[n];
    pattern = (pattern * LENGTHS + length) * (MOST_EVENTS + 1) + count;
    return pattern < LIMIT ? pattern : NO_PATTERN;
  }

  /** Sorts the codes of all events. Returns their number; -1: there are too many, or one of them has no code. */
  #sort({ events, slot, action, value }: Joined): number {
    const sorted = this.#sorted;
    let count = 0;
    for (let e = 0; e < events; e++) {
      if (action[e] < 0) continue;
      const { readsValue, addsUp, first, behind } = this.codes[action[e]];
      const valueClass = readsValue ? classOf(value[e]) : 0;
      if (valueClass < 0) return -1;
      const ofSlot = slot[e] * this.width;
      const code = ofSlot + first + valueClass;
      let at = count;
      while (at > 0 && sorted[at - 1] > code) at--;
      const isAgain = at > 0 && sorted[at - 1] === code;
      if (isAgain && !addsUp) continue;
      const hasLess = at > 0 && !isAgain && sorted[at - 1] >= ofSlot + first;
      const hasMore = at < count && sorted[at] < ofSlot + behind;
      if (hasLess || hasMore || count === MOST_EVENTS) return -1;
      sorted.copyWithin(at + 1, at, count);
      sorted[at] = code;
      count++;
    }
    return count;
  }
}

/** The class of a value; -1: it has none. */
function classOf(value: number): number {
  if (Number.isNaN(value)) return 0;
  const halves = 2 * value;
  return Number.isInteger(halves) && halves > 0 && halves < CLASSES ? halves : -1;
}
