/** Where the values of the current record stand, by field. */
import { isNull, QUOTE, wholeNumber } from './json';
import { SPANS } from './layout';

/** Fields of a record, in the order in which the host passes their names (scan-memory.ts). */
export const REQUEST_ID: usize = 0;
export const TS: usize = 1;
export const USER_ID: usize = 2;
export const SESSION_ID: usize = 3;
export const EVENT_ID: usize = 4;
export const ITEM_ID: usize = 5;
export const ACTION: usize = 6;
export const VALUE: usize = 7;
export const OFFSET: usize = 8;
export const ITEMS: usize = 9;
/** The first of the fields from which dimensions come. */
export const CONTEXT: usize = 10;
/** There is room for so many of them; behind them stand values that a program looks at first (program.ts). */
export const MOST_FIELDS: usize = 32;
export const MOST_SPANS: usize = 96;

/** The first span behind the fields from which the dimensions of the current record come. */
export let contextEnd: usize = CONTEXT;

/** States of an optional text. */
export const INVALID: i32 = 0;
export const EMPTY: i32 = 1;
export const FULL: i32 = 2;

/** Forgets the last record. @param spans how many the next one may fill; @param context the first span behind those of its dimensions */
export function clearSpans(spans: usize, context: usize): void {
  contextEnd = context;
  const zeros = i8x16.splat(0);
  let at = SPANS;
  for (; at + 16 <= SPANS + 8 * spans; at += 16) v128.store(at, zeros);
  if (at < SPANS + 8 * spans) store<u64>(at, 0);
}

export function setSpan(field: usize, from: usize, to: usize): void {
  store<u32>(SPANS + 8 * field, <u32>from);
  store<u32>(SPANS + 8 * field, <u32>to, 4);
}

export function begin(field: usize): usize {
  return <usize>load<u32>(SPANS + 8 * field);
}

/** 0 if the record has no such field. */
export function end(field: usize): usize {
  return <usize>load<u32>(SPANS + 8 * field, 4);
}

/** Whether the record has no such field, or null in it. */
export function isAbsent(field: usize): bool {
  return end(field) === 0 || isNull(begin(field));
}

/** Whether it is a text that is not empty. */
export function isText(field: usize): bool {
  const from = begin(field);
  return end(field) > from + 2 && load<u8>(from) === QUOTE;
}

/**
 * EMPTY: absent, null, or an empty text. A whole number is the text of its digits: its span becomes one byte longer at both ends, like that
 * of a text in its quotes. To be asked once for each record.
 */
export function readId(field: usize): i32 {
  const to = end(field);
  if (to === 0) return EMPTY;
  const from = begin(field);
  if (load<u8>(from) === QUOTE) return to > from + 2 ? FULL : EMPTY;
  if (isNull(from)) return EMPTY;
  if (!(wholeNumber(from, to) >= 0)) return INVALID;
  setSpan(field, from - 1, to + 1);
  return FULL;
}

/** Whether `readId` has found an id. */
export function hasId(field: usize): bool {
  return end(field) > begin(field) + 2 && !isNull(begin(field));
}
