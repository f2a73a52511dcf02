/**
 * Writes the text of rows that consist only of sums, as src/accumulators/row-codec.ts does. The host (src/accumulators/row-texts.ts) lays
 * out the text before each number and the columns from which the number is computed.
 */
import { LISTS, POSITIVES } from './adding';

/** One number of a row, and the text before it. */
@unmanaged
export class RowStep {
  text: usize;
  length: u32;
  column: u32;
  /** One of the `NUMBER_` constants. */
  kind: u32;
}
const STEP_BYTES: usize = offsetof<RowStep>();

/** The column itself. */
export const NUMBER_IS_VALUE: u32 = 0;
/** The lists of the row minus the column. */
export const NUMBER_IS_LISTS: u32 = 1;
/** The positives of the row plus the column. */
export const NUMBER_IS_POSITIVES: u32 = 2;
/** No number: the text ends here. */
export const NUMBER_IS_NONE: u32 = 3;
/** The column itself. If it is 0, neither it nor the text before it is written. */
export const NUMBER_IF_ANY: u32 = 4;

/** Texts are copied this many bytes at a time, so up to as many bytes beyond a text may be read and written. */
export const ROW_TEXT_BEYOND: usize = 16;
/** Most bytes of a number: a sign and 16 digits. */
export const NUMBER_BYTES: usize = 17;

const LARGEST_SAFE: f64 = 9007199254740991;
/** The digit 0 in each byte. */
const ZEROS_OF_8: u64 = 0x3030_3030 * 0x1_0000_0001;
const TEN_TO_8: u64 = 100_000_000;

/**
 * Writes the texts of `rows` rows, one after the other, to `to`, and the end of each as u32 to `ends`. The columns of the rows, `width`
 * each, begin at `sums`. A row with a number that is no safe integer gets no text: its end is its beginning.
 */
export function writeRows(steps: usize, width: u32, sums: usize, rows: u32, to: usize, ends: usize): void {
  let at = to;
  for (let row: u32 = 0; row < rows; row++) {
    at = writeRow(steps, sums + 8 * <usize>(row * width), at);
    store<u32>(ends + 4 * <usize>row, <u32>at);
  }
}

function writeRow(steps: usize, sums: usize, to: usize): usize {
  const lists = load<f64>(sums + LISTS);
  const positives = load<f64>(sums + POSITIVES);
  let at = to;
  let step = changetype<RowStep>(steps);
  while (step.kind !== NUMBER_IS_NONE) {
    let value = load<f64>(sums + 8 * <usize>step.column);
    if (step.kind === NUMBER_IS_LISTS) value = lists - value;
    else if (step.kind === NUMBER_IS_POSITIVES) value += positives;
    if (!(Math.abs(value) <= LARGEST_SAFE)) return to;
    if (value !== 0 || step.kind !== NUMBER_IF_ANY) at = writeNumber(writeText(at, step), value);
    step = changetype<RowStep>(changetype<usize>(step) + STEP_BYTES);
  }
  return writeText(at, step);
}

function writeText(to: usize, step: RowStep): usize {
  const length = <usize>step.length;
  for (let i: usize = 0; i < length; i += 16) v128.store(to + i, v128.load(step.text + i));
  return to + length;
}

/** Writes the digits of a safe integer, and up to 7 more bytes. Returns the end of the digits. */
function writeNumber(to: usize, value: f64): usize {
  let at = to;
  if (value < 0) store<u8>(at++, 0x2d);
  const whole = <u64>Math.abs(value);
  if (whole < TEN_TO_8) return writeFirst(at, whole);
  const upper = whole / TEN_TO_8;
  const end = writeFirst(at, upper);
  store<u64>(end, digitsOf(whole - upper * TEN_TO_8) | ZEROS_OF_8);
  return end + 8;
}

/** Writes the digits without leading zeros. */
function writeFirst(at: usize, value: u64): usize {
  const digits = digitsOf(value);
  const zeros = min(<u64>ctz(digits), 63) >>> 3;
  store<u64>(at, (digits | ZEROS_OF_8) >> (zeros << 3));
  return at + 8 - <usize>zeros;
}

/**
 * Eight decimal digits of a number below 10^8, one per byte, the first in the lowest. Halves, quarters, then eighths of the number are
 * computed side by side in one word (P. Khuong, "How to print integers really fast", 2017).
 */
function digitsOf(value: u64): u64 {
  const upper = value / 10_000;
  const halves = upper | ((value - 10_000 * upper) << 32);
  const hundreds = ((halves * 10_486) >> 20) & 0x0000_007f_0000_007f;
  const quarters = hundreds | ((halves - 100 * hundreds) << 16);
  const tens = ((quarters * 103) >> 10) & 0x000f_000f_000f_000f;
  return tens | ((quarters - 10 * tens) << 8);
}
