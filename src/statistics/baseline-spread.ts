/** Makes the median absolute deviation of a normal distribution its standard deviation. */
export const MAD_TO_SD = 1.4826;
/** Mean range of m normal values, in standard deviations. */
const MEAN_RANGE: Readonly<Record<number, number>> = { 2: 1.128, 3: 1.693, 4: 2.059 };

/** Standard deviation of few values: range / d(m) for two to four of them, 1.4826 MAD beyond. */
export function spreadOf(values: readonly number[]): number {
  const d = MEAN_RANGE[values.length];
  if (d !== undefined) return (Math.max(...values) - Math.min(...values)) / d;
  const middle = median(values);
  return MAD_TO_SD * median(values.map((value) => Math.abs(value - middle)));
}

/** The middle value, or the mean of the two middle ones; NaN of none. */
export function median(values: ArrayLike<number>): number {
  const sorted = Float64Array.from(values).sort();
  const half = sorted.length >> 1;
  if (sorted.length === 0) return Number.NaN;
  return sorted.length % 2 === 1 ? sorted[half] : sorted[half - 1] / 2 + sorted[half] / 2;
}

/** The mean of one value or more. */
export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value / values.length, 0);
}
