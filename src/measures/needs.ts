import { needsScores } from './bind.ts';
import type { ScorerNeeds } from './contract.ts';
import type { Measure } from './family.ts';
import { needsItems } from './list-only.ts';

/** What these measures ask of a list beyond slots and feedback. */
export function needsOf(measures: readonly Measure[]): ScorerNeeds {
  return {
    scores: measures.some(needsScores),
    items: measures.some(needsItems),
    categories: measures.some(({ name }) => name === 'diversity'),
  };
}
