/**
 * What stands behind ± wherever people read it, and to each side of a value in bands: 95 of 100 such logs hold the value within it, by
 * the normal distribution (specification: commands 1). JSON, CSV and gauges have the standard error itself.
 */
export const NORMAL_95 = 1.96;

/** The same in words, for headers and legends. */
export const NORMAL_95_WORDS = `${NORMAL_95} standard errors (95 %)`;

/** @param number writes one */
export function plusMinus(stderr: number, number: (value: number) => string): string {
  return `± ${number(NORMAL_95 * stderr)}`;
}
