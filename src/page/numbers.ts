/** Numbers and times in the notation of the report and the page. */

import { grouped } from '../vocabulary/grouped.ts';

/** In place of a missing number. */
export const NONE = '–';

/** Four significant digits. */
export function plain(value: number): string {
  return withMinus(String(Number(value.toPrecision(4))));
}

/** Three significant digits, with the sign. */
export function signed(value: number): string {
  return `${signOf(value)}${Number(Math.abs(value).toPrecision(3))}`;
}

/** A change as a fraction: +3.42 %. */
export function change(fraction: number): string {
  const value = Math.abs(100 * fraction);
  return `${signOf(fraction)}${value < 10 ? value.toFixed(2) : value.toFixed(1)} %`;
}

/** A part of a whole, 0 to 1: 95.3 %. */
export function share(fraction: number): string {
  const value = 100 * fraction;
  if (value > 99.9 && value < 100) return '> 99.9 %';
  return `${value > 0 && value < 0.1 ? '< 0.1' : Number(value.toFixed(1))} %`;
}

export function probability(p: number): string {
  return p < 0.0001 ? '< 0.0001' : p > 0.9999 ? '1' : p.toFixed(4);
}

/** Such as 95 for .05. */
export function levelOf(alpha: number): string {
  return `${Number((100 * (1 - alpha)).toFixed(3))} %`;
}

/** An ISO time to the second, without T and Z: 2025-11-03 08:50:00. */
export function instant(iso: string): string {
  return iso.replace('T', ' ').replace(/(?:\.\d+)?Z$/, '');
}

export function shown<T>(value: T | null | undefined, print: (value: T) => string): string {
  return value === null || value === undefined ? NONE : print(value);
}

export function range(bounds: readonly [number, number] | null, print: (value: number) => string): string {
  return bounds === null ? NONE : `${print(bounds[0])} to ${print(bounds[1])}`;
}

/** `one`, or its plural with an s. */
export function several(n: number, one: string): string {
  return `${grouped(n)} ${one}${n === 1 ? '' : 's'}`;
}

/** Names in a sentence: a, b and c. */
export function listed(names: readonly string[]): string {
  if (names.length < 2) return names.join('');
  return `${names.slice(0, -1).join(', ')} and ${names[names.length - 1]}`;
}

/** A value that rounds to zero has no minus. */
function signOf(value: number): string {
  return value < 0 ? '−' : '+';
}

function withMinus(text: string): string {
  return text.startsWith('-') ? `−${text.slice(1)}` : text;
}
