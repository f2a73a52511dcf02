/**
 * The body of an impression: its items and the ring of its feedback. It is freed when the longest horizon closes.
 *
 * After the fields: u32 page? | f64 scores? | i32 ranks? | u32 first slots? | common prefix of the items | the rest of each item |
 * categories? Items that differ only by a number are stored as in numbers.ts.
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

/** Flags in addition to those of events.ts. */
const HAS_REPEATS: u32 = 16;
/** The items take so many bytes that searching them may be slow. */
const LONG: u32 = 32;
/** The items are stored as numbers (numbers.ts). */
const NUMERIC: u32 = 64;
/** This is not the first page; it has the u32 number of slots before it. */
const PAGED: u32 = 128;
/** The impression came too late for some horizon; its entry knows for which. */
const MISSES: u32 = 256;
/** `feedback` is the address of its indexes. */
const INDEXED: u32 = 512;
/** Two bits from here on count the searches in a long list that has no index yet. */
const SEARCH: u32 = 1024;
const SEARCHES: u32 = 3 * SEARCH;
/** A long list gets an index after this many searches. By then they have cost about as much as building one. */
const SEARCHES_BEFORE_INDEX: u32 = 4;
/** The bits from here on hold the length, at most 100,000 (docs/configuration.md: limits). */
const LENGTH_SHIFT: u32 = 12;

@unmanaged
export class Body {
  tag: u32;
  /** Address of the last event in the ring of its feedback, or of its indexes, which then hold that address; 0: none. */
  private feedback: u32;
  private flagsAndLength: u32;
  /** The lowest bits of its user word. No more are needed. */
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

  /** The last of its feedback, in a ring whose first follows the last; 0: none. */
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

  /** Counts a search, and returns whether there were so many that the list should have an index. */
  isSearchedOften(): bool {
    const searches = (this.flagsAndLength & SEARCHES) / SEARCH;
    if (searches + 1 === SEARCHES_BEFORE_INDEX) return true;
    this.flagsAndLength += SEARCH;
    return false;
  }

  /** Number of slots before this page. */
  page(): u32 {
    return this.has(PAGED) ? load<u32>(changetype<usize>(this), FIELDS) : 0;
  }

  /** Addresses of its f64 scores, i32 ranks, u32 first slots, and categories; 0: it has none. */
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

  /** Whether only its length and page are needed when it closes, unless the host asks for names. */
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

/** Indexes of a large body. Those of one unit form a linked list. */
@unmanaged
export class Indexes {
  /** Items by text: a ByteTable; 0: none. */
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

/**
 * Makes a body from `impressionEvent`; its tag and the horizons it missed are set later. A list whose items take more than `longBytes`
 * gets an index once it is searched often.
 */
export function addBody(arena: Arena, keys: usize, longBytes: usize): usize {
  const length = <usize>impressionEvent.length;
  const isNumeric = readNumbers(impressionEvent);
  if (impressionEvent.ids !== 0 && (!isNumeric || (impressionEvent.flags & HAS_CATEGORIES) !== 0)) packImpression();
  const prefix: usize = isNumeric ? 0 : commonPrefix(impressionEvent);
  // The last 24 bytes are for the header of a prefix, and for what `writeText` may write beyond the text.
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
    // First slots precede the items, so the items are written again after them. Few lists repeat an item.
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

/** Frees a body. Its indexes of feedback must have been closed. */
export function freeBody(arena: Arena, list: usize, at: usize): void {
  if (body(at).indexes() !== 0) closeIndexes(list, at);
  free(arena, at);
}

/** The indexes of a body; makes empty ones if it has none. `list` is the address of the pointer to the first of the unit. */
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

/** The first slot that holds the item at `text`; -1: none. */
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
