/** What must hold of looks from commit to commit, whenever they were taken. */
import type { EpochMs } from '../../src/vocabulary/events.ts';
import { type Lineage, looksBefore } from './lineage.ts';

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
  const known = looksBefore(before, after.runs);
  for (const [field, text] of after.looks) {
    if (field.endsWith('|decision')) continue;
    if (field.includes('|point|')) {
      const problem = pointBroken(field, text, known.get(field), newest);
      if (problem !== undefined) return problem;
      continue;
    }
    const [logE, at] = largest(after.looks, field) ?? [];
    if (logE === undefined || at === undefined) return `${field}: no evidence: ${text}`;
    if (at > newest) return `${field}: a look at ${at}, which has not closed at ${newest}`;
    const [earlier] = largest(known, field) ?? [];
    if (earlier !== undefined && logE < earlier) return `${field}: the evidence fell from ${earlier} to ${logE}`;
  }
  return undefined;
}

/** A point of the picture is of a look that was taken; its place may go to a later look only, or to that look taken again. */
function pointBroken(field: string, text: string, before: string | undefined, newest: EpochMs): string | undefined {
  const [at, effect, lower, upper] = pointIn(text);
  if (!(lower <= effect && effect <= upper)) return `${field}: no interval: ${text}`;
  if (at > newest) return `${field}: a look at ${at}, which has not closed at ${newest}`;
  if (before !== undefined && at < pointIn(before)[0])
    return `${field}: ${text} in the place of a later look, ${before}`;
  return undefined;
}

function pointIn(text: string): readonly [at: number, effect: number, lower: number, upper: number] {
  return JSON.parse(text);
}

function largest(looks: Looks, field: string): readonly [logE: number, at: number] | undefined {
  const text = looks.get(field);
  return text === undefined ? undefined : JSON.parse(text);
}
