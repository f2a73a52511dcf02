/**
 * Turns the bytes of a record into a packed event without JSON.parse: one pass checks the grammar, then the ids are packed (decision
 * 0014). It recognises an event only if the record is certainly valid and plain: ASCII without escapes, no field twice, ids that are
 * texts or whole numbers. All other records are left to src/consumers/decode.
 */

import { HAS_CATEGORIES, HAS_RANKS, USERLESS } from '../engine/events';
import { giveShared, sizeOf, takeShared } from '../engine/memory';
import { writeText } from '../text';
import { findContext, keepContext } from './contexts';
import {
  BYTES_PER_SLOT,
  categorisedSlots,
  placeItems,
  rankAt,
  rankedSlots,
  readItems,
  scoredSlots,
  slots,
  writeCategories,
  writeIds,
} from './items';
import {
  behindQuote,
  CLOSE_BRACE,
  COMMA,
  decimalEnd,
  isNull,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  skipBlank,
  stringEnd,
  valueEnd,
  wholeNumber,
} from './json';
import { keyValue, NOT_PLAIN, OTHER_NAME, readKey } from './keys';
import { ZEROS } from './layout';
import { choose, Key, Node, Program } from './program';
import { DECIMAL, hasCategories, setFeedback, setImpression, setTime, setValue, TEXT, WHOLE } from './results';
import {
  ACTION,
  begin,
  clearSpans,
  EMPTY,
  EVENT_ID,
  end,
  FULL,
  hasId,
  INVALID,
  ITEM_ID,
  ITEMS,
  isText,
  OFFSET,
  REQUEST_ID,
  readId,
  SESSION_ID,
  setSpan,
  TS,
  USER_ID,
  VALUE,
} from './spans';

/** Kind of a record. */
export const UNKNOWN: i32 = 0;
export const IMPRESSION: i32 = 1;
export const FEEDBACK: i32 = 2;

/** Bits of `holds`: the sides of the scanner's topic, and whether the categories of its items are needed. */
export const HAS_IMPRESSIONS: u32 = 1;
export const HAS_FEEDBACK: u32 = 2;
export const CARRIES_CATEGORIES: u32 = 4;

/** Most slots before a page. */
const MAX_OFFSET: f64 = 1000000;

/** Address of the record, if the host has written it here. */
let record: usize = 0;
/**
 * Address of the packed texts, to which positions are relative: the request id, then items and categories, or item, action and event id.
 */
export let texts: usize = 0;
let places: usize = 0;
let mostSlots: usize = 0;
let bucketSalt: u32 = 0;

/**
 * Must be called once, before anything else in this file.
 * @param salt initial value of the hash of users (src/vocabulary/user-words.ts)
 */
export function openScan(salt: u32): void {
  bucketSalt = salt;
}

/** Makes room for records of up to `capacity` bytes. Results of the last record are lost. */
export function reserveScan(capacity: u32): void {
  // The shortest item is `"a"` and a comma.
  mostSlots = <usize>capacity / 4 + 1;
  const room = (<usize>capacity + ZEROS + 15) & ~15;
  const bytes = room * 3 + BYTES_PER_SLOT * mostSlots;
  if (record !== 0 && sizeOf(record) >= bytes) return;
  if (record !== 0) giveShared(record);
  record = takeShared(bytes);
  texts = record + room;
  places = texts + room * 2;
  placeItems(places, mostSlots);
}

/** Address at which the host writes a record. The results are in results.ts and spans.ts. */
export function recordAt(): usize {
  return record;
}

export function textsAt(): usize {
  return texts;
}

/** Address of the arrays of items (items.ts), with room for `slotsAt` slots. */
export function itemsAt(): usize {
  return places;
}

export function slotsAt(): u32 {
  return <u32>mostSlots;
}

/** Kind of the record of `size` bytes that the host has written. Also packs its ids. */
export function scan(size: u32, program: usize, scanner: u32, holds: u32, itemsPerList: u32, positionBase: f64): i32 {
  memory.fill(record + <usize>size, 0, ZEROS);
  const kind = readRecord(record, <usize>size, program, scanner, holds, itemsPerList, positionBase);
  if (kind === IMPRESSION) packImpression();
  else if (kind === FEEDBACK) packFeedback(texts);
  return kind;
}

/** Kind of the record at `at`, which ZEROS follow. Also records where its fields stand. */
export function readRecord(
  at: usize,
  size: usize,
  program: usize,
  scanner: u32,
  holds: u32,
  itemsPerList: u32,
  positionBase: f64,
): i32 {
  if (!findFields(at, at + size, changetype<Program>(program), itemsPerList, positionBase)) return UNKNOWN;
  if (end(ITEMS) === 0) return (holds & HAS_FEEDBACK) !== 0 && readFeedback() ? FEEDBACK : UNKNOWN;
  const isList = load<u8>(begin(ITEMS)) === OPEN_BRACKET;
  return isList && (holds & HAS_IMPRESSIONS) !== 0 && readImpression(scanner, holds) ? IMPRESSION : UNKNOWN;
}

/** Keeps the current record's context under a number; -1: it is too long. 0: all previous numbers are void. */
export function keep(scanner: u32, ignored: u32): i32 {
  return keepContext(scanner, ignored);
}

/** For the host, when it reads a context itself (json.ts). */
export function blankEnd(at: usize): usize {
  return skipBlank(at);
}

export function keyEnd(at: usize): usize {
  return stringEnd(at);
}

export function anyEnd(at: usize): usize {
  return valueEnd(at, 0);
}

/** Number of the record that is read, of all records. */
let visit: u32 = 0;
/** Whether the list of items was read. */
let isListRead: bool = false;

/** Whether the record is one plain object. Also records where its fields and items stand. */
function findFields(from: usize, recordEnd: usize, program: Program, itemsPerList: u32, positionBase: f64): bool {
  clearSpans(<usize>program.spans, <usize>program.contextEnd);
  visit++;
  isListRead = false;
  const at = skipBlank(from);
  if (load<u8>(at) !== OPEN_BRACE) return false;
  const behind = readObject(at, changetype<Node>(program.root), itemsPerList, positionBase);
  return behind !== 0 && skipBlank(behind) === recordEnd && choose(program);
}

/** The end of the record, or of an object in it; 0: it may be invalid. */
function readObject(from: usize, node: Node, itemsPerList: u32, positionBase: f64): usize {
  let at = skipBlank(from + 1);
  if (load<u8>(at) === CLOSE_BRACE) return at + 1;
  let nth: usize = 0;
  while (true) {
    const found = readKey(at, nth++, node);
    if (found === NOT_PLAIN) return 0;
    const value = keyValue;
    const first = load<u8>(value);
    if (found === OTHER_NAME) at = first === QUOTE ? behindQuote(value + 1) : valueEnd(value, 0);
    else {
      const key = changetype<Key>(found);
      if (key.node === 0 && first === QUOTE) at = behindQuote(value + 1);
      else at = readMember(value, key, itemsPerList, positionBase);
      if (at === 0) return 0;
      if (key.field >= 0) {
        if (end(<usize>key.field) !== 0) return 0;
        setSpan(<usize>key.field, value, at);
      }
    }
    if (at === 0) return 0;
    at = skipBlank(at);
    const next = load<u8>(at);
    if (next === CLOSE_BRACE) return at + 1;
    if (next !== COMMA) return 0;
    at = skipBlank(at + 1);
  }
}

/**
 * The end of a member that is no text, or in which something is looked for. A pointer leads into a text that holds JSON, too, but no plain
 * text holds an object with members.
 */
function readMember(value: usize, key: Key, itemsPerList: u32, positionBase: f64): usize {
  const first = load<u8>(value);
  if (key.items !== 0 && first === OPEN_BRACKET) {
    if (isListRead) return 0;
    isListRead = true;
    return readItems(value, changetype<Node>(key.items), itemsPerList, positionBase);
  }
  if (key.node === 0) return valueEnd(value, 0);
  if (key.seen === visit) return 0;
  key.seen = visit;
  return first === OPEN_BRACE
    ? readObject(value, changetype<Node>(key.node), itemsPerList, positionBase)
    : valueEnd(value, 0);
}

function readImpression(scanner: u32, holds: u32): bool {
  const user = readId(USER_ID);
  if (user === INVALID || readId(REQUEST_ID) !== FULL || !readTime()) return false;
  const offset = end(OFFSET) === 0 ? 0 : wholeNumber(begin(OFFSET), end(OFFSET));
  if (!(offset <= MAX_OFFSET)) return false;
  if (readId(EVENT_ID) === INVALID || readId(SESSION_ID) === INVALID) return false;
  let flags: u32 = 0;
  if (rankedSlots > 0) {
    const order = orderOfRanks(<i32>offset);
    if (order === DISORDERED) return false;
    if (order === SPARSE) flags |= HAS_RANKS;
  }
  if ((holds & CARRIES_CATEGORIES) !== 0 && categorisedSlots > 0) flags |= HAS_CATEGORIES;
  if (user === EMPTY) flags |= USERLESS;
  const id = user === EMPTY ? REQUEST_ID : USER_ID;
  const userWord = wordOf(begin(id) + 1, end(id) - 1);
  setImpression(<u32>offset, slots, flags, userWord, findContext(scanner), scoredSlots);
  return true;
}

/** Packs the ids of the impression that was read: the request id at `texts`, then its items, and its categories if they are needed. */
export function packImpression(): void {
  const behind = writeText(texts, begin(REQUEST_ID) + 1, end(REQUEST_ID) - 1);
  const idsEnd = writeIds(behind, texts);
  if (hasCategories()) writeCategories(idsEnd, texts);
}

const DISORDERED: i32 = 0;
const SPARSE: i32 = 1;
const PLAIN: i32 = 2;

/** PLAIN if the ranks are those that items without ranks have. */
function orderOfRanks(offset: i32): i32 {
  let order = PLAIN;
  for (let slot: u32 = 0; slot < slots; slot++) {
    const rank = rankAt(slot);
    if (rank !== offset + <i32>slot + 1) order = SPARSE;
    if (slot > 0 && rank <= rankAt(slot - 1)) return DISORDERED;
  }
  return order;
}

function readFeedback(): bool {
  if (readId(EVENT_ID) === INVALID || readId(REQUEST_ID) !== FULL || readId(ITEM_ID) !== FULL) return false;
  if (!isText(ACTION) || !readTime() || !readValue()) return false;
  return readId(USER_ID) !== INVALID && readId(SESSION_ID) !== INVALID;
}

/** Packs the ids of the feedback that was read, from `to` on, to which positions are relative. Returns the end. */
export function packFeedback(to: usize): usize {
  const hasEventId = hasId(EVENT_ID);
  const item = write(to, REQUEST_ID);
  const action = write(item, ITEM_ID);
  const eventId = write(action, ACTION);
  setFeedback(<u32>(item - to), <u32>(action - to), hasEventId ? <i32>(eventId - to) : -1);
  return hasEventId ? write(eventId, EVENT_ID) : eventId;
}

/** Packs the text of a field. */
export function write(at: usize, field: usize): usize {
  return writeText(at, begin(field) + 1, end(field) - 1);
}

function readTime(): bool {
  const from = begin(TS);
  const to = end(TS);
  if (to === 0) return false;
  if (load<u8>(from) === QUOTE) {
    setTime(TEXT, NaN);
    return true;
  }
  const whole = wholeNumber(from, to);
  if (whole >= 0) {
    setTime(WHOLE, whole);
    return true;
  }
  setTime(DECIMAL, NaN);
  return decimalEnd(from) === to;
}

/** Reads the value; a field that is absent or null is none. False: it may be no finite number. */
function readValue(): bool {
  const from = begin(VALUE);
  const to = end(VALUE);
  if (to === 0 || isNull(from)) {
    setValue(WHOLE, NaN);
    return true;
  }
  const whole = wholeNumber(from, to);
  if (whole >= 0) {
    setValue(WHOLE, whole);
    return true;
  }
  setValue(DECIMAL, NaN);
  return decimalEnd(from) === to;
}

/** The word that chooses a user's bucket: FNV-1a with the finaliser of MurmurHash3, as in src/vocabulary/user-words.ts. */
function wordOf(from: usize, to: usize): u32 {
  let h = bucketSalt;
  for (let i = from; i < to; i++) h = (h ^ <u32>load<u8>(i)) * 0x01000193;
  h = (h ^ (h >> 16)) * 0x85ebca6b;
  h = (h ^ (h >> 13)) * 0xc2b2ae35;
  return h ^ (h >> 16);
}
