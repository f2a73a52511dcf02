/**
 * The events to judge: from the host (src/consumers/join/event-blocks.ts), or read by the engine itself (feed.ts). Pointers are addresses
 * in this memory, where the host's arrays lie too.
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
  /** Address of its texts, which begin with the request id. */
  texts: usize;
  /** u32 positions of the items by slot, relative to `texts`. */
  items: usize;
  /** i32 ranks by slot. */
  ranks: usize;
  /** f64 scores by slot. */
  scores: usize;
  /** u32 positions of the categories by slot, relative to `texts`. */
  categories: usize;
  length: u32;
  /** Number of slots before this page. */
  page: u32;
  userWord: u32;
  flags: u32;
  /**
   * The fields from here on are used only for an impression that the engine reads itself; the host writes zeros. `body` is 0 until its
   * body is made.
   */
  body: usize;
  /** Number of its context + 1, and where its user id stands, both from the scanner. */
  context: u32;
  userFrom: usize;
  userEnd: usize;
  /** u32 beginning and end, by slot, of the item in its record, from which packed texts are made when needed; 0: they are made already. */
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
  /** NaN if it has none. */
  value: f64;
  request: usize;
  item: usize;
  action: usize;
  /** 0 if it has none. */
  eventId: usize;
}

/** The impression being judged. */
export let impressionEvent: ImpressionEvent = changetype<ImpressionEvent>(IMPRESSION_EVENT);
/** The feedback being judged. */
export let feedbackEvent: FeedbackEvent = changetype<FeedbackEvent>(FEEDBACK_EVENT);

/** Selects the impression to judge. */
export function setImpressionEvent(at: usize): void {
  impressionEvent = changetype<ImpressionEvent>(at);
}

/** Selects the feedback to judge. */
export function setFeedbackEvent(at: usize): void {
  feedbackEvent = changetype<FeedbackEvent>(at);
}
/** Waiting feedback that waiting.ts has read back. */
export const waitingEvent = changetype<FeedbackEvent>(WAITING_EVENT);
