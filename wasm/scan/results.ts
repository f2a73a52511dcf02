/** The result of `scan`, where the host reads it. Positions of texts are relative to the beginning of the packed texts. */
import { HAS_CATEGORIES } from '../engine/events';
import { RESULTS } from './layout';

@unmanaged
export class Results {
  /** In milliseconds, or in another unit according to `timeForm`. */
  time: f64;
  /** The value of feedback; NaN: none. */
  value: f64;
  timeForm: i32;
  valueForm: i32;
  offset: u32;
  length: u32;
  /** USERLESS, HAS_RANKS, HAS_CATEGORIES (engine/events.ts). */
  flags: u32;
  userWord: u32;
  context: i32;
  item: u32;
  action: u32;
  eventId: i32;
  scored: u32;
}
const results = changetype<Results>(RESULTS);

/** Forms of a number: its value is in this structure, or it is a text, or a decimal. The host reads texts and decimals from their spans. */
export const WHOLE: i32 = 0;
export const TEXT: i32 = 1;
export const DECIMAL: i32 = 2;

export function setTime(form: i32, value: f64): void {
  results.timeForm = form;
  results.time = value;
}

export function setValue(form: i32, value: f64): void {
  results.valueForm = form;
  results.value = value;
}

export function setImpression(offset: u32, length: u32, flags: u32, userWord: u32, context: i32, scored: u32): void {
  results.offset = offset;
  results.length = length;
  results.flags = flags;
  results.userWord = userWord;
  results.context = context;
  results.scored = scored;
}

export function setFeedback(item: u32, action: u32, eventId: i32): void {
  results.item = item;
  results.action = action;
  results.eventId = eventId;
}

export function timeForm(): i32 {
  return results.timeForm;
}

export function wholeTime(): f64 {
  return results.time;
}

export function valueForm(): i32 {
  return results.valueForm;
}

export function wholeValue(): f64 {
  return results.value;
}

export function offset(): u32 {
  return results.offset;
}

export function flags(): u32 {
  return results.flags;
}

export function hasCategories(): bool {
  return (flags() & HAS_CATEGORIES) !== 0;
}

export function userWord(): u32 {
  return results.userWord;
}

/** Number of the context; below 0: it is not known. */
export function context(): i32 {
  return results.context;
}

/** Positions of the other ids of feedback, relative to its request id. The last is -1 if it has no event id. */
export function itemPlace(): u32 {
  return results.item;
}

export function actionPlace(): u32 {
  return results.action;
}

export function eventIdPlace(): i32 {
  return results.eventId;
}
