import type { PackedImpression } from '../../../src/consumers/packed/packed-impression.ts';
import { readText, textEnd } from '../../../src/consumers/packed/text.ts';
import type { EpochMs, Joined, Offset } from '../../../src/vocabulary/events.ts';
import { BUCKETS } from '../../../src/vocabulary/user-words.ts';
import { Arena, type Segment } from './arena.ts';
import { commonPrefix, ItemTexts, type SlotIndex } from './item-texts.ts';
import type { Texts } from './pages.ts';
import { HASH_WORD, NEXT_WORD } from './requests.ts';
import { copyText, sameText } from './text-copies.ts';

/**
 * Long because the code that writes a record and the code that reads it must agree.
 *
 * The two packed records of an impression. The entry is remembered until 2H + b after its time; the body, with the items
 * and the chain of attributed feedback, is freed when the longest horizon closes.
 *
 * Entry: u32 hash, next | flags, body | f64 ts | f64 offset | f64 watermark before the record | u32 page offset, sequence | u32 before | request id.
 * Body:  u32 tag, missed horizons | length, first feedback | last feedback, flags | page offset, user word | f64 scores? | ranks? | first slots? | what all items begin with | the rest of each item | categories?
 */
const ENTRY_FLAGS_WORD = 2;
const BODY_WORD = 3;
const TS = 2;
const OFFSET = 3;
const WATERMARK = 4;
const PAGE_WORD = 10;
const SEQUENCE_WORD = 11;
/** The previous record in its chain of requests. */
export const ENTRY_BEFORE_WORD = 12;
const ENTRY_BYTES = 52;

const ACCEPTED = 1;
/** The record was judged before the checkpoint, and read again by a replay. */
const REPLAYED = 2;

const TAG_WORD = 0;
const MISSED_WORD = 1;
const LENGTH_WORD = 2;
const FIRST_FEEDBACK_WORD = 3;
const LAST_FEEDBACK_WORD = 4;
const FLAGS_WORD = 5;
const BODY_PAGE_WORD = 6;
const USER_WORD = 7;
const BODY_BYTES = 32;

const HAS_RANKS = 1;
const HAS_REPEATS = 2;
const USERLESS = 4;
const HAS_SCORES = 8;
const HAS_CATEGORIES = 16;
/** The items take so many bytes that a search for an item may be slow. */
const LONG = 32;
/** The rest of the word counts searches for items in a long list that has no index yet. */
const SEARCH = 64;

/** A long list gets an index after this many searches, which have cost about as much as building one. */
const SEARCHES_BEFORE_INDEX = 4;

/** The packed impressions of one unit. Accessors take the handle of an entry, or of a body if the parameter is so named. */
export class ImpressionRecords {
  readonly entries = new Arena();
  readonly bodies = new Arena();
  readonly #items: ItemTexts;
  readonly #longBytes: number;
  /** By body. */
  readonly #indexes = new Map<number, SlotIndex>();
  #indexBytes = 0;
  #sequence = 0;

  /**
   * @param seed of the hash of items
   * @param longBytes a list whose items take more bytes is given an index when it is searched often
   */
  constructor(seed: number, longBytes: number) {
    this.#items = new ItemTexts(seed);
    this.#longBytes = longBytes;
  }

  get bytes(): number {
    return this.entries.bytes + this.bodies.bytes + this.#indexBytes;
  }

  /** Items compared one by one, or links followed instead. */
  get steps(): number {
    return this.#items.steps + this.#items.repeats.steps;
  }

  /** `body` 0: the record is a duplicate. `isReplayed`: it was judged before the checkpoint. */
  addEntry(
    impression: PackedImpression,
    hash: number,
    offset: Offset,
    watermark: EpochMs,
    body: number,
    isReplayed: boolean,
  ): number {
    const { entries } = this;
    const handle = entries.reserve(ENTRY_BYTES + textEnd(impression.u8, 0));
    const { u32, f64, u8 } = entries.segment(handle);
    const at = entries.unit(handle);
    const word = at * 2;
    u32[word + HASH_WORD] = hash;
    u32[word + NEXT_WORD] = 0;
    u32[word + ENTRY_FLAGS_WORD] = (body === 0 ? 0 : ACCEPTED) | (isReplayed ? REPLAYED : 0);
    u32[word + BODY_WORD] = body;
    f64[at + TS] = impression.ts;
    f64[at + OFFSET] = offset;
    f64[at + WATERMARK] = watermark;
    u32[word + PAGE_WORD] = impression.pageOffset;
    u32[word + SEQUENCE_WORD] = this.#sequence++;
    const from = at * 8;
    entries.commit(copyText(u8, from + ENTRY_BYTES, impression.u8, 0) - from);
    return handle;
  }

  addBody(impression: PackedImpression, tag: number, missed: number): number {
    const { bodies } = this;
    const { length, items, ranks, hasRanks } = impression;
    const prefix = commonPrefix(impression);
    const texts = length === 0 ? 1 : textEnd(impression.u8, items[length - 1]) - items[0];
    const carried = impression.hasScores || impression.hasCategories ? carriedBytes(impression) : 0;
    // The texts, with room for one that is split and needs another header, and the two arrays.
    const handle = bodies.reserve(BODY_BYTES + 8 * length + texts + 5 * (length + 1) + carried);
    const { u32, u8, f64 } = bodies.segment(handle);
    const at = bodies.unit(handle);
    const word = at * 2;
    let flags = impression.isUserless ? USERLESS : 0;
    let to = word + BODY_BYTES / 4;
    if (impression.hasScores) {
      flags |= HAS_SCORES;
      for (let s = 0; s < length; s++, to += 2) f64[to / 2] = impression.scores[s];
    }
    if (hasRanks) {
      flags |= HAS_RANKS;
      for (let s = 0; s < length; s++) u32[to++] = ranks[s];
    }
    let text = this.#items.write(u8, to * 4, impression, prefix);
    const { firstSlot, found } = this.#items.repeats;
    if (found) {
      // The first slots precede the items, so the items are written again after them: lists that repeat an item are rare.
      flags |= HAS_REPEATS;
      for (let s = 0; s < length; s++) u32[to++] = firstSlot[s];
      text = this.#items.write(u8, to * 4, impression, prefix);
    }
    if (text - to * 4 > this.#longBytes) flags |= LONG;
    if (impression.hasCategories) {
      flags |= HAS_CATEGORIES;
      for (let s = 0; s < length; s++) text = copyText(u8, text, impression.u8, impression.categories[s]);
    }
    u32[word + TAG_WORD] = tag;
    u32[word + MISSED_WORD] = missed;
    u32[word + LENGTH_WORD] = length;
    u32[word + FIRST_FEEDBACK_WORD] = 0;
    u32[word + LAST_FEEDBACK_WORD] = 0;
    u32[word + FLAGS_WORD] = flags;
    u32[word + BODY_PAGE_WORD] = impression.pageOffset;
    u32[word + USER_WORD] = impression.userWord;
    bodies.commit(text - at * 8);
    return handle;
  }

  #entry(handle: number): Segment {
    return this.entries.segment(handle);
  }

  /** Whether its request id is the text at `request` of `u8`. */
  isOf(entry: number, u8: Uint8Array, request: number): boolean {
    return sameText(this.#entry(entry).u8, this.entries.unit(entry) * 8 + ENTRY_BYTES, u8, request);
  }

  /** The bytes that hold its request id, at `requestOf`. */
  requestTexts(entry: number): Uint8Array {
    return this.#entry(entry).u8;
  }

  requestOf(entry: number): number {
    return this.entries.unit(entry) * 8 + ENTRY_BYTES;
  }

  requestId(entry: number): string {
    return readText(this.#entry(entry).u8, this.requestOf(entry));
  }

  isAccepted(entry: number): boolean {
    return (this.#entry(entry).u32[this.entries.unit(entry) * 2 + ENTRY_FLAGS_WORD] & ACCEPTED) !== 0;
  }

  isReplayed(entry: number): boolean {
    return (this.#entry(entry).u32[this.entries.unit(entry) * 2 + ENTRY_FLAGS_WORD] & REPLAYED) !== 0;
  }

  /** 0: the longest horizon has closed, or the record was a duplicate. */
  body(entry: number): number {
    return this.#entry(entry).u32[this.entries.unit(entry) * 2 + BODY_WORD];
  }

  freeBody(entry: number): void {
    const segment = this.#entry(entry);
    const word = this.entries.unit(entry) * 2 + BODY_WORD;
    const body = segment.u32[word];
    const index = this.#indexes.size === 0 ? undefined : this.#indexes.get(body);
    if (index !== undefined) {
      this.#indexes.delete(body);
      this.#indexBytes -= bytesOf(index);
    }
    this.bodies.free(body);
    segment.u32[word] = 0;
  }

  ts(entry: number): number {
    return this.#entry(entry).f64[this.entries.unit(entry) + TS];
  }

  offset(entry: number): Offset {
    return this.#entry(entry).f64[this.entries.unit(entry) + OFFSET];
  }

  /** Watermark of the topic just before the record. */
  watermark(entry: number): EpochMs {
    return this.#entry(entry).f64[this.entries.unit(entry) + WATERMARK];
  }

  page(entry: number): number {
    return this.#entry(entry).u32[this.entries.unit(entry) * 2 + PAGE_WORD];
  }

  /** Below 0: `a` comes before `b` in the log. */
  logOrder(a: number, b: number): number {
    const first = this.#entry(a).u32[this.entries.unit(a) * 2 + SEQUENCE_WORD];
    const second = this.#entry(b).u32[this.entries.unit(b) * 2 + SEQUENCE_WORD];
    return (first - second) | 0;
  }

  tag(body: number): number {
    return this.bodies.segment(body).u32[this.bodies.unit(body) * 2 + TAG_WORD];
  }

  /** Bit h is set if the impression came too late for horizon h. */
  missed(body: number): number {
    return this.bodies.segment(body).u32[this.bodies.unit(body) * 2 + MISSED_WORD];
  }

  userless(body: number): boolean {
    return (this.bodies.segment(body).u32[this.bodies.unit(body) * 2 + FLAGS_WORD] & USERLESS) !== 0;
  }

  /** Bucket of the user, or of the request if there is no user. */
  bucket(body: number): number {
    return this.bodies.segment(body).u32[this.bodies.unit(body) * 2 + USER_WORD] & (BUCKETS - 1);
  }

  firstFeedback(body: number): number {
    return this.bodies.segment(body).u32[this.bodies.unit(body) * 2 + FIRST_FEEDBACK_WORD];
  }

  /** Puts a feedback record at the end of the body's chain and returns the record that was last; 0: none. */
  appendFeedback(body: number, feedback: number): number {
    const { u32 } = this.bodies.segment(body);
    const word = this.bodies.unit(body) * 2;
    const last = u32[word + LAST_FEEDBACK_WORD];
    if (last === 0) u32[word + FIRST_FEEDBACK_WORD] = feedback;
    u32[word + LAST_FEEDBACK_WORD] = feedback;
    return last;
  }

  /** First slot that holds the item at `item` of `source`; -1: none. */
  slotOf(body: number, source: Uint8Array, item: number): number {
    const { u32, u8 } = this.bodies.segment(body);
    const word = this.bodies.unit(body) * 2;
    const list = this.#itemsAt(u32, word) * 4;
    const length = u32[word + LENGTH_WORD];
    if ((u32[word + FLAGS_WORD] & LONG) !== 0) {
      const index = this.#indexOf(body, u8, u32, word);
      if (index !== undefined) return this.#items.indexedSlotOf(index, u8, list, source, item);
    }
    return this.#items.slotOf(u8, list, length, source, item);
  }

  /** The index of a long list, which is built at one of its first searches; undefined: it has none yet. */
  #indexOf(body: number, u8: Uint8Array, u32: Uint32Array, word: number): SlotIndex | undefined {
    const known = this.#indexes.get(body);
    if (known !== undefined) return known;
    u32[word + FLAGS_WORD] += SEARCH;
    if (u32[word + FLAGS_WORD] < SEARCHES_BEFORE_INDEX * SEARCH) return undefined;
    const index = this.#items.index(u8, this.#itemsAt(u32, word) * 4, u32[word + LENGTH_WORD]);
    this.#indexes.set(body, index);
    this.#indexBytes += bytesOf(index);
    return index;
  }

  /** Fills a list, except its feedback and its texts. */
  fill(body: number, list: Joined, ranks: Int32Array, firstSlot: Int32Array, scores: Float64Array): void {
    const { u32, f64 } = this.bodies.segment(body);
    const word = this.bodies.unit(body) * 2;
    const length = u32[word + LENGTH_WORD];
    const flags = u32[word + FLAGS_WORD];
    let at = word + BODY_BYTES / 4;
    list.length = length;
    list.pageOffset = u32[word + BODY_PAGE_WORD];
    list.ranks = undefined;
    list.firstSlot = undefined;
    list.scores = undefined;
    if ((flags & HAS_SCORES) !== 0) {
      for (let s = 0; s < length; s++, at += 2) scores[s] = f64[at / 2];
      list.scores = scores;
    }
    if ((flags & HAS_RANKS) !== 0) {
      for (let s = 0; s < length; s++) ranks[s] = u32[at++];
      list.ranks = ranks;
    }
    if ((flags & HAS_REPEATS) !== 0) {
      for (let s = 0; s < length; s++) firstSlot[s] = u32[at++];
      list.firstSlot = firstSlot;
    }
  }

  /** Puts the items of the slots into `items`, and returns whether it put their categories into `categories`. */
  readTexts(body: number, items: string[], categories: string[]): boolean {
    const { u32, u8 } = this.bodies.segment(body);
    const word = this.bodies.unit(body) * 2;
    const length = u32[word + LENGTH_WORD];
    let at = this.#items.read(u8, this.#itemsAt(u32, word) * 4, length, items);
    if ((u32[word + FLAGS_WORD] & HAS_CATEGORIES) === 0) return false;
    for (let s = 0; s < length; s++) {
      categories[s] = readText(u8, at);
      at = textEnd(u8, at);
    }
    return true;
  }

  /** The items of the first `most` slots. */
  firstItems(body: number, most: number): readonly string[] {
    const { u32, u8 } = this.bodies.segment(body);
    const word = this.bodies.unit(body) * 2;
    const items: string[] = [];
    this.#items.read(u8, this.#itemsAt(u32, word) * 4, Math.min(most, u32[word + LENGTH_WORD]), items);
    return items;
  }

  /** The items of the slots, valid until the next call; undefined: the body was freed. */
  texts(body: number): Texts | undefined {
    if (body === 0) return undefined;
    const { u32, u8 } = this.bodies.segment(body);
    const word = this.bodies.unit(body) * 2;
    return this.#items.whole(u8, this.#itemsAt(u32, word) * 4, u32[word + LENGTH_WORD]);
  }

  slots(body: number): number {
    return this.bodies.segment(body).u32[this.bodies.unit(body) * 2 + LENGTH_WORD];
  }

  #itemsAt(u32: Uint32Array, word: number): number {
    const flags = u32[word + FLAGS_WORD];
    const scores = (flags & HAS_SCORES) !== 0 ? 2 : 0;
    const arrays = scores + ((flags & HAS_RANKS) !== 0 ? 1 : 0) + ((flags & HAS_REPEATS) !== 0 ? 1 : 0);
    return word + BODY_BYTES / 4 + arrays * u32[word + LENGTH_WORD];
  }
}

/** Bytes of an index, its arrays and its place in the Map. */
function bytesOf({ places, slots }: SlotIndex): number {
  return places.byteLength + slots.bytes + 256;
}

/** Most bytes that scores and categories take. */
function carriedBytes({ hasScores, hasCategories, categories, length, u8 }: PackedImpression): number {
  const scores = hasScores ? 8 * length : 0;
  if (!hasCategories || length === 0) return scores;
  return scores + textEnd(u8, categories[length - 1]) - categories[0];
}
