/** What must hold of looks from commit to commit, whenever they were taken. */
import type { ExperimentState } from '../../src/experiment/state.ts';
import type { EpochMs } from '../../src/vocabulary/events.ts';
import { type Lineage, looksBefore } from './lineage.ts';

type Looks = ReadonlyMap<string, string>;

interface Known {
  /** The highest watermark that any unit has ever stored: one that lags far behind does not hold looks back. */
  readonly newest: EpochMs;
  /** Variants of which an unsound look since the commit before has forgotten what was known. */
  readonly forgotten: ReadonlySet<string>;
}

/** In words, what is wrong with the looks after a commit; undefined: nothing. */
export function looksBroken(
  before: Lineage | undefined,
  after: Lineage,
  partition: number,
  { newest, forgotten }: Known,
): string | undefined {
  if (partition !== 0 && after.looks.size > 0) return 'looks that unit 0 has not taken';
  const known = looksBefore(before, after.runs);
  for (const field of known.keys()) {
    const [, variant] = field.split('|');
    const mayGo = /\|(?:worse|better|guard)$/.test(field) && forgotten.has(variant);
    if (!after.looks.has(field) && !mayGo) return `${field}: gone, and no look has forgotten it`;
  }
  for (const [field, text] of after.looks) {
    const [, variant] = field.split('|');
    if (['rules', 'settings', 'fields'].includes(field) || field.endsWith('|decision')) continue;
    if (field.includes('|point|')) {
      const problem = pointBroken(field, text, known.get(field), newest);
      if (problem !== undefined) return problem;
      continue;
    }
    const [logE, at] = largest(after.looks, field) ?? [];
    if (logE === undefined || at === undefined) return `${field}: no evidence: ${text}`;
    if (at > newest) return `${field}: a look at ${at}, which has not closed at ${newest}`;
    const decision = after.looks.get(`${field.slice(0, field.indexOf('|'))}|${variant}|decision`) ?? '';
    if (UNSOUND.test(decision)) return `${field}: evidence beside ${decision}`;
    const [earlier] = largest(known, field) ?? [];
    if (earlier !== undefined && logE < earlier && !forgotten.has(variant))
      return `${field}: the evidence fell from ${earlier} to ${logE}`;
  }
  return undefined;
}

/** Reasons of decisions beside which nothing is known (specification: statistics 4.3). */
const UNSOUND = /"(?:incomplete|srm|crossover|no_user_ids)"/;

/** Largest share of lists without a user in a variant that is decided. About as many of those that are drawn have none. */
export const MOST_USERLESS = 0.15;

/**
 * Variants of which a look forgets what was known, in the plainest form: more than 1 % of the records are missing, or too many of
 * the lists of the variant or the control name no user. Histories have too few users for the other reasons.
 */
export function forgottenAt({
  settings,
  variants,
  missing,
}: Pick<ExperimentState, 'settings' | 'variants' | 'missing'>): readonly string[] {
  const lists = [...variants.values()].reduce((sum, { impressions }) => sum + impressions, 0);
  const isIncomplete = lists > 0 && missing / (missing + lists) > 0.01;
  const isUnnamed = (name: string): boolean => {
    const { userless = 0, impressions = 0 } = variants.get(name) ?? {};
    return impressions > 0 && userless / impressions > MOST_USERLESS;
  };
  const all = [...settings.variants.keys()].filter((name) => name !== settings.control);
  return all.filter((name) => isIncomplete || isUnnamed(name) || isUnnamed(settings.control));
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
