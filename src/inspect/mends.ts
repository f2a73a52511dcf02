/**
 * What is wrong with the records of a log, and a map can mend. Each mend is a candidate: it is taken if the log, read with it by the
 * decoder and joined, gives more than without.
 */
import type { ValueSource } from '../consumers/decode/decoder-settings.ts';
import { yamlFlow } from '../vocabulary/yaml-word.ts';
import type { LogFinding } from './log-finding.ts';
import { type MadeField, merged } from './made-fields.ts';

export interface Mend {
  readonly fields: readonly MadeField[];
  /** A note on what is mended, for who logs it. */
  readonly finding: LogFinding;
}

/** Some mends make others visible: ids that differ, once the pairs that hold them are fields. */
const MOST_ROUNDS = 5;

/**
 * The best look at a log.
 *
 * @param look with these fields made; @param mendsOf the mends that a look suggests; @param worth how much of the log a look reads
 */
export function withMends<Look>(
  look: (made: readonly MadeField[]) => Look,
  mendsOf: (look: Look) => readonly Mend[],
  worth: (look: Look) => number,
): { readonly look: Look; readonly mends: readonly Mend[] } {
  let best: { readonly look: Look; readonly mends: readonly Mend[] } = { look: look([]), mends: [] };
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const { mends } = best;
    const taken = new Set(mends.flatMap(({ fields }) => fields.map(keyOf)));
    // Sides that are one file suggest the same.
    const suggested = mendsOf(best.look).filter(({ fields }) => {
      const keys = fields.map(keyOf);
      const isNew = keys.some((key) => !taken.has(key));
      for (const key of keys) taken.add(key);
      return isNew;
    });
    const choices = suggested.length > 1 ? [suggested, ...suggested.map((one) => [one])] : [suggested];
    const least = worth(best.look);
    let better: typeof best | undefined;
    for (const choice of suggested.length === 0 ? [] : choices) {
      const all = [...mends, ...choice];
      const found = look(merged(all.flatMap(({ fields }) => fields)));
      if (worth(found) <= least) continue;
      better = { look: found, mends: all };
      break;
    }
    if (better === undefined) return best;
    best = better;
  }
  return best;
}

function keyOf({ path, source, files }: MadeField): string {
  return JSON.stringify([path, source, files]);
}

/** Returns text such as: requestId: {at: /query, strip: "q-"}. */
export function mapText(fields: readonly (readonly [as: string, source: ValueSource])[]): string {
  return fields.map(([as, source]) => `${as}: ${yamlFlow(source)}`).join(', ');
}
