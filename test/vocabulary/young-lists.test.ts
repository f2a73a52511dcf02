import { expect, it } from 'vitest';
import { allYoung, type YoungLists, youngText } from '../../src/vocabulary/young-lists.ts';

const at = (hour: string): string => `2026-11-21T${hour}:00:00.000Z`;
const young = (lists: number, from: string, all = from): YoungLists => ({
  lists,
  knownFrom: at(from),
  allKnownFrom: at(all),
});

it.each([
  [
    young(1200, '08', '18'),
    at('07'),
    `None of 1,200 lists of B is 24h old at the end of the feedback, ${at('07')}. The first will be at ${at('08')}, all at ${at('18')}; --close-all counts them with the feedback so far.`,
  ],
  [
    young(2, '08'),
    at('07'),
    `None of 2 lists of B is 24h old at the end of the feedback, ${at('07')}. The first will be at ${at('08')}; --close-all counts them with the feedback so far.`,
  ],
  [
    young(1, '08'),
    at('07'),
    `The only list of B is not 24h old at the end of the feedback, ${at('07')}. It will be at ${at('08')}; --close-all counts them with the feedback so far.`,
  ],
  [
    young(3, '08'),
    null,
    'None of 3 lists of B is known at 24h, as there is no feedback; --close-all counts them as lists without a positive.',
  ],
])('%j at the end of the feedback, %s', (lists, end, words) => {
  expect(youngText(lists, '24h', end, ' of B')).toBe(words);
});

it('lists of several cohorts are one number, from the first to the last', () => {
  expect(allYoung([young(3, '09', '10'), young(4, '08', '09')])).toEqual(young(7, '08', '10'));
  expect(allYoung([])).toBeUndefined();
});
