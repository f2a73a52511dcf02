/**
 * An impression's body: its items and the chain of its feedback. It is freed when the longest horizon closes.
 *
 * Behind the fields: f64 scores? | i32 ranks? | u32 first slots? | what all items begin with | the rest of each item | categories?
 * Items that differ by a number alone are kept as in numbers.ts.
 */
import { packImpression } from '../scan/scan';
import { Arena, commit, free, reserve } from './arena';
import { ByteTable, closeByteTable } from './byte-table';
import { HAS_CATEGORIES, HAS_RANKS, HAS_SCORES, shown, USERLESS } from './events';
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
/** The rest of the flags counts searches for items in a long list that has no index yet. */
const SEARCH: u32 = 128;
/** A long list gets an index after this many searches, which have cost about as much as building one. */
const SEARCHES_BEFORE_INDEX: u32 = 4;

@unmanaged
export class Body {
  tag: u32;
  /** Bit h is set: the impression came too late for horizon h. */
  missed: u32;
  length: u32;
  firstFeedback: usize;
  lastFeedback: usize;
  flags: u32;
  page: u32;
  userWord: u32;
  /** 0: none. */
  indexes: usize;

  isUserless(): bool {
    return (this.flags & USERLESS) !== 0;
  }

  /** Where its f64 scores, i32 ranks, u32 first slots, and its categories stand; 0: it has none. */
  scores(): usize {
    return (this.flags & HAS_SCORES) === 0 ? 0 : changetype<usize>(this) + FIELDS;
  }

  ranks(): usize {
    return (this.flags & HAS_RANKS) === 0 ? 0 : this.behindScores();
  }

  firstSlots(): usize {
    return (this.flags & HAS_REPEATS) === 0 ? 0 : this.behindRanks();
  }

  items(): usize {
    const at = this.behindRanks();
    return (this.flags & HAS_REPEATS) === 0 ? at : at + <usize>this.length * 4;
  }

  /** Nothing but its length and page is needed of it when it closes, unless somebody asks for names. */
  isPlain(): bool {
    return (this.flags & (HAS_SCORES | HAS_RANKS | HAS_REPEATS)) === 0;
  }

  isNumeric(): bool {
    return (this.flags & NUMERIC) !== 0;
  }

  categories(): usize {
    if ((this.flags & HAS_CATEGORIES) === 0) return 0;
    if (this.isNumeric()) return numbersEnd(this.items(), <usize>this.length);
    let at = textEnd(this.items());
    for (let slot: u32 = 0; slot < this.length; slot++) at = textEnd(at);
    return at;
  }

  private behindScores(): usize {
    const at = changetype<usize>(this) + FIELDS;
    return (this.flags & HAS_SCORES) === 0 ? at : at + <usize>this.length * 8;
  }

  private behindRanks(): usize {
    const at = this.behindScores();
    return (this.flags & HAS_RANKS) === 0 ? at : at + <usize>this.length * 4;
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
  next: usize;
  previous: usize;
}

export function body(at: usize): Body {
  return changetype<Body>(at);
}

export function indexesAt(at: usize): Indexes {
  return changetype<Indexes>(at);
}

/** Of `shown`; its tag and what it missed are still to be set. A list whose items take more than `longBytes` is given an index when it is searched often. */
export function addBody(arena: Arena, keys: usize, longBytes: usize): usize {
  const length = <usize>shown.length;
  const isNumeric = readNumbers(shown);
  if (shown.ids !== 0 && (!isNumeric || (shown.flags & HAS_CATEGORIES) !== 0)) packImpression();
  const prefix = isNumeric ? 0 : commonPrefix(shown);
  // Behind the texts there is room for the header of a prefix, and for what `writeText` may write more.
  let bytes = FIELDS + 24;
  if (length > 0) {
    bytes += 4 * length + (isNumeric ? bytesOfNumbers(length) : textEnd(shown.item(length - 1)) - shown.item(0));
    if ((shown.flags & HAS_SCORES) !== 0) bytes += 8 * length;
    if ((shown.flags & HAS_RANKS) !== 0) bytes += 4 * length;
    if ((shown.flags & HAS_CATEGORIES) !== 0) bytes += textEnd(shown.category(length - 1)) - shown.category(0);
  }
  const at = reserve(arena, bytes);
  let flags = shown.flags;
  let to = at + FIELDS;
  if ((flags & HAS_SCORES) !== 0) to = copyBytes(to, shown.scores, 8 * length);
  if ((flags & HAS_RANKS) !== 0) to = copyBytes(to, shown.ranks, 4 * length);
  if (isNumeric) {
    flags |= NUMERIC;
    findRepeats(keys, numbers, length);
  }
  let end = isNumeric ? to : writeItems(keys, to, shown, prefix);
  if (hasRepeats) {
    // The first slots precede the items, so the items are written again behind them: lists that repeat an item are rare.
    flags |= HAS_REPEATS;
    to = copyBytes(to, firstSlots, 4 * length);
    if (!isNumeric) end = writeItems(keys, to, shown, prefix);
  }
  if (isNumeric) end = writeNumbers(to, length);
  else if (end - to > longBytes) flags |= LONG;
  if ((flags & HAS_CATEGORIES) !== 0) {
    for (let slot: usize = 0; slot < length; slot++) end = copyText(end, shown.category(slot));
  }
  const made = body(at);
  made.length = <u32>length;
  made.firstFeedback = 0;
  made.lastFeedback = 0;
  made.flags = flags;
  made.page = shown.page;
  made.userWord = shown.userWord;
  made.indexes = 0;
  commit(arena, end);
  return at;
}

/** Its indexes of feedback must have been closed. */
export function freeBody(arena: Arena, list: usize, at: usize): void {
  if (body(at).indexes !== 0) closeIndexes(list, at);
  free(arena, at);
}

/** The indexes of a body, empty ones if it has none. `list`: place of the first of the unit. */
export function indexesOf(list: usize, at: usize): Indexes {
  if (body(at).indexes !== 0) return indexesAt(body(at).indexes);
  const made = take(offsetof<Indexes>());
  const first = load<usize>(list);
  indexesAt(made).slots = 0;
  indexesAt(made).feedback = 0;
  indexesAt(made).next = first;
  indexesAt(made).previous = 0;
  if (first !== 0) indexesAt(first).previous = made;
  store<usize>(list, made);
  body(at).indexes = made;
  return indexesAt(made);
}

function closeIndexes(list: usize, at: usize): void {
  const indexes = indexesAt(body(at).indexes);
  if (indexes.slots !== 0) closeByteTable(changetype<ByteTable>(indexes.slots));
  if (indexes.next !== 0) indexesAt(indexes.next).previous = indexes.previous;
  if (indexes.previous !== 0) indexesAt(indexes.previous).next = indexes.next;
  else store<usize>(list, indexes.next);
  give(changetype<usize>(indexes));
  body(at).indexes = 0;
}

/** First slot that holds the item at `text`; -1: none. */
export function slotIn(keys: usize, list: usize, at: usize, text: usize): i32 {
  const owner = body(at);
  const items = owner.items();
  if (owner.isNumeric()) return slotOfNumber(items, owner.length, text);
  const item = withoutPrefix(items, text);
  if (item === 0) return -1;
  if ((owner.flags & LONG) !== 0) {
    if (owner.indexes === 0 || indexesAt(owner.indexes).slots === 0) {
      owner.flags += SEARCH;
      if (owner.flags >= SEARCHES_BEFORE_INDEX * SEARCH) {
        indexesOf(list, at).slots = changetype<usize>(indexSlots(keys, items, owner.length));
      }
    }
    if (owner.indexes !== 0 && indexesAt(owner.indexes).slots !== 0) {
      return indexedSlotOf(changetype<ByteTable>(indexesAt(owner.indexes).slots), item);
    }
  }
  return slotOf(items, owner.length, item);
}
