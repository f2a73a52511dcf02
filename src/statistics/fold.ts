/**
 * A vector of 256 buckets becomes one of 64 by adding the buckets with equal b mod 64, because a bucket is the word mod
 * B. On whole numbers the fold is exact and commutes with addition (specification: statistics 1.2).
 *
 * Example: 1 2 3 4 folded to two buckets is 4 6.
 */

/**
 * @param cells one number per bucket, from bucket 0
 * @param buckets how many to keep; must divide the number of cells
 * @throws RangeError if it does not
 */
export function fold(cells: ArrayLike<number>, buckets: number): Float64Array {
  if (!Number.isInteger(buckets) || buckets < 1 || cells.length % buckets !== 0) {
    throw new RangeError(
      `cannot fold ${cells.length} buckets to ${buckets}: the smaller number must divide the larger`,
    );
  }
  const folded = new Float64Array(buckets);
  for (let b = 0; b < cells.length; b++) folded[b % buckets] += cells[b];
  return folded;
}
