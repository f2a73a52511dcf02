/**
 * An impression's body: its items and the ring of its feedback. It is freed when the longest horizon closes.
 *
 * Behind the fields: u32 page? | f64 scores? | i32 ranks? | u32 first slots? | what all items begin with | the rest of each item | categories?
 * Items that differ by a number alone are kept as in numbers.ts.
 */
import { packImpression } from '../scan/scan';
import { Arena, assertRecord, commit, free, reserve } from './arena';
import { ByteTable, closeByteTable } from './byte-table';
import { HAS_CATEGORIES, HAS_RANKS, HAS_SCORES, impressionEvent, USERLESS } from './events';
import { commonPrefix, indexedSlotOf, indexSlots, slotOf, withoutPrefix, writeItems } from './items';
import { give, take } from './memory';
import { bytesOfNumbers, numbers, numbersEnd, readNumbers, slotOfNumber, writeNumbers } from './numbers';
import { findRepeats, firstSlots, hasRepeats } from './repeats';
import { copyBytes, copyText, textEnd } from './texts';

/** Flags besides those of events.ts. */
const HAS_REPEATS: u32 = 16;
/** The items take so many bytes that a search for an item may be slow. */
const LONG: u32 = 32;
/** The items are kept as numbers (numbers.ts). */
const NUMERIC: u32 = 64;
/** It is not the first page: u32 slots before it. */
const PAGED: u32 = 128;
/** The impression came too late for a horizon: for which, its entry knows. */
const MISSES: u32 = 256;
/** `feedback` is the place of its indexes. */
const INDEXED: u32 = 512;
/** The two bits from here on count searches for items in a long list that has no index yet. */
const SEARCH: u32 = 1024;
const SEARCHES: u32 = 3 * SEARCH;
/** A long list gets an index after this many searches, which have cost about as much as building one. */
const SEARCHES_BEFORE_INDEX: u32 = 4;
/** The bits from here on are the length, which is at most 100,000 (docs/configuration.md: limits). */
const LENGTH_SHIFT: u32 = 12;

@unmanaged
export class Body {
  tag: u32;
  /** The last in the ring of its feedback, or its indexes, which know that; 0: it has none. */
  private feedback: u32;
  private flagsAndLength: u32;
  /** The lowest bits of its user word: they are all that is asked for. */
  userWord: u8;

  length(): u32 {
    return this.flagsAndLength >>> LENGTH_SHIFT;
  }

  has(flag: u32): bool {
    return (this.flagsAndLength & flag) !== 0;
  }

  set(flags: u32): void {
    this.flagsAndLength |= flags;
  }

  setUp(flags: u32, length: u32): void {
    this.flagsAndLength = flags | (length << LENGTH_SHIFT);
    this.feedback = 0;
  }

  isUserless(): bool {
    return this.has(USERLESS);
  }

  /** Whether the impression came too late for a horizon. */
  misses(): bool {
    return this.has(MISSES);
  }

  setMisses(): void {
    this.set(MISSES);
  }

  /** The last of its feedback, in a ring whose first comes behind it; 0: there is none. */
  lastFeedback(): usize {
    const at = <usize>this.feedback;
    return this.has(INDEXED) ? indexesAt(at).lastFeedback : at;
  }

  setLastFeedback(at: usize): void {
    if (this.has(INDEXED)) indexesAt(<usize>this.feedback).lastFeedback = at;
    else this.feedback = <u32>at;
  }

  /** 0: it has none. */
  indexes(): usize {
    return this.has(INDEXED) ? <usize>this.feedback : 0;
  }

  setIndexes(at: usize): void {
    this.feedback = <u32>at;
    this.set(INDEXED);
  }

  /** Whether it is searched so often that it should have an index. Counts this search. */
  isSearchedOften(): bool {
    const searches = (this.flagsAndLength & SEARCHES) / SEARCH;
    if (searches + 1 === SEARCHES_BEFORE_INDEX) return true;
    this.flagsAndLength += SEARCH;
    return false;
  }

  /** Number of slots before it. */
  page(): u32 {
    return this.has(PAGED) ? load<u32>(changetype<usize>(this), FIELDS) : 0;
  }

  /** Where its f64 scores, i32 ranks, u32 first slots, and its categories stand; 0: it has none. */
  scores(): usize {
    return this.has(HAS_SCORES) ? this.behindPage() : 0;
  }

  ranks(): usize {
    return this.has(HAS_RANKS) ? this.behindScores() : 0;
  }

  firstSlots(): usize {
    return this.has(HAS_REPEATS) ? this.behindRanks() : 0;
  }

  items(): usize {
    const at = this.behindRanks();
    return this.has(HAS_REPEATS) ? at + <usize>this.length() * 4 : at;
  }

  /** Nothing but its length and page is needed of it when it closes, unless somebody asks for names. */
  isPlain(): bool {
    return !this.has(HAS_SCORES | HAS_RANKS | HAS_REPEATS);
  }

  isNumeric(): bool {
    return this.has(NUMERIC);
  }

  categories(): usize {
    if (!this.has(HAS_CATEGORIES)) return 0;
    if (this.isNumeric()) return numbersEnd(this.items(), <usize>this.length());
    let at = textEnd(this.items());
    for (let left = this.length(); left > 0; left--) at = textEnd(at);
    return at;
  }

  private behindPage(): usize {
    const at = changetype<usize>(this) + FIELDS;
    return this.has(PAGED) ? at + 4 : at;
  }

  private behindScores(): usize {
    const at = this.behindPage();
    return this.has(HAS_SCORES) ? at + <usize>this.length() * 8 : at;
  }

  private behindRanks(): usize {
    const at = this.behindScores();
    return this.has(HAS_RANKS) ? at + <usize>this.length() * 4 : at;
  }
}
const FIELDS: usize = offsetof<Body>();

/** What is found in a body by an index, if it has much of it. All of a unit are in one list. */
@unmanaged
export class Indexes {
  /** Items by their texts: a ByteTable; 0: none. */
  slots: usize;
  /** Feedback by identity: a FeedbackIndex (feedback.ts); 0: none. */
  feedback: usize;
  lastFeedback: usize;
  next: usize;
  previous: usize;
}

export function body(at: usize): Body {
  assertRecord(at);
  return changetype<Body>(at);
}

export function indexesAt(at: usize): Indexes {
  return changetype<Indexes>(at);
}

/** Of `impressionEvent`; its tag and what it missed are still to be set. A list whose items take more than `longBytes` is given an index when it is searched often. */
export function addBody(arena: Arena, keys: usize, longBytes: usize): usize {
  const length = <usize>impressionEvent.length;
  const isNumeric = readNumbers(impressionEvent);
  if (impressionEvent.ids !== 0 && (!isNumeric || (impressionEvent.flags & HAS_CATEGORIES) !== 0)) packImpression();
  const prefix: usize = isNumeric ? 0 : commonPrefix(impressionEvent);
  // Behind the texts there is room for the header of a prefix, and for what `writeText` may write more.
  let bytes = FIELDS + 4 + 24;
  if (length > 0) {
    bytes +=
      4 * length +
      (isNumeric ? bytesOfNumbers(length) : textEnd(impressionEvent.item(length - 1)) - impressionEvent.item(0));
    if ((impressionEvent.flags & HAS_SCORES) !== 0) bytes += 8 * length;
    if ((impressionEvent.flags & HAS_RANKS) !== 0) bytes += 4 * length;
    if ((impressionEvent.flags & HAS_CATEGORIES) !== 0)
      bytes += textEnd(impressionEvent.category(length - 1)) - impressionEvent.category(0);
  }
  const at = reserve(arena, bytes);
  let flags = impressionEvent.flags;
  let to = at + FIELDS;
  if (impressionEvent.page !== 0) {
    flags |= PAGED;
    store<u32>(to, impressionEvent.page);
    to += 4;
  }
  if ((flags & HAS_SCORES) !== 0) to = copyBytes(to, impressionEvent.scores, 8 * length);
  if ((flags & HAS_RANKS) !== 0) to = copyBytes(to, impressionEvent.ranks, 4 * length);
  if (isNumeric) {
    flags |= NUMERIC;
    findRepeats(keys, numbers, length);
  }
  let end = isNumeric ? to : writeItems(keys, to, impressionEvent, prefix);
  if (hasRepeats) {
    // The first slots precede the items, so the items are written again behind them: lists that repeat an item are rare.
    flags |= HAS_REPEATS;
    to = copyBytes(to, firstSlots, 4 * length);
    if (!isNumeric) end = writeItems(keys, to, impressionEvent, prefix);
  }
  if (isNumeric) end = writeNumbers(to, length);
  else if (end - to > longBytes) flags |= LONG;
  if ((flags & HAS_CATEGORIES) !== 0) {
    for (let slot: usize = 0; slot < length; slot++) end = copyText(end, impressionEvent.category(slot));
  }
  const made = body(at);
  made.setUp(flags, <u32>length);
  made.userWord = <u8>impressionEvent.userWord;
  commit(arena, end);
  return at;
}

/** Its indexes of feedback must have been closed. */
export function freeBody(arena: Arena, list: usize, at: usize): void {
  if (body(at).indexes() !== 0) closeIndexes(list, at);
  free(arena, at);
}

/** The indexes of a body, empty ones if it has none. `list`: place of the first of the unit. */
export function indexesOf(list: usize, at: usize): Indexes {
  if (body(at).indexes() !== 0) return indexesAt(body(at).indexes());
  const made = take(offsetof<Indexes>());
  const first = load<usize>(list);
  indexesAt(made).slots = 0;
  indexesAt(made).feedback = 0;
  indexesAt(made).lastFeedback = body(at).lastFeedback();
  indexesAt(made).next = first;
  indexesAt(made).previous = 0;
  if (first !== 0) indexesAt(first).previous = made;
  store<usize>(list, made);
  body(at).setIndexes(made);
  return indexesAt(made);
}

function closeIndexes(list: usize, at: usize): void {
  const indexes = indexesAt(body(at).indexes());
  if (indexes.slots !== 0) closeByteTable(changetype<ByteTable>(indexes.slots));
  if (indexes.next !== 0) indexesAt(indexes.next).previous = indexes.previous;
  if (indexes.previous !== 0) indexesAt(indexes.previous).next = indexes.next;
  else store<usize>(list, indexes.next);
  give(changetype<usize>(indexes));
}

/** First slot that holds the item at `text`; -1: none. */
export function slotIn(keys: usize, list: usize, at: usize, text: usize): i32 {
  const owner = body(at);
  const items = owner.items();
  const length = owner.length();
  if (owner.isNumeric()) return slotOfNumber(items, length, text);
  const item = withoutPrefix(items, text);
  if (item === 0) return -1;
  if (!owner.has(LONG)) return slotOf(items, length, item);
  let slots: usize = owner.indexes() === 0 ? 0 : indexesAt(owner.indexes()).slots;
  if (slots === 0 && owner.isSearchedOften()) {
    slots = changetype<usize>(indexSlots(keys, items, length));
    indexesOf(list, at).slots = slots;
  }
  return slots === 0 ? slotOf(items, length, item) : indexedSlotOf(changetype<ByteTable>(slots), item);
}
