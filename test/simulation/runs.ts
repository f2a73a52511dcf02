/** Where runs of experiments must begin, whenever their settings changed. */
import { isDeepStrictEqual } from 'node:util';
import type { Lineage } from './lineage.ts';

/**
 * In words, what is wrong with the runs of a commit; undefined: nothing. A run goes on where it began. One that is new began
 * with the first record that was not in the state before; all of it, where there was none.
 */
export function runsBroken(before: Lineage | undefined, { runs }: Lineage): string | undefined {
  for (const { name, run, begins, missing } of runs) {
    const known = before?.runs.find((one) => one.name === name && one.run === run);
    const wanted = known?.begins ?? before?.committed ?? [];
    if (!isDeepStrictEqual(begins, wanted)) return `run ${run} begins at [${begins}] instead of [${wanted}]`;
    if (missing !== (known?.missing ?? 0)) return `run ${run} lacks ${missing} records, and none was lost`;
  }
  return undefined;
}
