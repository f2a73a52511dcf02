import { percent } from '../vocabulary/numbers.ts';
import type { ComparedSplit, Comparison } from './comparison.ts';

/** Whether the users are split between the variants as configured, as far as this many users can show. */
export type SplitState = 'off' | 'suspect' | 'untested' | 'few' | 'sound';

export const SPLIT_WORDS: Readonly<Record<SplitState, string>> = {
  off: 'not as configured',
  suspect: 'not quite as configured',
  untested: 'not tested',
  few: 'too few users to tell',
  sound: 'as configured',
};

/** If a split would have to be off by more than this to be detected, it is not called sound. */
const TELLING = 0.2;

export function splitState({ mismatch, warning, p, detectable }: ComparedSplit): SplitState {
  if (mismatch) return 'off';
  if (warning) return 'suspect';
  if (p === null) return 'untested';
  return detectable === null || detectable > TELLING ? 'few' : 'sound';
}

/** The deviation from which on the test would detect it, as half a sentence. */
export function detectableWords({ detectable }: ComparedSplit): string {
  return detectable === null
    ? 'with so few users none would be found'
    : `it would be found from ${percent(detectable)} on`;
}

/** Whether numbers of users mean anything: lists name some, or there are no lists yet. */
export function countsUsers({ users, impressions }: Pick<Comparison, 'users' | 'impressions'>): boolean {
  const names = Object.keys(users);
  return names.some((name) => users[name] > 0) || names.every((name) => impressions[name] === 0);
}
