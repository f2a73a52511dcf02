/** Where runs of experiments must begin, whenever their settings changed. */
import { isDeepStrictEqual } from 'node:util';
import type { Lineage } from './lineage.ts';

/**
 * In words, what is wrong with the runs of a commit; undefined: nothing. A run continues where it began. One that is new began
 * with the first record that was not in the state before; all of it, where there was none. One that ends stays as it was, and goes on
 * like a new one if it is configured again. It lacks what could not be decoded while it went on.
 */
export function runsBroken(before: Lineage | undefined, after: Lineage): string | undefined {
  const { runs } = after;
  const lost = undecodableOf(after) - (before === undefined ? 0 : undecodableOf(before));
  for (const { name, run, begins, missing, ended } of runs) {
    const known = before?.runs.find((one) => one.name === name && one.run === run);
    if (ended !== undefined) {
      const at = known?.ended?.at ?? before?.watermark;
      if (missing === known?.missing && (ended.at ?? Number.NEGATIVE_INFINITY) === (at ?? Number.NEGATIVE_INFINITY))
        continue;
      return `run ${run} ended at ${ended.at} with ${missing} missing instead of ${at} with ${known?.missing}`;
    }
    const goesOn = known !== undefined && known.ended === undefined;
    const wanted = goesOn ? known.begins : (before?.committed ?? []);
    if (!isDeepStrictEqual(begins, wanted)) return `run ${run} begins at [${begins}] instead of [${wanted}]`;
    if (missing !== (known?.missing ?? 0) + lost)
      return `run ${run} lacks ${missing} records, and ${lost} more were lost`;
  }
  return undefined;
}

function undecodableOf({ counts }: Lineage): number {
  return counts.reduce(
    (sum, { impressions, feedback }) => sum + impressions.drops.undecodable + feedback.drops.undecodable,
    0,
  );
}
