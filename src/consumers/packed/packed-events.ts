import { Buffer } from 'node:buffer';
import type { EpochMs, Feedback, Impression } from '../../vocabulary/events.ts';
import { bucketWord, sampleKey } from '../../vocabulary/user-words.ts';
import { readText, textBound, writeText } from './text.ts';

const LEAST_BYTES = 4096;
const LEAST_SLOTS = 64;

/**
 * An impression with packed ids (text.ts) and the same values as `Impression`, in memory that the next one reuses: copy what must be
 * kept. Positions of texts are indexes into `u8`.
 */
export class PackedImpression {
  readonly kind = 'impression';
  ts: EpochMs = 0;
  /** Number of slots before this page. */
  pageOffset = 0;
  isUserless = true;
  /** Its lowest bits are the user's bucket: `bucketWord` of the user id, or of the request id if there is no user. */
  userWord = 0;
  /** The user's key in user samples (user-words.ts), if the decoder computes it; -1: no user, or not computed. */
  sampleKey = -1;
  /** Texts; the request id is at 0. */
  u8 = Buffer.allocUnsafeSlow(LEAST_BYTES);
  /** Number of slots. */
  length = 0;
  /** Position of the item of each slot. */
  items = new Int32Array(LEAST_SLOTS);
  hasRanks = false;
  /** Explicit ranks, ascending, where `hasRanks`. */
  ranks = new Int32Array(LEAST_SLOTS);
  hasScores = false;
  /** Predicted score of each slot, NaN: it has none; where `hasScores`. */
  scores = new Float64Array(0);
  hasCategories = false;
  /** Position of the category of each slot, where `hasCategories`; an empty text if it has none. */
  categories = new Int32Array(0);
  dimensions: readonly string[] = [];
  /** The dimensions, joined by ','. */
  tuple = '';

  get requestId(): string {
    return readText(this.u8, 0);
  }

  /** Makes room for this many bytes of texts; the content is lost. */
  reserve(bytes: number): void {
    if (bytes > this.u8.length) this.u8 = Buffer.allocUnsafeSlow(2 * bytes);
  }

  /** Makes room for this many slots; existing slots are kept. */
  reserveSlots(slots: number): void {
    if (slots <= this.items.length) return;
    this.items = widened(this.items, 2 * slots);
    this.ranks = widened(this.ranks, 2 * slots);
  }

  /** Makes room for the scores of this many slots. */
  reserveScores(slots: number): void {
    if (slots <= this.scores.length) return;
    const wider = new Float64Array(2 * slots);
    wider.set(this.scores);
    this.scores = wider;
  }

  /** Makes room for the categories of this many slots. */
  reserveCategories(slots: number): void {
    if (slots > this.categories.length) this.categories = widened(this.categories, 2 * slots);
  }

  pack({ ts, pageOffset, userId, requestId, items, ranks, dimensions, scores, categories }: Impression): this {
    let bytes = textBound(requestId.length);
    for (const item of items) bytes += textBound(item.length);
    if (categories !== undefined) for (const category of categories) bytes += textBound(category.length);
    this.reserve(bytes);
    this.reserveSlots(items.length);
    const { u8 } = this;
    this.ts = ts;
    this.pageOffset = pageOffset;
    this.isUserless = userId === undefined;
    this.userWord = bucketWord(userId ?? requestId);
    this.sampleKey = userId === undefined ? -1 : sampleKey(userId);
    let at = writeText(u8, 0, requestId);
    this.length = items.length;
    for (let s = 0; s < items.length; s++) {
      this.items[s] = at;
      at = writeText(u8, at, items[s]);
    }
    this.hasRanks = ranks !== undefined;
    if (ranks !== undefined) this.ranks.set(ranks);
    this.hasScores = scores !== undefined;
    if (scores !== undefined) {
      this.reserveScores(scores.length);
      this.scores.set(scores);
    }
    this.hasCategories = categories !== undefined;
    if (categories !== undefined) {
      this.reserveCategories(categories.length);
      for (let s = 0; s < categories.length; s++) {
        this.categories[s] = at;
        at = writeText(u8, at, categories[s]);
      }
    }
    this.dimensions = dimensions;
    this.tuple = dimensions.join(',');
    return this;
  }
}

function widened(array: Int32Array, size: number): Int32Array<ArrayBuffer> {
  const wider = new Int32Array(size);
  wider.set(array);
  return wider;
}

/** Feedback with packed texts (text.ts) and the same values as `Feedback`. */
export interface FeedbackTexts {
  readonly ts: EpochMs;
  /** NaN if it has none. */
  readonly value: number;
  readonly u8: Buffer;
  /** Positions in `u8`. */
  readonly request: number;
  readonly item: number;
  readonly action: number;
  /** -1 if it has none. */
  readonly eventId: number;
}

const LEAST_FEEDBACK_BYTES = 1024;

/** One feedback event, in memory that the next one reuses: copy what must be kept. */
export class PackedFeedback implements FeedbackTexts {
  readonly kind = 'feedback';
  ts: EpochMs = 0;
  value = Number.NaN;
  u8 = Buffer.allocUnsafeSlow(LEAST_FEEDBACK_BYTES);
  request = 0;
  item = 0;
  action = 0;
  eventId = -1;

  /** Makes room for this many bytes of texts; the content is lost. */
  reserve(bytes: number): void {
    if (bytes > this.u8.length) this.u8 = Buffer.allocUnsafeSlow(2 * bytes);
  }

  pack({ ts, value, requestId, itemId, action, eventId }: Feedback): this {
    const texts = textBound(requestId.length) + textBound(itemId.length) + textBound(action.length);
    this.reserve(texts + textBound(eventId?.length ?? 0));
    const { u8 } = this;
    this.ts = ts;
    this.value = value ?? Number.NaN;
    this.request = 0;
    this.item = writeText(u8, 0, requestId);
    this.action = writeText(u8, this.item, itemId);
    const end = writeText(u8, this.action, action);
    this.eventId = eventId === undefined ? -1 : end;
    if (eventId !== undefined) writeText(u8, end, eventId);
    return this;
  }
}
