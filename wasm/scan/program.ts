/**
 * What a scanner looks for in records: the host compiles it of a map (src/consumers/decode/scan-program.ts), and writes it into a block. Objects
 * of a record are nodes, with a key for each member that the map names or leads through.
 */
import { wholeNumber } from './json';
import { begin, end, isAbsent, setSpan } from './spans';

@unmanaged
export class Program {
  /** The node of the record. */
  root: usize;
  /** The first span behind those from which dimensions come. */
  contextEnd: u32;
  /** Number of spans that a record may fill. */
  spans: u32;
  cases: usize;
  caseCount: u32;
}

/** An object. 32 bytes follow: which key stood at which position of the last one. */
@unmanaged
export class Node {
  keys: usize;
  count: i32;
  /** Whether an item may be its id alone. */
  scalars: u32;
}
export const HINTS: usize = offsetof<Node>();
export const PLACES: usize = 32;

/** `"name":` takes the first 16 bytes; what is longer goes on at `rest`. */
@unmanaged
export class Key {
  first: u32;
  second: u32;
  third: u32;
  fourth: u32;
  /** One bit for each of the first 16 bytes that belongs to it. */
  mask: u32;
  length: u32;
  rest: usize;
  /** The span of the value, or the field of an item; -1: none. */
  field: i32;
  /** The node of the value, if it is an object; 0: nothing in it is looked for. */
  node: usize;
  /** The node of the entries, if the value is the list of items; 0: it is not. */
  items: usize;
  /** The last object in which it was seen, if it has a node. */
  seen: u32;
}
export const KEY_BYTES: usize = offsetof<Key>();

/** The first case whose conditions are met says which values are those of which fields. */
@unmanaged
export class Case {
  conditions: usize;
  conditionCount: u32;
  moves: usize;
  /** 0: the host has to read its records, which seem to have no field here. */
  moveCount: u32;
}
const CASE_BYTES: usize = offsetof<Case>();

export const EXISTS: u32 = 0;
export const IS_ABSENT: u32 = 1;
export const IS_ONE_OF: u32 = 2;

@unmanaged
export class Condition {
  span: u32;
  kind: u32;
  /** The JSON of its values: pairs of begin and end. */
  values: usize;
  valueCount: u32;
}
const CONDITION_BYTES: usize = offsetof<Condition>();

/** Gives a field a value: that of a span, or from `from` to `to` where `to` is not 0. */
@unmanaged
export class Move {
  field: u32;
  span: u32;
  from: usize;
  to: usize;
}
const MOVE_BYTES: usize = offsetof<Move>();

/** Fills the spans of the fields, by the first case that applies. False: the host must decide. */
export function choose(program: Program): bool {
  let at = program.cases;
  for (let n: u32 = 0; n < program.caseCount; n++, at += CASE_BYTES) {
    const one = changetype<Case>(at);
    const met = meetsAll(one);
    if (met === UNKNOWN) return false;
    if (met === NO) continue;
    move(one);
    return true;
  }
  return false;
}

const NO: i32 = 0;
const YES: i32 = 1;
const UNKNOWN: i32 = 2;

function meetsAll(one: Case): i32 {
  let at = one.conditions;
  for (let n: u32 = 0; n < one.conditionCount; n++, at += CONDITION_BYTES) {
    const met = meets(changetype<Condition>(at));
    if (met !== YES) return met;
  }
  return YES;
}

function meets(condition: Condition): i32 {
  const span = <usize>condition.span;
  if (condition.kind === EXISTS) return isAbsent(span) ? NO : YES;
  if (condition.kind === IS_ABSENT) return isAbsent(span) ? YES : NO;
  if (isAbsent(span)) return NO;
  const from = begin(span);
  const size = end(span) - from;
  let isNumber = false;
  for (let v: usize = 0; v < <usize>condition.valueCount; v++) {
    const value = <usize>load<u32>(condition.values + 8 * v);
    const valueEnd = <usize>load<u32>(condition.values + 8 * v, 4);
    isNumber = isNumber || wholeNumber(value, valueEnd) >= 0;
    if (valueEnd - value === size && isSame(value, from, size)) return YES;
  }
  // 1.0 and 1e0 are the number 1, too.
  const first = load<u8>(from);
  const mayBeNumber = first === 0x2d || (first >= 0x30 && first <= 0x39);
  return isNumber && mayBeNumber && !(wholeNumber(from, from + size) >= 0) ? UNKNOWN : NO;
}

function isSame(a: usize, b: usize, size: usize): bool {
  for (let i: usize = 0; i < size; i++) if (load<u8>(a + i) !== load<u8>(b + i)) return false;
  return true;
}

function move(one: Case): void {
  let at = one.moves;
  for (let n: u32 = 0; n < one.moveCount; n++, at += MOVE_BYTES) {
    const made = changetype<Move>(at);
    if (made.to !== 0) setSpan(<usize>made.field, made.from, made.to);
    else if (end(<usize>made.span) !== 0) setSpan(<usize>made.field, begin(<usize>made.span), end(<usize>made.span));
  }
}
