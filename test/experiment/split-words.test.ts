/** What is said about the split of the users, by what so many users can tell. */
import { describe, expect, it } from 'vitest';
import type { ComparedSplit } from '../../src/experiment/comparison.ts';
import { detectableWords, splitState } from '../../src/experiment/comparison-words.ts';
import { evaluate } from '../../src/experiment/evaluate.ts';
import { takeLooks } from '../../src/experiment/take-looks.ts';
import { SETTINGS, sampleOf, state, variant } from './states.ts';

function splitBetween(...users: readonly number[]): ComparedSplit {
  const arm = variant(new Map([['ndcg@10', { value: 0.3, stderr: 0.01, df: 255 }]]));
  const before = state({ A: arm, B: arm }, { settings: SETTINGS, sample: sampleOf(users) });
  return evaluate({ ...before, looks: takeLooks(before) }).srm;
}

describe('the split of the users', () => {
  it.each([
    [17, 23, 'few', 'with so few users none would be found'],
    [150, 150, 'few', 'it would be found from 25.9 % on'],
    [1000, 1020, 'sound', 'it would be found from 9.4 % on'],
    [1000, 1300, 'off', 'it would be found from 8.8 % on'],
  ])('of %i and %i users is %s: %s', (a, b, expected, words) => {
    const split = splitBetween(a, b);
    expect([splitState(split), detectableWords(split)]).toEqual([expected, words]);
  });

  it('is not tested without a user', () => {
    expect(splitState(splitBetween(0, 0))).toBe('untested');
  });
});
