/** Recognises the forms in which logs write times, each from the value alone. */
import { parseTime } from '../consumers/decode/times.ts';
import type { DurationMs, EpochMs } from '../vocabulary/events.ts';

/**
 * `zoned`: ISO 8601 with its zone. `utc`: followed by UTC or GMT. `local`: without a zone. The unit of a number follows from its range,
 * which is unambiguous between 2001 and 2286.
 */
export const TIME_FORMS = ['zoned', 'utc', 'local', 's', 'ms', 'us', 'ns'] as const;
export type TimeForm = (typeof TIME_FORMS)[number];

interface TimeValue {
  readonly form: TimeForm;
  /** Whether it is a number in quotes. */
  readonly quoted: boolean;
  /** The time; a local one is read as if it were UTC. */
  readonly ms: EpochMs;
}

const UNITS = [
  ['s', 1e9, 1000],
  ['ms', 1e12, 1],
  ['us', 1e15, 1e-3],
  ['ns', 1e18, 1e-6],
] as const;
const LOCAL = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?$/;
const NAMED_UTC = /^(.*\d) ?(?:UTC|GMT|Z)$/;
const DIGITS = /^\d{10}(?:\.\d+)?$|^\d{13}(?:\.\d+)?$|^\d{16}$|^\d{19}$|^\d\.\d+[eE]\+?\d{1,2}$/;

/** Returns undefined if the value is not a time in any of these forms. */
export function timeOf(value: unknown): TimeValue | undefined {
  if (typeof value === 'number') return ofNumber(value, false);
  if (typeof value !== 'string' || value.length > 128) return undefined;
  const text = value.trim();
  if (DIGITS.test(text)) return ofNumber(Number(text), true);
  const zoned = parseTime(text);
  if (!Number.isNaN(zoned)) return { form: 'zoned', quoted: false, ms: zoned };
  const named = NAMED_UTC.exec(text);
  const bare = named?.[1] ?? text;
  if (!LOCAL.test(bare)) return undefined;
  const ms = parseTime(`${bare}Z`);
  return Number.isNaN(ms) ? undefined : { form: named === null ? 'local' : 'utc', quoted: false, ms };
}

function ofNumber(value: number, quoted: boolean): TimeValue | undefined {
  const unit = UNITS.find(([, least]) => value >= least && value < 10 * least);
  return unit === undefined ? undefined : { form: unit[0], quoted, ms: Math.floor(value * unit[2]) };
}

/** Matches numbers that spreadsheets show when they are too wide for a column. */
const SHORTENED = /^\d[.,](\d+)[eE]\+?(?:0?9|12|15|18)$/;
/** Digits after the point that a time in any unit needs to be exact to the second. */
const TO_THE_SECOND = 9;

/** Milliseconds per unit of the last digit of such shortened times; undefined: the times are complete. */
export function shortenedTo(values: Iterable<string>): DurationMs | undefined {
  const texts = [...values];
  const left = texts.flatMap((text) => SHORTENED.exec(text)?.[1].length ?? []);
  const most = Math.max(...left);
  return left.length === 0 || left.length < 0.5 * texts.length || most >= TO_THE_SECOND ? undefined : 10 ** (12 - most);
}

/** Whether the value looks like a date but is in none of the forms. */
export function isOtherDate(value: unknown): boolean {
  if (typeof value !== 'string' && typeof value !== 'number') return false;
  const text = String(value);
  return (
    /^(?:\d{1,2}[./-]\d{1,2}[./-]\d{4}|\d{4}[./]\d\d[./]\d\d|[A-Z][a-z]{2},? \d{1,2} |\d{1,2} [A-Z][a-z]{2} \d{4})/.test(
      text,
    ) ||
    isSerial(text) ||
    (text.includes(',') && SHORTENED.test(text)) ||
    OF_DOTNET.test(text) ||
    DATES.some(([form]) => form.test(text))
  );
}

/** Days since the end of 1899 with a fraction, as spreadsheets store times; years 2000 to 2099 only. */
export function isSerial(text: string): boolean {
  const [, days] = /^(\d{5})[.,]\d{3,}$/.exec(text) ?? [];
  return days !== undefined && Number(days) >= 36_526 && Number(days) < 73_051;
}

/** Milliseconds since 1970 as .NET writes them in JSON: `/Date(1362079800000+0100)/`, whose offset says nothing about the moment. */
export const OF_DOTNET = /^\/[D]ate\(\d{12,13}(?:[+-]\d{4})?\)\/$/;

/** Unambiguous forms of dates, with their strptime formats. */
const DATES: readonly (readonly [RegExp, string])[] = [
  // Apache and nginx.
  [/^\d{1,2}\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d [+-]\d{4}$/, '%d/%b/%Y:%H:%M:%S %z'],
  [/^\[\d{1,2}\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d [+-]\d{4}\]$/, '[%d/%b/%Y:%H:%M:%S %z]'],
  // RFC 9110 and RFC 5322.
  [/^[A-Z][a-z]{2}, \d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/, '%a, %d %b %Y %H:%M:%S GMT'],
  [/^[A-Z][a-z]{2}, \d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d [+-]\d{4}$/, '%a, %d %b %Y %H:%M:%S %z'],
  // asctime of C.
  [/^[A-Z][a-z]{2} [A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d \d{4}$/, '%a %b %d %H:%M:%S %Y'],
  [/^\d{1,2}-[A-Z][a-z]{2}-\d{4} \d\d:\d\d:\d\d$/, '%d-%b-%Y %H:%M:%S'],
  [/^\d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d$/, '%d %b %Y %H:%M:%S'],
  [/^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d$/, '%Y/%m/%d %H:%M:%S'],
  [/^20\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3])[0-5]\d[0-5]\dZ$/, '%Y%m%dT%H%M%SZ'],
];

/** Digits alone may be an id: they are taken for a date only if no other field is one. */
const DIGITS_OF_DATE = /^20\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:[01]\d|2[0-3])[0-5]\d[0-5]\d$/;

const DATE = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?:,? (\d{1,2}:\d\d(:\d\d)?( [AP]M)?))?$/i;

/** The strptime format of such dates; undefined: another form, or day and month cannot be distinguished. */
export function dateFormat(values: Iterable<string>): string | undefined {
  const texts = [...values];
  const known = DATES.find(([form]) => texts.every((text) => form.test(text)));
  if (known !== undefined) return known[1];
  return texts.every((text) => DIGITS_OF_DATE.test(text)) ? '%Y%m%d%H%M%S' : dayFormat(texts);
}

function dayFormat(values: readonly string[]): string | undefined {
  const formats = new Set<string>();
  let [first, second, sign] = [0, 0, ''];
  for (const value of values) {
    const match = DATE.exec(value);
    if (match === null) return undefined;
    const [, a, between, b, , time, seconds, half] = match;
    first = Math.max(first, Number(a));
    second = Math.max(second, Number(b));
    sign = between;
    const clock = `${half === undefined ? '%H' : '%I'}:%M${seconds === undefined ? '' : ':%S'}${half === undefined ? '' : ' %p'}`;
    formats.add(time === undefined ? '' : `${value.includes(',') ? ',' : ''} ${clock}`);
  }
  const [time] = formats;
  if (formats.size !== 1 || (first <= 12 && second <= 12 && sign !== '.')) return undefined;
  return `${second > 12 ? `%m${sign}%d` : `%d${sign}%m`}${sign}%Y${time}`;
}

const WORDS: Readonly<Record<TimeForm, string>> = {
  zoned: 'ISO times with a zone',
  utc: 'times in UTC',
  local: 'times without a zone',
  s: 'seconds',
  ms: 'milliseconds',
  us: 'microseconds',
  ns: 'nanoseconds',
};

export function timeWords(form: TimeForm): string {
  return WORDS[form];
}

/** Returns text for sentences: `3 s`, `2.5 min`, `1 h 30 min`. */
export function spoken(duration: DurationMs): string {
  const ms = Math.abs(duration);
  if (ms < 1000) return `${ms} ms`;
  if (ms < 60_000) return `${round(ms / 1000)} s`;
  if (ms < 3_600_000) return `${round(ms / 60_000)} min`;
  if (ms < 86_400_000) {
    const minutes = Math.round(ms / 60_000);
    return minutes % 60 === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  }
  return `${round(ms / 86_400_000)} days`;
}

function round(value: number): string {
  return value < 10 ? String(Math.round(value * 10) / 10) : String(Math.round(value));
}
