/** Events as the host gives them. Places are addresses; the host's arrays lie in this memory. */
import { SHOWN, TOLD, WAITED } from './layout';

export const USERLESS: u32 = 1;
export const HAS_RANKS: u32 = 2;
export const HAS_SCORES: u32 = 4;
export const HAS_CATEGORIES: u32 = 8;

/** An impression. */
@unmanaged
export class Shown {
  ts: f64;
  /** Begin of its texts; the request id is there. */
  texts: usize;
  /** By slot: u32 places of the items, counted from the begin of the texts. */
  items: usize;
  /** By slot: i32 ranks. */
  ranks: usize;
  /** By slot: f64 scores. */
  scores: usize;
  /** By slot: u32 places of the categories, counted like those of the items. */
  categories: usize;
  length: u32;
  /** Slots before this page. */
  page: u32;
  userWord: u32;
  flags: u32;

  request(): usize {
    return this.texts;
  }

  item(slot: usize): usize {
    return this.texts + <usize>load<u32>(this.items + 4 * slot);
  }

  category(slot: usize): usize {
    return this.texts + <usize>load<u32>(this.categories + 4 * slot);
  }
}

/** Feedback. */
@unmanaged
export class Told {
  ts: f64;
  /** NaN: none. */
  value: f64;
  request: usize;
  item: usize;
  action: usize;
  /** 0: none. */
  eventId: usize;
}

/** The impression that is judged. */
export const shown = changetype<Shown>(SHOWN);
/** The feedback that is judged. */
export const told = changetype<Told>(TOLD);
/** Waiting feedback, as waiting.ts reads it back. */
export const waited = changetype<Told>(WAITED);
