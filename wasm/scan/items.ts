/** Reads the items of an impression, the largest part of most records. */

import { writeText } from '../text';
import {
  behindQuote,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  decimalEnd,
  OPEN_BRACE,
  QUOTE,
  skipBlank,
  stringEnd,
  valueEnd,
  wholeNumber,
} from './json';
import { keyValue, NOT_PLAIN, OTHER_NAME, readKey } from './keys';
import { ITEM_KEYS } from './layout';

/** Names of an item's fields, in the order in which the host passes them (scan-memory.ts). The fourth is the team. */
const ID: i32 = 0;
const SCORE: i32 = 1;
const POSITION: i32 = 2;
const PROPENSITY: i32 = 3;
const CATEGORY: i32 = 5;
const FIELDS: i32 = 6;

/** Ranks are kept in 32 bits. */
const MAX_RANK: f64 = 2147483647;

/**
 * Arrays by slot: u32 position of the packed id, i32 rank, span of the score (2 u32; 0: none), span of the category (likewise), u32
 * position of the packed category, f64 score as the host reads it, span of the id (2 u32, without quotes).
 */
let places: usize = 0;
export let ranks: usize = 0;
let scores: usize = 0;
let categories: usize = 0;
export let categoryPlaces: usize = 0;
export let scoreValues: usize = 0;
export let ids: usize = 0;
export const BYTES_PER_SLOT: usize = 44;

/** Bytes per slot of all preceding arrays, for the arrays that the host reads or writes. Scores are aligned to 8. */
export const BEFORE_RANKS: usize = 4;
export const BEFORE_SCORE_SPANS: usize = 8;
export const BEFORE_CATEGORY_PLACES: usize = 24;
export const BEFORE_SCORES: usize = 28;

export let slots: u32 = 0;
export let rankedSlots: u32 = 0;
export let scoredSlots: u32 = 0;
export let categorisedSlots: u32 = 0;

/** Sets the address of these arrays, for lists of at most `most` items. */
export function placeItems(at: usize, most: usize): void {
  places = at;
  ranks = at + BEFORE_RANKS * most;
  scores = at + BEFORE_SCORE_SPANS * most;
  categories = scores + 8 * most;
  categoryPlaces = at + BEFORE_CATEGORY_PLACES * most;
  scoreValues = (at + BEFORE_SCORES * most + 7) & ~7;
  ids = scoreValues + 8 * most;
}

export function placesAt(): usize {
  return places;
}

export function rankAt(slot: u32): i32 {
  return load<i32>(ranks + 4 * <usize>slot);
}

/** Records where the items of the list at `at` stand. Returns the end of the list; 0: it may be invalid. */
export function readItems(at: usize, hints: usize, itemsPerList: u32, positionBase: f64): usize {
  slots = 0;
  rankedSlots = 0;
  scoredSlots = 0;
  categorisedSlots = 0;
  let i = skipBlank(at + 1);
  if (load<u8>(i) === CLOSE_BRACKET) return i + 1;
  while (true) {
    if (slots === itemsPerList) return 0;
    const slot = <usize>slots;
    store<u64>(scores + 8 * slot, 0);
    store<u64>(categories + 8 * slot, 0);
    i = load<u8>(i) === QUOTE ? readId(i, slot) : readItem(i, slot, hints, positionBase);
    if (i === 0) return 0;
    slots++;
    i = skipBlank(i);
    const next = load<u8>(i);
    if (next === CLOSE_BRACKET) break;
    if (next !== COMMA) return 0;
    i = skipBlank(i + 1);
  }
  return rankedSlots !== 0 && rankedSlots !== slots ? 0 : i + 1;
}

function readItem(at: usize, slot: usize, hints: usize, positionBase: f64): usize {
  if (load<u8>(at) !== OPEN_BRACE) return 0;
  let seen: u32 = 0;
  let i = skipBlank(at + 1);
  let nth: usize = 0;
  while (true) {
    const name = readKey(i, nth++, ITEM_KEYS, FIELDS, hints);
    if (name === NOT_PLAIN) return 0;
    const value = keyValue;
    if (name === ID) i = readId(value, slot);
    else if (name === SCORE) i = readScore(value, slot);
    else if (name === PROPENSITY) i = decimalEnd(value);
    else if (name === POSITION) i = readRank(value, slot, positionBase);
    else if (name === OTHER_NAME) i = valueEnd(value, 0);
    else i = readWord(value, name, slot);
    if (i === 0) return 0;
    if (name >= 0) {
      const bit: u32 = 1 << name;
      if ((seen & bit) !== 0) return 0;
      seen |= bit;
    }
    i = skipBlank(i);
    const next = load<u8>(i);
    if (next === CLOSE_BRACE) return (seen & 1) === 0 ? 0 : i + 1;
    if (next !== COMMA) return 0;
    i = skipBlank(i + 1);
  }
}

function readId(at: usize, slot: usize): usize {
  if (load<u8>(at) !== QUOTE) return 0;
  const end = behindQuote(at + 1);
  if (end <= at + 2) return 0;
  store<u32>(ids + 8 * slot, <u32>at + 1);
  store<u32>(ids + 8 * slot, <u32>end - 1, 4);
  return end;
}

function readScore(at: usize, slot: usize): usize {
  const end = decimalEnd(at);
  if (end === 0) return 0;
  store<u32>(scores + 8 * slot, <u32>at);
  store<u32>(scores + 8 * slot, <u32>end, 4);
  scoredSlots++;
  return end;
}

function readRank(at: usize, slot: usize, positionBase: f64): usize {
  const end = decimalEnd(at);
  const rank = wholeNumber(at, end) - positionBase + 1;
  if (!(rank >= 1 && rank <= MAX_RANK)) return 0;
  store<i32>(ranks + 4 * slot, <i32>rank);
  rankedSlots++;
  return end;
}

/** Reads a category, or a team, which is not kept. */
function readWord(at: usize, name: i32, slot: usize): usize {
  const end = stringEnd(at);
  if (end === 0 || name !== CATEGORY || end === at + 2) return end;
  store<u32>(categories + 8 * slot, <u32>at + 1);
  store<u32>(categories + 8 * slot, <u32>end - 1, 4);
  categorisedSlots++;
  return end;
}

/**
 * Packs the ids at `to`. Returns the end.
 * @param texts address to which positions are relative
 */
export function writeIds(to: usize, texts: usize): usize {
  let at = to;
  for (let slot: usize = 0; slot < <usize>slots; slot++) {
    store<u32>(places + 4 * slot, <u32>(at - texts));
    at = writeText(at, load<u32>(ids + 8 * slot), load<u32>(ids + 8 * slot, 4));
  }
  return at;
}

/** Packs the categories likewise, with an empty text where there is none. */
export function writeCategories(to: usize, texts: usize): void {
  let at = to;
  for (let slot: usize = 0; slot < <usize>slots; slot++) {
    store<u32>(categoryPlaces + 4 * slot, <u32>(at - texts));
    at = writeText(at, load<u32>(categories + 8 * slot), load<u32>(categories + 8 * slot, 4));
  }
}
