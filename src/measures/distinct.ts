import type { Registers } from './registers.ts';

/**
 * `distinct[@k]`: number of different items shown at ranks up to k, over all lists of a row together.
 * Convention: estimated by HyperLogLog (registers.ts), rounded to a whole number; standard error 1.6 %, almost exact up to a
 * few hundred items. An item counts once, however often it is shown. No list has a value of its own.
 * Example: lists abc, abd, ace: 5.
 * Source: as in registers.ts. "Aggregate diversity" of Adomavicius and Kwon, IEEE TKDE 24 (2012).
 */
export function distinct(registers: Registers): number {
  return Math.round(registers.estimate());
}
