/** What must hold of looks from commit to commit, whenever they were taken. */
import type { EpochMs } from '../../src/events.ts';
import type { Lineage } from './lineage.ts';

type Looks = ReadonlyMap<string, string>;

/**
 * In words, what is wrong with the looks after a commit; undefined: nothing.
 * @param newest the highest watermark that any unit has ever stored: one that lags far behind does not hold looks back
 */
export function looksBroken(
  before: Lineage | undefined,
  after: Lineage,
  partition: number,
  newest: EpochMs,
): string | undefined {
  if (partition !== 0 && after.looks.size > 0) return 'looks that unit 0 has not taken';
  for (const [field, text] of after.looks) {
    if (field.endsWith('|decision')) continue;
    const [logE, at] = largest(after.looks, field) ?? [];
    if (logE === undefined || at === undefined) return `${field}: no evidence: ${text}`;
    if (at > newest) return `${field}: a look at ${at}, which has not closed at ${newest}`;
    const [earlier] = largest(before?.looks ?? new Map(), field) ?? [];
    if (earlier !== undefined && logE < earlier) return `${field}: the evidence fell from ${earlier} to ${logE}`;
  }
  return undefined;
}

function largest(looks: Looks, field: string): readonly [logE: number, at: number] | undefined {
  const text = looks.get(field);
  return text === undefined ? undefined : JSON.parse(text);
}
