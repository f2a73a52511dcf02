/**
 * What each bucket holds beyond its share of the mean, in the unit of the mean.
 *
 *     x_b = (m_b - R d_b) / D        R = Σ m_b / D, D = Σ d_b
 *
 * Residuals instead of sums of squares: a difference of large squares loses digits (specification: statistics 2.1).
 *
 * Example: m 3 1 and d 4 4 give R .5, D 8, x .125 -.125.
 */
export interface Residuals {
  /** R. */
  readonly value: number;
  /** x_b, 0 in empty buckets. */
  readonly scaled: Float64Array;
  /** Buckets that are not empty. */
  readonly filled: number;
  /** By bucket: how large a rounding error of x_b can be. */
  readonly noise: Float64Array;
}

/** Far above the rounding of a sum of a few hundred terms, far below any spread of counted values. */
const NOISE = 2 ** -40;

/** undefined: D is 0. Throws a RangeError where m and d differ in length. */
export function residualsOf(m: ArrayLike<number>, d: ArrayLike<number>): Residuals | undefined {
  if (m.length !== d.length) throw new RangeError(`${m.length} numerators and ${d.length} denominators: need one each`);
  let above = 0;
  let below = 0;
  for (let b = 0; b < d.length; b++) {
    above += m[b];
    below += d[b];
  }
  if (!(below > 0)) return undefined;
  const value = above / below;
  const scaled = new Float64Array(d.length);
  const noise = new Float64Array(d.length);
  let filled = 0;
  for (let b = 0; b < d.length; b++) {
    if (d[b] === 0 && m[b] === 0) continue;
    filled++;
    const share = value * d[b];
    scaled[b] = (m[b] - share) / below;
    noise[b] = (NOISE * (Math.abs(m[b]) + Math.abs(share))) / below;
  }
  return { value, scaled, filled, noise };
}

/** Whether all buckets have the same mean, up to rounding. */
export function isFlat(residuals: Residuals): boolean {
  return residuals.scaled.every((x, b) => Math.abs(x) <= residuals.noise[b]);
}
