import type { Joined } from '../vocabulary/events.ts';

/** The pattern of a list that has none. */
export const NO_PATTERN = -1;

/** Bounds of the parts of a pattern, which the engine reads where the lists are kept (accumulators/kept-table.ts). Lists of so many slots or more have none. */
export const LENGTHS = 2 ** 10;
/** Lists with more events that differ have none. */
export const MOST_EVENTS = 6;
/** A pattern is below, so that it is an exact double. */
const LIMIT = 2 ** 53;
/** Ratings from 0.5 to 15.5 in halves have a class each, and so has an event without a value. */
const CLASSES = 32;

/** What measures read of the events of an action. */
export interface ActionReading {
  /** Whether anything is scored by the value of its events. */
  readonly readsValue: boolean;
  /** Whether several of its events on one slot are more than one. */
  readonly addsUp: boolean;
}

/** Of events of an action on one slot: from `first` up to, but not including, `behind`. */
export interface ActionCodes extends ActionReading {
  readonly first: number;
  readonly behind: number;
}

/**
 * Lists that all measures score alike. A list with few events, where no rank is explicit, no item repeats and only the shown items
 * are known, is scored by its length, its page, and which actions, with which values, its slots have: the number that stands for
 * these is its pattern. Neither the order of events matters, nor their times, unless one value follows another of the same slot
 * and action; and the same event again counts only where an action adds up. The engine knows the patterns, too
 * (wasm/engine/adding.ts).
 */
export class Patterns {
  /** By index of action. */
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

  /** Lists of one pattern are scored alike. NO_PATTERN: it may be scored like no other. */
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

  /** Puts the codes of all events in order. Returns how many they are; -1: there are too many, or one cannot be told from others. */
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

/** Of a value; -1: it has none. */
function classOf(value: number): number {
  if (Number.isNaN(value)) return 0;
  const halves = 2 * value;
  return Number.isInteger(halves) && halves > 0 && halves < CLASSES ? halves : -1;
}
