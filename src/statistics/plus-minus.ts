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
