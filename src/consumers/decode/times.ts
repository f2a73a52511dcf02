import { assertNever, type EpochMs } from '../../events.ts';
import type { TsUnit } from './settings.ts';

/** 9999-12-31T23:59:59.999Z. */
export const LATEST_TIME: EpochMs = 253_402_300_799_999;

const DAYS_BEFORE_MONTH = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Whole milliseconds since 1970 of a canonical `ts`: ISO 8601 text, or a finite number in `unit`. Parts of a
 * millisecond are cut. NaN: not a time, or outside 1970 to 9999.
 */
export function timeOf(value: string | number, unit: TsUnit): EpochMs {
  const ms = typeof value === 'string' ? parseTime(value) : toMs(value, unit);
  return ms >= 0 && ms <= LATEST_TIME ? ms + 0 : Number.NaN;
}

function toMs(value: number, unit: TsUnit): number {
  switch (unit) {
    case 'ms':
      return Math.floor(value);
    case 'us':
      return (value - (value % 1000)) / 1000 - (value < 0 ? 1 : 0);
    case 's':
      // By way of microseconds: 1.001 s times 1000 would be a hair below 1001 ms.
      return Math.floor(Math.round(value * 1e6) / 1e3);
    default:
      return assertNever(unit);
  }
}

/**
 * Milliseconds of `2026-11-21T08:00[:00[.123]](Z|+01:00|+0100|+01)`; `t`, a blank and a decimal comma are read too. Every
 * digit of a fraction beyond the third is cut. NaN: not such a text. Written by hand because Date.parse takes much that
 * is no ISO 8601, and local times.
 */
export function parseTime(text: string): number {
  const length = text.length;
  if (length < 17 || length > 48) return Number.NaN;
  const year = two(text, 0) * 100 + two(text, 2);
  const month = two(text, 5);
  const day = two(text, 8);
  const hour = two(text, 11);
  const minute = two(text, 14);
  const separator = text.charCodeAt(10);
  if (text.charCodeAt(4) !== 45 || text.charCodeAt(7) !== 45 || text.charCodeAt(13) !== 58) return Number.NaN;
  if (separator !== 84 && separator !== 116 && separator !== 32) return Number.NaN;
  if (!(year >= 0 && month >= 1 && month <= 12 && hour <= 23 && minute <= 59)) return Number.NaN;
  const leap = month === 2 && isLeap(year) ? 1 : 0;
  if (!(day >= 1 && day <= DAYS_IN_MONTH[month - 1] + leap)) return Number.NaN;

  let at = 16;
  let second = 0;
  let fraction = 0;
  if (text.charCodeAt(at) === 58) {
    second = two(text, at + 1);
    if (!(second <= 59)) return Number.NaN;
    at += 3;
    const point = text.charCodeAt(at);
    if (point === 46 || point === 44) {
      const first = ++at;
      for (let scale = 100; isDigit(text.charCodeAt(at)); at++, scale /= 10) {
        if (scale >= 1) fraction += (text.charCodeAt(at) - 48) * scale;
      }
      if (at === first) return Number.NaN;
    }
  }
  const zone = zoneMinutes(text, at);
  return (((daysSince1970(year, month, day) * 24 + hour) * 60 + minute - zone) * 60 + second) * 1000 + fraction;
}

/** Minutes east of Greenwich of the zone that fills the rest of the text; NaN: no zone. */
function zoneMinutes(text: string, at: number): number {
  const sign = text.charCodeAt(at);
  const rest = text.length - at;
  if (sign === 90 || sign === 122) return rest === 1 ? 0 : Number.NaN;
  if (sign !== 43 && sign !== 45) return Number.NaN;
  const hours = two(text, at + 1);
  let minutes = 0;
  if (rest === 6 && text.charCodeAt(at + 3) === 58) minutes = two(text, at + 4);
  else if (rest === 5) minutes = two(text, at + 3);
  else if (rest !== 3) return Number.NaN;
  if (!(hours <= 23 && minutes <= 59)) return Number.NaN;
  return (sign === 45 ? -1 : 1) * (hours * 60 + minutes);
}

function daysSince1970(year: number, month: number, day: number): number {
  const past = year - 1;
  const leapDays = Math.floor(past / 4) - Math.floor(past / 100) + Math.floor(past / 400);
  const leap = month > 2 && isLeap(year) ? 1 : 0;
  return past * 365 + leapDays + DAYS_BEFORE_MONTH[month - 1] + leap + day - 719_163;
}

function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function two(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48;
  const ones = text.charCodeAt(at + 1) - 48;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
}
