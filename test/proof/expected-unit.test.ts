import { expect, it } from 'vitest';
import { click, impression, log, SMALL } from '../reference/builders.ts';
import { expectedJoin } from './expected-unit.ts';
import { joinByRequest } from './join-by-request.ts';

const LISTS = log([impression(0)]);
const CLICKS = [click(1), click(2, { itemId: 'b' }), click(3, { itemId: 'c' })];

function truth(drops: readonly number[]) {
  return joinByRequest(SMALL, [LISTS, log(CLICKS, { clockDrops: drops })]);
}

function expected(known: readonly number[], possible: readonly number[], stored: readonly number[]) {
  const logs = [
    { ...LISTS, clockDrops: { known: [], possible: [] } },
    { ...log(CLICKS), clockDrops: { known, possible } },
  ];
  return expectedJoin(SMALL, logs, truth(stored).counts);
}

it('takes of the possible drops by the clock as many as were stored, those that were ahead longest', () => {
  expect(expected([0], [2, 1], [0])).toEqual({ ...truth([0]), clockDrops: [[], [0]] });
  expect(expected([0], [2, 1], [0, 2])).toEqual({ ...truth([0, 2]), clockDrops: [[], [0, 2]] });
  expect(expected([], [2, 1], [1, 2])).toEqual({ ...truth([1, 2]), clockDrops: [[], [2, 1]] });
});

it('takes no drop that is not possible, nor one that was seen not to be', () => {
  expect(expected([], [], [1]).counts).not.toEqual(truth([1]).counts);
  expect(expected([], [2], [0, 1, 2]).clockDrops).toEqual([[], [2]]);
  expect(expected([0, 1], [], [0]).clockDrops).toEqual([[], [0, 1]]);
});
