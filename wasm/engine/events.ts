/**
 * Events: those that the host gives (src/consumers/join/event-blocks.ts), and those that the engine reads itself (feed.ts). Places are
 * addresses; the host's arrays lie in this memory.
 */
import { FEEDBACK_EVENT, IMPRESSION_EVENT, WAITING_EVENT } from './layout';

export const USERLESS: u32 = 1;
export const HAS_RANKS: u32 = 2;
export const HAS_SCORES: u32 = 4;
export const HAS_CATEGORIES: u32 = 8;

/** An impression. */
@unmanaged
export class ImpressionEvent {
  ts: f64;
  /** Beginning of its texts; the request id is there. */
  texts: usize;
  /** By slot: u32 places of the items, counted from the beginning of the texts. */
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
  /** From here on only of an impression that the engine reads itself; what the host gives has zeros. Its body; 0: it is yet to be made. */
  body: usize;
  /** Number of its context + 1, and where its user id stands, both as the scanner has them. */
  context: u32;
  userFrom: usize;
  userEnd: usize;
  /** By slot: u32 beginning and end of the item in its record, whose packed texts are made when they are needed; 0: they are there. */
  ids: usize;

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
export class FeedbackEvent {
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
export let impressionEvent: ImpressionEvent = changetype<ImpressionEvent>(IMPRESSION_EVENT);
/** The feedback that is judged. */
export let feedbackEvent: FeedbackEvent = changetype<FeedbackEvent>(FEEDBACK_EVENT);

/** From now on the impression at this place is judged. */
export function setImpressionEvent(at: usize): void {
  impressionEvent = changetype<ImpressionEvent>(at);
}

/** From now on the feedback at this place is judged. */
export function setFeedbackEvent(at: usize): void {
  feedbackEvent = changetype<FeedbackEvent>(at);
}
/** Waiting feedback, as waiting.ts reads it back. */
export const waitingEvent = changetype<FeedbackEvent>(WAITING_EVENT);
