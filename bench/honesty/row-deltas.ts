import { addExact } from '../../src/accumulators/exact.ts';
import type { Row } from '../../src/accumulators/row.ts';

/** Numbers before the first sum: impressions, positives, userless. */
export const HEAD_WIDTH = 3;

/** Adds a head and sums to a row: HEAD_WIDTH numbers, then the sums, all safe integers. */
export function addDeltas(into: Row, deltas: Float64Array): void {
  into.impressions += deltas[0];
  into.positives += deltas[1];
  into.userless += deltas[2];
  const { sums } = into;
  for (let i = 0; i < sums.length; i++) sums[i] = addExact(sums[i], deltas[HEAD_WIDTH + i]);
}
