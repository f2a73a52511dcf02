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
import { Key, Node } from './program';

/** Fields of an item, by the numbers that the host has for them (scan-program.ts). The fourth is the team. */
const ID: i32 = 0;
const SCORE: i32 = 1;
const POSITION: i32 = 2;
const PROPENSITY: i32 = 3;
const CATEGORY: i32 = 5;

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

/** Number of the item that is read, of all items. */
let visit: u32 = 0;
/** One bit for each field that the item has. */
let seen: u32 = 0;

/** Records where the items of the list at `at` stand. Returns the end of the list; 0: it may be invalid. */
export function readItems(at: usize, node: Node, itemsPerList: u32, positionBase: f64): usize {
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
    if (load<u8>(i) !== OPEN_BRACE) i = node.scalars !== 0 ? readId(i, slot) : 0;
    else {
      seen = 0;
      visit++;
      i = readItem(i, slot, node, positionBase);
      if ((seen & 1) === 0) return 0;
    }
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

/** The end of an item, or of an object in it. */
function readItem(at: usize, slot: usize, node: Node, positionBase: f64): usize {
  if (load<u8>(at) !== OPEN_BRACE) return 0;
  let i = skipBlank(at + 1);
  if (load<u8>(i) === CLOSE_BRACE) return i + 1;
  let nth: usize = 0;
  while (true) {
    const found = readKey(i, nth++, node);
    if (found === NOT_PLAIN) return 0;
    const value = keyValue;
    i = found === OTHER_NAME ? valueEnd(value, 0) : readField(value, slot, changetype<Key>(found), positionBase);
    if (i === 0) return 0;
    i = skipBlank(i);
    const next = load<u8>(i);
    if (next === CLOSE_BRACE) return i + 1;
    if (next !== COMMA) return 0;
    i = skipBlank(i + 1);
  }
}

function readField(value: usize, slot: usize, key: Key, positionBase: f64): usize {
  const name = key.field;
  if (name >= 0) {
    const bit: u32 = 1 << name;
    if ((seen & bit) !== 0) return 0;
    seen |= bit;
  }
  if (key.node !== 0) {
    if (key.seen === visit || name >= 0) return 0;
    key.seen = visit;
    return load<u8>(value) === OPEN_BRACE
      ? readItem(value, slot, changetype<Node>(key.node), positionBase)
      : valueEnd(value, 0);
  }
  if (name === ID) return readId(value, slot);
  if (name === SCORE) return readScore(value, slot);
  if (name === PROPENSITY) return decimalEnd(value);
  if (name === POSITION) return readRank(value, slot, positionBase);
  return readWord(value, name, slot);
}

function readId(at: usize, slot: usize): usize {
  if (load<u8>(at) !== QUOTE) return readNumber(at, slot);
  const end = behindQuote(at + 1);
  if (end <= at + 2) return 0;
  store<u32>(ids + 8 * slot, <u32>at + 1);
  store<u32>(ids + 8 * slot, <u32>end - 1, 4);
  return end;
}

/** Reads an id that is a whole number, which is the text of its digits. */
function readNumber(at: usize, slot: usize): usize {
  const end = decimalEnd(at);
  if (!(wholeNumber(at, end) >= 0)) return 0;
  store<u32>(ids + 8 * slot, <u32>at);
  store<u32>(ids + 8 * slot, <u32>end, 4);
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
