import type { Engine } from '../engine/engine.ts';
import {
  FEEDBACK_EVENT,
  HAS_CATEGORIES,
  HAS_RANKS,
  HAS_SCORES,
  IMPRESSION_EVENT,
  USERLESS,
} from '../engine/engine-layout.ts';
import type { FeedbackTexts, PackedFeedback, PackedImpression } from '../packed/packed-events.ts';
import { textEnd } from '../packed/text.ts';

/** The position of the item, rank, score, and position of the category of each slot. */
const BYTES_PER_SLOT = 20;
const LEAST_SLOTS = 256;
const LEAST_TEXTS = 8192;
/** The engine reads up to this many bytes after a text. */
const BEYOND = 32;
/** Texts up to this length are copied faster byte by byte. */
const SHORT = 48;

/** Writes events to where the engine reads them. All joins of a process share one. */
export class EventBlocks {
  readonly #engine: Engine;
  #texts = 0;
  #textsRoom = 0;
  #slots = 0;
  #slotsRoom = 0;
  readonly #feedback: { -readonly [Field in keyof FeedbackTexts]: FeedbackTexts[Field] };

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#feedback = { ts: 0, value: 0, u8: engine.bytes, request: 0, item: 0, action: 0, eventId: -1 };
    this.#reserve(0, 0);
  }

  putImpression(impression: PackedImpression): void {
    const { words, doubles } = this.#engine;
    const { length, u8, items, hasRanks, hasScores, hasCategories, categories } = impression;
    const request = textEnd(u8, 0);
    // Items are stored one after the other, and so are categories.
    const begin = length === 0 ? request : items[0];
    const end = length === 0 ? request : textEnd(u8, hasCategories ? categories[length - 1] : items[length - 1]);
    this.#reserve(request + end - begin, length);
    const texts = this.#texts;
    this.#copy(texts, u8, 0, request);
    this.#copy(texts + request, u8, begin, end);
    const moved = request - begin;
    const slots = this.#slots >>> 2;
    const room = this.#slotsRoom;
    for (let s = 0; s < length; s++) words[slots + s] = items[s] + moved;
    if (hasRanks) for (let s = 0; s < length; s++) words[slots + room + s] = impression.ranks[s];
    if (hasCategories) for (let s = 0; s < length; s++) words[slots + 2 * room + s] = categories[s] + moved;
    const scores = this.#slots + 12 * room;
    if (hasScores) for (let s = 0; s < length; s++) doubles[(scores >>> 3) + s] = impression.scores[s];
    const at = IMPRESSION_EVENT.AT >>> 2;
    doubles[(IMPRESSION_EVENT.AT >>> 3) + IMPRESSION_EVENT.ts] = impression.ts;
    words[at + IMPRESSION_EVENT.texts] = texts;
    words[at + IMPRESSION_EVENT.items] = this.#slots;
    words[at + IMPRESSION_EVENT.ranks] = this.#slots + 4 * room;
    words[at + IMPRESSION_EVENT.categories] = this.#slots + 8 * room;
    words[at + IMPRESSION_EVENT.scores] = scores;
    words[at + IMPRESSION_EVENT.length] = length;
    words[at + IMPRESSION_EVENT.page] = impression.pageOffset;
    words[at + IMPRESSION_EVENT.userWord] = impression.userWord;
    words[at + IMPRESSION_EVENT.flags] =
      (impression.isUserless ? USERLESS : 0) |
      (hasRanks ? HAS_RANKS : 0) |
      (hasScores ? HAS_SCORES : 0) |
      (hasCategories ? HAS_CATEGORIES : 0);
  }

  putFeedback({ ts, value, u8, request, item, action, eventId }: PackedFeedback): void {
    const { words, doubles } = this.#engine;
    const end = textEnd(u8, eventId < 0 ? action : eventId);
    this.#reserve(end - request, 0);
    const moved = this.#texts - request;
    this.#copy(this.#texts, u8, request, end);
    const at = FEEDBACK_EVENT.AT >>> 2;
    doubles[(FEEDBACK_EVENT.AT >>> 3) + FEEDBACK_EVENT.ts] = ts;
    doubles[(FEEDBACK_EVENT.AT >>> 3) + FEEDBACK_EVENT.value] = value;
    words[at + FEEDBACK_EVENT.request] = request + moved;
    words[at + FEEDBACK_EVENT.item] = item + moved;
    words[at + FEEDBACK_EVENT.action] = action + moved;
    words[at + FEEDBACK_EVENT.eventId] = eventId < 0 ? 0 : eventId + moved;
  }

  /** The feedback at an address, as the observer of a join gets it; valid until the next call. */
  feedbackAt(place: number): FeedbackTexts {
    const { words, doubles } = this.#engine;
    const at = place >>> 2;
    const feedback = this.#feedback;
    feedback.ts = doubles[(place >>> 3) + FEEDBACK_EVENT.ts];
    feedback.value = doubles[(place >>> 3) + FEEDBACK_EVENT.value];
    feedback.request = words[at + FEEDBACK_EVENT.request];
    feedback.item = words[at + FEEDBACK_EVENT.item];
    feedback.action = words[at + FEEDBACK_EVENT.action];
    feedback.eventId = words[at + FEEDBACK_EVENT.eventId] === 0 ? -1 : words[at + FEEDBACK_EVENT.eventId];
    return feedback;
  }

  #copy(to: number, u8: Uint8Array, from: number, end: number): void {
    const { bytes } = this.#engine;
    const length = end - from;
    if (length > SHORT) bytes.set(u8.subarray(from, end), to);
    else for (let i = 0; i < length; i++) bytes[to + i] = u8[from + i];
  }

  #reserve(texts: number, slots: number): void {
    const { take, give } = this.#engine;
    if (texts + BEYOND > this.#textsRoom) {
      if (this.#texts !== 0) give(this.#texts);
      this.#textsRoom = Math.max(LEAST_TEXTS, 2 * (texts + BEYOND));
      this.#texts = take(this.#textsRoom);
    }
    if (slots > this.#slotsRoom || this.#slots === 0) {
      if (this.#slots !== 0) give(this.#slots);
      this.#slotsRoom = Math.max(LEAST_SLOTS, 2 * slots);
      this.#slots = take(BYTES_PER_SLOT * this.#slotsRoom);
    }
  }
}
