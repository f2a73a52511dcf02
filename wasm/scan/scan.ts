/**
 * From the bytes of a record to a packed event, past JSON.parse: one pass that checks the grammar and packs the ids on its
 * way (decision 0014). It knows an event only where the record is surely valid and plain: ASCII without escapes, no field
 * twice, ids that are texts. Everything else is left to the long way in src/consumers/decode.
 */

import { writeText } from '../text';
import { findContext, keepContext } from './contexts';
import {
  categorisedSlots,
  placeItems,
  rankAt,
  rankedSlots,
  readItems,
  scoredSlots,
  slots,
  writeCategories,
} from './items';
import {
  CLOSE_BRACE,
  COMMA,
  decimalEnd,
  isNull,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  skipBlank,
  stringEnd,
  textEnd,
  valueEnd,
  wholeNumber,
} from './json';
import { keyValue, NOT_PLAIN, readKey } from './keys';
import { HINTS, PLACES, RECORD, RECORD_KEYS, RESULTS, SCANNERS, SPANS, ZEROS } from './layout';
import {
  CATEGORISED,
  DECIMAL,
  RANKED,
  setFeedback,
  setImpression,
  setTime,
  setValue,
  TEXT,
  USERLESS,
  WHOLE,
} from './results';
import {
  ACTION,
  begin,
  clearSpans,
  EMPTY,
  EVENT_ID,
  end,
  FIELDS,
  INVALID,
  ITEM_ID,
  ITEMS,
  isText,
  OFFSET,
  optionalText,
  REQUEST_ID,
  SESSION_ID,
  setSpan,
  TS,
  USER_ID,
  VALUE,
} from './spans';

/** What a record is. */
const UNKNOWN: i32 = 0;
const IMPRESSION: i32 = 1;
const FEEDBACK: i32 = 2;

/** What the topic of a scanner holds, and what is needed of its items. */
const HAS_IMPRESSIONS: u32 = 1;
const HAS_FEEDBACK: u32 = 2;
const CARRIES_CATEGORIES: u32 = 4;

/** Slots before a page. */
const MAX_OFFSET: f64 = 1000000;

/** Packed texts: the request id of an impression at their begin, its items behind as much room as that may need. */
let texts: usize = 0;
let places: usize = 0;
let mostSlots: usize = 0;
let bucketSalt: u32 = 0;

/**
 * Before all else: how large the largest record is. Returns the place behind all that is used.
 *
 * @param salt where the hash of users begins (src/vocabulary/user-words.ts)
 */
export function open(capacity: u32, salt: u32): usize {
  bucketSalt = salt;
  texts = (RECORD + <usize>capacity + ZEROS + 15) & ~15;
  places = (texts + 2 * <usize>capacity + 2 * ZEROS + 15) & ~15;
  // The shortest item is `"a"` and a comma.
  mostSlots = <usize>capacity / 4 + 1;
  return placeItems(places, mostSlots);
}

export function recordAt(): usize {
  return RECORD;
}

export function textsAt(): usize {
  return texts;
}

export function resultsAt(): usize {
  return RESULTS;
}

export function spansAt(): usize {
  return SPANS;
}

/** Of the items, so many slots each: places, ranks, spans of scores, spans of categories, places of categories. */
export function itemsAt(): usize {
  return places;
}

export function slotsAt(): u32 {
  return <u32>mostSlots;
}

/** What the record of `size` bytes at RECORD is. */
export function scan(size: u32, scanner: u32, holds: u32, itemsPerList: u32, positionBase: f64): i32 {
  const recordEnd = RECORD + <usize>size;
  memory.fill(recordEnd, 0, ZEROS);
  if (!findFields(recordEnd, scanner, itemsPerList, positionBase)) return UNKNOWN;
  if (end(ITEMS) === 0) return (holds & HAS_FEEDBACK) !== 0 && readFeedback() ? FEEDBACK : UNKNOWN;
  const isList = load<u8>(begin(ITEMS)) === OPEN_BRACKET;
  return isList && (holds & HAS_IMPRESSIONS) !== 0 && readImpression(scanner, holds) ? IMPRESSION : UNKNOWN;
}

/** Keeps the context of the record in hand under a number; -1: it is too long. 0: all numbers before are void. */
export function keep(scanner: u32): i32 {
  return keepContext(scanner);
}

/** For the host, in what it reads itself of a context: as in json.ts. */
export function blankEnd(at: usize): usize {
  return skipBlank(at);
}

export function keyEnd(at: usize): usize {
  return stringEnd(at);
}

export function anyEnd(at: usize): usize {
  return valueEnd(at, 0);
}

/** Whether the record is one plain object; notes where its fields stand, and packs its items. */
function findFields(recordEnd: usize, scanner: u32, itemsPerList: u32, positionBase: f64): bool {
  clearSpans();
  const hints = HINTS + 2 * PLACES * <usize>(scanner & (SCANNERS - 1));
  const items = texts + (recordEnd - RECORD) + 8;
  let at = skipBlank(RECORD);
  if (load<u8>(at) !== OPEN_BRACE) return false;
  at = skipBlank(at + 1);
  let nth: usize = 0;
  while (true) {
    const field = readKey(at, nth++, RECORD_KEYS, <i32>FIELDS, hints);
    if (field === NOT_PLAIN) return false;
    const value = keyValue;
    const first = load<u8>(value);
    if (first === QUOTE) at = textEnd(value + 1);
    else if (field === <i32>ITEMS && first === OPEN_BRACKET) {
      if (end(ITEMS) !== 0) return false;
      at = readItems(value, items, texts, hints + PLACES, itemsPerList, positionBase);
    } else at = valueEnd(value, 0);
    if (at === 0) return false;
    if (field >= 0) {
      if (end(<usize>field) !== 0) return false;
      setSpan(<usize>field, value, at);
    }
    at = skipBlank(at);
    const next = load<u8>(at);
    if (next === CLOSE_BRACE) return skipBlank(at + 1) === recordEnd;
    if (next !== COMMA) return false;
    at = skipBlank(at + 1);
  }
}

function readImpression(scanner: u32, holds: u32): bool {
  const user = optionalText(USER_ID);
  if (user === INVALID || !isText(REQUEST_ID) || !readTime()) return false;
  const offset = end(OFFSET) === 0 ? 0 : wholeNumber(begin(OFFSET), end(OFFSET));
  if (!(offset <= MAX_OFFSET)) return false;
  if (optionalText(EVENT_ID) === INVALID || optionalText(SESSION_ID) === INVALID) return false;
  let flags = 0;
  if (rankedSlots > 0) {
    const order = orderOfRanks(<i32>offset);
    if (order === DISORDERED) return false;
    if (order === SPARSE) flags |= RANKED;
  }
  if ((holds & CARRIES_CATEGORIES) !== 0 && categorisedSlots > 0) {
    flags |= CATEGORISED;
    writeCategories(texts, mostSlots);
  }
  if (user === EMPTY) flags |= USERLESS;
  const id = user === EMPTY ? REQUEST_ID : USER_ID;
  const userWord = wordOf(begin(id) + 1, end(id) - 1);
  writeText(texts, begin(REQUEST_ID) + 1, end(REQUEST_ID) - 1);
  setImpression(<u32>offset, slots, flags, userWord, findContext(scanner), scoredSlots);
  return true;
}

const DISORDERED: i32 = 0;
const SPARSE: i32 = 1;
const PLAIN: i32 = 2;

/** PLAIN: the ranks are those that items have without any. */
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
  const event = optionalText(EVENT_ID);
  if (event === INVALID || !isText(REQUEST_ID) || !isText(ITEM_ID) || !isText(ACTION)) return false;
  if (!readTime() || !readValue()) return false;
  if (optionalText(USER_ID) === INVALID || optionalText(SESSION_ID) === INVALID) return false;
  const item = write(texts, REQUEST_ID);
  const action = write(item, ITEM_ID);
  const eventId = write(action, ACTION);
  if (event !== EMPTY) write(eventId, EVENT_ID);
  setFeedback(<u32>(item - texts), <u32>(action - texts), event === EMPTY ? -1 : <i32>(eventId - texts));
  return true;
}

function write(at: usize, field: usize): usize {
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

/** Absent or null is none. False: it may be no finite number. */
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

/** The word that chooses a user's bucket: FNV-1a and the finaliser of MurmurHash3, as src/vocabulary/user-words.ts has them. */
function wordOf(from: usize, to: usize): u32 {
  let h = bucketSalt;
  for (let i = from; i < to; i++) h = (h ^ <u32>load<u8>(i)) * 0x01000193;
  h = (h ^ (h >> 16)) * 0x85ebca6b;
  h = (h ^ (h >> 13)) * 0xc2b2ae35;
  return h ^ (h >> 16);
}
