import type { DurationMs, EpochMs } from '../../vocabulary/events.ts';
import type { TimeZone, TsUnit } from './decoder-settings.ts';

/** 9999-12-31T23:59:59.999Z. */
export const LATEST_TIME: EpochMs = 253_402_300_799_999;

const DAYS_BEFORE_MONTH = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** A time as a number in text; parseTime takes none of these. */
const NUMBER = /^[0-9]{1,20}(?:\.[0-9]{1,20})?(?:[eE]\+?[0-9]{1,2})?$/;

/**
 * Whole milliseconds since 1970 of a canonical `ts`: a text (`parseTime`, or a number as text), or a number in `unit`.
 * Fractions of a millisecond are cut off. NaN: not a time, a text outside 1970 to 9999, or a number outside the range of its
 * unit.
 * @param zone the zone of texts that name none; undefined: they are not times
 */
export function timeOf(value: string | number, unit: TsUnit, zone?: TimeZone): EpochMs {
  if (typeof value === 'number') return timeOfNumber(value, unit);
  const ms = parseTime(value, zone);
  if (ms >= 0 && ms <= LATEST_TIME) return ms + 0;
  return NUMBER.test(value) ? timeOfNumber(Number(value), unit) : Number.NaN;
}

/**
 * The years 2001-09-09 to 2286-11-20 have a different range of numbers in each unit: seconds 1e9 to 1e10, milliseconds 1e12 to
 * 1e13, microseconds 1e15 to 1e16, nanoseconds 1e18 to 1e19, each excluding its end. So a number shows its unit, and one that
 * contradicts the configured unit is not a time.
 */
function timeOfNumber(value: number, unit: TsUnit): EpochMs {
  if (value >= 1e12 && value < 1e13) return unit === 'auto' || unit === 'ms' ? Math.floor(value) : Number.NaN;
  if (value >= 1e9 && value < 1e10) return unit === 'auto' || unit === 's' ? secondsToMs(value) : Number.NaN;
  if (value >= 1e15 && value < 1e16) return unit === 'auto' || unit === 'us' ? microsecondsToMs(value) : Number.NaN;
  if (value >= 1e18 && value < 1e19) return unit === 'auto' || unit === 'ns' ? nanosecondsToMs(value) : Number.NaN;
  return Number.NaN;
}

/** 1.001 s times 1000 is slightly below 1001 ms, by the rounding of a double; this factor makes up for it. */
const HAIR = 1 + Number.EPSILON;

function secondsToMs(value: number): EpochMs {
  return Math.floor(value * 1e3 * HAIR);
}

function microsecondsToMs(value: number): EpochMs {
  return (value - (value % 1000)) / 1000;
}

/** Doubles of this size are up to 2048 apart: a whole millisecond stays a whole millisecond. */
function nanosecondsToMs(value: number): EpochMs {
  return Math.floor((value / 1e6) * HAIR);
}

/** The end of a time that names its zone (RFC 9557), as Java and Temporal print it. A part that is marked by `!` would have to be understood. */
const ZONE_BY_NAME = /^(?:\[[A-Za-z0-9_.:/+=-]{1,64}\]){1,4}$/;

/**
 * Milliseconds of `2026-11-21T08:00[:00[.123]](Z|UTC|GMT|+01:00|+0100|+01)`; `t` or a blank instead of `T`, a decimal comma,
 * and a blank before the zone are also accepted, and behind an offset or `Z` the zone by name, `[Europe/Berlin]`, which decides nothing.
 * Digits after the third of a fraction are cut off. NaN: not such a text.
 * Written by hand because Date.parse accepts many texts that are not ISO 8601, and local times.
 * @param zone the zone of a text that names none; undefined: it is not a time
 */
export function parseTime(text: string, zone?: TimeZone): number {
  const length = text.length;
  if (text.charCodeAt(length - 1) === 93) {
    const end = text.indexOf('[');
    return end > 0 && ZONE_BY_NAME.test(text.slice(end)) ? parseTime(text.slice(0, end)) : Number.NaN;
  }
  if (length < 16 || length > 48) return Number.NaN;
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
  const local = (((daysSince1970(year, month, day) * 24 + hour) * 60 + minute) * 60 + second) * 1000 + fraction;
  if (at === length) return zone === undefined ? Number.NaN : zone.instantOf(local);
  return local - zoneMinutes(text, text.charCodeAt(at) === 32 ? at + 1 : at) * 60_000;
}

/** Minutes east of Greenwich of the zone that fills the rest of the text; NaN: no zone. */
function zoneMinutes(text: string, at: number): number {
  if (text.startsWith('UTC', at) || text.startsWith('GMT', at)) return text.length === at + 3 ? 0 : Number.NaN;
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

const MINUTE = 60_000;
const SLOT: DurationMs = 15 * MINUTE;
const DAY: DurationMs = 86_400_000;
const MOST_SLOTS = 10_000;
const FIXED = /^([+-])([01][0-9]|2[0-3]):?([0-5][0-9])$/;

interface LocalTimeOptions {
  readonly timeZone?: string | undefined;
  readonly clock?: TimeZone | undefined;
}

/** The zone of times without one; undefined: they are refused. */
export function zoneOf({ timeZone: name, clock }: LocalTimeOptions): TimeZone | undefined {
  return clock ?? (name === undefined ? undefined : timeZone(name));
}

/** Cached zones; each caches the offsets that it has computed. */
const KNOWN = new Map<string, TimeZone>();

/** A zone by its name in the IANA database (`Europe/Berlin`, `UTC`), or as `+01:00`; undefined: there is none. */
export function timeZone(name: string): TimeZone | undefined {
  const known = KNOWN.get(name);
  if (known !== undefined) return known;
  const zone = madeZone(name);
  if (zone !== undefined) KNOWN.set(name, zone);
  return zone;
}

function madeZone(name: string): TimeZone | undefined {
  const fixed = FIXED.exec(name);
  if (fixed !== null) {
    const [, sign, hours, minutes] = fixed;
    const offset = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE;
    return {
      instantOf: (local) => local - offset,
      secondOf: () => undefined,
      isSkipped: () => false,
      isTwice: () => false,
    };
  }
  try {
    return new NamedZone(new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' }));
  } catch {
    return undefined;
  }
}

/** A zone of the IANA database. */
class NamedZone implements TimeZone {
  readonly #format: Intl.DateTimeFormat;
  /** Offsets by quarter of an hour, where they do not change in it. Asking Intl takes some microseconds. */
  readonly #offsets = new Map<number, DurationMs>();

  constructor(format: Intl.DateTimeFormat) {
    this.#format = format;
  }

  instantOf(local: number): EpochMs {
    // NaN, and times beyond the years that Intl knows.
    if (!(Math.abs(local) < 8e15)) return Number.NaN;
    const before = this.#offset(local - DAY);
    const after = this.#offset(local + DAY);
    const first = local - before;
    if (before === after || this.#offset(first) === before) return first;
    const second = local - after;
    return this.#offset(second) === after ? second : first;
  }

  secondOf(local: number): EpochMs | undefined {
    if (!(Math.abs(local) < 8e15)) return undefined;
    const before = this.#offset(local - DAY);
    const after = this.#offset(local + DAY);
    if (before <= after) return undefined;
    const second = local - after;
    return this.#offset(local - before) === before && this.#offset(second) === after ? second : undefined;
  }

  isSkipped(local: number): boolean {
    if (!(Math.abs(local) < 8e15)) return false;
    const before = this.#offset(local - DAY);
    const after = this.#offset(local + DAY);
    if (before >= after) return false;
    return this.#offset(local - before) !== before && this.#offset(local - after) !== after;
  }

  isTwice(at: EpochMs): boolean {
    return this.secondOf(at + this.#offset(at)) !== undefined;
  }

  #offset(at: EpochMs): DurationMs {
    const slot = Math.floor(at / SLOT);
    const known = this.#offsets.get(slot);
    if (known !== undefined) return known;
    const begin = this.#ask(slot * SLOT);
    if (begin !== this.#ask((slot + 1) * SLOT - 1)) return this.#ask(at);
    if (this.#offsets.size >= MOST_SLOTS) this.#offsets.clear();
    this.#offsets.set(slot, begin);
    return begin;
  }

  #ask(at: EpochMs): DurationMs {
    const text = this.#format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign, hours, minutes, seconds = '0'] = /^GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(text) ?? [];
    if (sign === undefined) return 0;
    const offset = (Number(hours) * 60 + Number(minutes)) * MINUTE + Number(seconds) * 1000;
    return sign === '-' ? -offset : offset;
  }
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** What each directive reads, as in strptime of C and Python; undefined as a name: it is read, and decides nothing. */
const DIRECTIVES: Readonly<Record<string, readonly [name: string | undefined, pattern: string]>> = {
  Y: ['year', '[0-9]{4}'],
  y: ['shortYear', '[0-9]{2}'],
  m: ['month', '[0-9]{1,2}'],
  d: ['day', '[0-9]{1,2}'],
  b: ['monthName', '[A-Za-z]{3}'],
  B: ['monthName', '[A-Za-z]{3,9}'],
  H: ['hour', '[0-9]{1,2}'],
  I: ['hour', '[0-9]{1,2}'],
  M: ['minute', '[0-9]{1,2}'],
  S: ['second', '[0-9]{1,2}'],
  f: ['fraction', '[0-9]{1,9}'],
  p: ['half', '[AaPp][Mm]'],
  z: ['zone', 'Z|UTC|GMT|[+-][0-9]{2}:?[0-9]{2}'],
  a: [undefined, '[A-Za-z]{3}'],
  A: [undefined, '[A-Za-z]{6,9}'],
};
const LONGEST = 64;

/** From a text in one format to the same time as ISO 8601, with its zone if it has one; '' if it is not in that format. */
type DateReader = (text: string) => string;

/** undefined: the format has a directive that is not known, or the same one twice, or no day. */
export function dateReader(format: string): DateReader | undefined {
  const names: string[] = [];
  let isKnown = format.length <= LONGEST;
  const pattern = format.replace(/%(.?)|\s+|[^%\s]/gs, (part, letter: string | undefined) => {
    if (letter === undefined || letter === '%') return literal(letter ?? part);
    const [name, digits = ''] = Object.hasOwn(DIRECTIVES, letter) ? DIRECTIVES[letter] : [];
    if (name !== undefined) names.push(name);
    isKnown &&= digits !== '';
    return name === undefined ? `(?:${digits})` : `(${digits})`;
  });
  const has = (...any: string[]): boolean => any.some((name) => names.includes(name));
  const isDay = has('year', 'shortYear') && has('month', 'monthName') && has('day');
  if (!isKnown || !isDay || new Set(names).size < names.length) return undefined;
  const whole = new RegExp(`^${pattern}$`);
  return (text) => {
    const found = text.length <= LONGEST ? whole.exec(text.trim()) : null;
    return found === null ? '' : isoText(new Map(names.map((name, n) => [name, found[n + 1]])));
  };
}

function literal(part: string): string {
  return part.trim() === '' ? '\\s+' : part.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}

function isoText(parts: ReadonlyMap<string, string>): string {
  const two = (name: string): string => (parts.get(name) ?? '0').padStart(2, '0');
  const short = Number(parts.get('shortYear'));
  const year = parts.get('year') ?? String(short + (short < 69 ? 2000 : 1900));
  const month = parts.has('monthName') ? monthOf(parts.get('monthName') ?? '') : two('month');
  const fraction = parts.has('fraction') ? `.${parts.get('fraction')}` : '';
  const time = `${hourOf(two('hour'), parts.get('half'))}:${two('minute')}:${two('second')}${fraction}`;
  return `${year}-${month}-${two('day')}T${time}${parts.get('zone') ?? ''}`;
}

function monthOf(name: string): string {
  return String(MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1).padStart(2, '0');
}

/** What is no hour of a clock of twelve stays none. */
function hourOf(hour: string, half: string | undefined): string {
  if (half === undefined) return hour;
  if (Number(hour) < 1 || Number(hour) > 12) return '99';
  return String((Number(hour) % 12) + (half.toLowerCase() === 'pm' ? 12 : 0)).padStart(2, '0');
}

/** A time as the text that `parseTime` reads; '' outside of the years that it knows. */
export function instantText(ms: number): string {
  return ms >= 0 && ms <= LATEST_TIME ? new Date(ms).toISOString() : '';
}
