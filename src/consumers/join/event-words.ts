/**
 * The events that are judged, as wasm/engine/events.ts has them: words, counted from where an event begins. Their times, and the value of
 * feedback, are doubles before these.
 */

/** Of an impression. */
export const TEXTS = 2;
export const ITEMS = 3;
export const RANKS = 4;
export const SCORES = 5;
export const CATEGORIES = 6;
export const LENGTH = 7;
export const PAGE = 8;
export const USER_WORD = 9;
export const FLAGS = 10;
/** Of one that the engine has read itself: number of its context, begin and end of its user id. */
export const CONTEXT = 12;
export const USER_FROM = 13;
export const USER_END = 14;

/** In FLAGS. */
export const USERLESS = 1;
export const HAS_RANKS = 2;
export const HAS_SCORES = 4;
export const HAS_CATEGORIES = 8;

/** Of feedback. */
export const REQUEST = 4;
export const ITEM = 5;
export const ACTION = 6;
export const EVENT_ID = 7;
