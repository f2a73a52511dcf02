/** How numbers and times are written: by pages and pictures as here, by text for terminals with `ascii`. */
import { grouped } from './grouped.ts';

/** Stands for a missing number. */
export const NONE = '–';

/** Four significant digits. */
export function plain(value: number): string {
  return withMinus(String(Number(value.toPrecision(4))));
}

/** Three significant digits, or `digits` after the point, with the sign. */
export function signed(value: number, digits?: number): string {
  const size = Math.abs(value);
  return `${signOf(value)}${digits === undefined ? Number(size.toPrecision(3)) : size.toFixed(digits)}`;
}

/** A change as a fraction: +3.42 %. */
export function change(fraction: number, digits?: number): string {
  const value = Math.abs(100 * fraction);
  return `${signOf(fraction)}${value.toFixed(digits ?? (value < 10 ? 2 : 1))} %`;
}

/** A bound or a tick as a fraction, to three significant digits: 0.125 %. */
export function bound(fraction: number): string {
  return `${plain(Number((100 * fraction).toPrecision(3)))} %`;
}

/** A change at the tick of an axis: +2.5 %, or 0. */
export function changeTick(fraction: number): string {
  return fraction === 0 ? '0' : `${signOf(fraction)}${bound(Math.abs(fraction))}`;
}

/** A part of a whole, 0 to 1: 95.3 %. Some is never 0 %, and not all never 100 %. */
export function percent(fraction: number): string {
  const value = 100 * fraction;
  if (value > 99.9 && value < 100) return '> 99.9 %';
  return `${value > 0 && value < 0.1 ? '< 0.1' : Number(value.toFixed(1))} %`;
}

/** A part of a whole in whole percent, but for the first and the last: 95 %. */
export function roughly(fraction: number): string {
  const value = 100 * fraction;
  const isNearEnd = (value > 0 && value < 1) || (value > 99 && value < 100);
  return `${isNearEnd ? value.toFixed(1) : Math.round(value)} %`;
}

export function probability(p: number): string {
  return p < 0.0001 ? '<0.0001' : p.toFixed(4);
}

/** Days until something is seen, with a digit after the point below 10; null: not known. */
export function daysWords(days: number | null): string {
  return days === null ? NONE : days < 10 ? days.toFixed(1) : grouped(Math.ceil(days));
}

/** The confidence level of an alpha: 95 % for .05. */
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

/** The sign of a number. A value that rounds to zero has no minus. */
function signOf(value: number): string {
  return value < 0 ? '−' : '+';
}

/** Replaces the minus and the dash by those of a keyboard, for terminals. */
export function ascii(text: string): string {
  return text.replace(/[−–]/g, '-');
}

function withMinus(text: string): string {
  return text.startsWith('-') ? `−${text.slice(1)}` : text;
}

/**
 * The factor from a standard error to the number after ±, and to the width of bands, wherever people read them: the value lies within it
 * in 95 of 100 such logs, by the normal distribution (specification: commands 1). JSON, CSV and gauges have the standard error itself.
 */
export const NORMAL_95 = 1.96;

/** The factor in words, for headers and legends. */
export const NORMAL_95_WORDS = `${NORMAL_95} standard errors (95 %)`;

/** @param number formats a number */
export function plusMinus(stderr: number, number: (value: number) => string): string {
  return `± ${number(NORMAL_95 * stderr)}`;
}
