/** What `scan` found, where the host reads it. Places of texts are counted from the begin of the packed texts. */
import { RESULTS } from './layout';

/** f64: milliseconds or whatever the unit is, where `TIME_FORM` says so. */
const TIME: usize = 0;
/** f64: the value of feedback; NaN: none. */
const VALUE: usize = 8;
/** i32 from here on. */
const TIME_FORM: usize = 16;
const VALUE_FORM: usize = 20;
const OFFSET: usize = 24;
const LENGTH: usize = 28;
const FLAGS: usize = 32;
const USER_WORD: usize = 36;
const CONTEXT: usize = 40;
const ITEM: usize = 44;
const ACTION: usize = 48;
const EVENT_ID: usize = 52;
const SCORED: usize = 56;

/** Forms of a number: its value stands here; it is a text; it is a decimal. The host reads the last two from their span. */
export const WHOLE: i32 = 0;
export const TEXT: i32 = 1;
export const DECIMAL: i32 = 2;

export const USERLESS: i32 = 1;
export const RANKED: i32 = 2;
export const CATEGORISED: i32 = 4;

export function setTime(form: i32, value: f64): void {
  store<i32>(RESULTS, form, TIME_FORM);
  store<f64>(RESULTS, value, TIME);
}

export function setValue(form: i32, value: f64): void {
  store<i32>(RESULTS, form, VALUE_FORM);
  store<f64>(RESULTS, value, VALUE);
}

export function setImpression(offset: u32, length: u32, flags: i32, userWord: u32, context: i32, scored: u32): void {
  store<u32>(RESULTS, offset, OFFSET);
  store<u32>(RESULTS, length, LENGTH);
  store<i32>(RESULTS, flags, FLAGS);
  store<u32>(RESULTS, userWord, USER_WORD);
  store<i32>(RESULTS, context, CONTEXT);
  store<u32>(RESULTS, scored, SCORED);
}

export function setFeedback(item: u32, action: u32, eventId: i32): void {
  store<u32>(RESULTS, item, ITEM);
  store<u32>(RESULTS, action, ACTION);
  store<i32>(RESULTS, eventId, EVENT_ID);
}

export function timeForm(): i32 {
  return load<i32>(RESULTS, TIME_FORM);
}

export function wholeTime(): f64 {
  return load<f64>(RESULTS, TIME);
}

export function valueForm(): i32 {
  return load<i32>(RESULTS, VALUE_FORM);
}

export function wholeValue(): f64 {
  return load<f64>(RESULTS, VALUE);
}

export function offset(): u32 {
  return load<u32>(RESULTS, OFFSET);
}

export function flags(): i32 {
  return load<i32>(RESULTS, FLAGS);
}

export function hasCategories(): bool {
  return (flags() & CATEGORISED) !== 0;
}

export function userWord(): u32 {
  return load<u32>(RESULTS, USER_WORD);
}

/** Its number; below 0: it is not known. */
export function context(): i32 {
  return load<i32>(RESULTS, CONTEXT);
}

/** Places of the ids of feedback besides the request id, counted from it. The last is -1 where it has no event id. */
export function itemPlace(): u32 {
  return load<u32>(RESULTS, ITEM);
}

export function actionPlace(): u32 {
  return load<u32>(RESULTS, ACTION);
}

export function eventIdPlace(): i32 {
  return load<i32>(RESULTS, EVENT_ID);
}
