import { LATEST_TIME } from './times.ts';

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
export type DateReader = (text: string) => string;

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
