/**
 * `gini[@k]`: how unequally exposure is shared among items: 0 if all have the same, near 1 if one has all.
 * Convention: sum (2i - m - 1) x_i / (m sum x) over the exposures x of m items, ascending, i from 1. `over=shown`: the items
 * that were shown; `over=catalogue`: all of the catalogue, those never shown with 0, and only those. `corrected=yes`:
 * m - 1 in place of m below, so that one item with everything is 1. `exposure=log2`: a slot counts 1 / log2(rank + 1).
 * Example: lists abc, abd, ace: 0.222222; corrected 0.277778; over a catalogue of 10 0.611111; `exposure=log2` 0.360522.
 * Agrees with RecBole `GiniIndex` (over=catalogue) and Evidently `GiniIndex` (over=shown, corrected).
 *
 * @param ascending exposures of the items that were shown, ascending
 * @param items m: their number, or the size of the catalogue
 * @returns NaN without any exposure; with `corrected`, also for one item
 */
export function gini(ascending: readonly number[], items: number, corrected: boolean): number {
  const unseen = items - ascending.length;
  let weighted = 0;
  let total = 0;
  for (const [i, x] of ascending.entries()) {
    weighted += (2 * (unseen + i + 1) - items - 1) * x;
    total += x;
  }
  return weighted / ((corrected ? items - 1 : items) * total);
}
