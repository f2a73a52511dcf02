/**
 * How many of `length` ascending entries precede something.
 * @param isBefore whether the entry with this index does
 */
export function countBefore(length: number, isBefore: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
