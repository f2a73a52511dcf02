import { expect, it } from 'vitest';
import { Ending, WallClock } from '../../src/vocabulary/clock.ts';
import { warningsOf } from '../warnings.ts';

it('calls those who wait, once and in their order, and not those who have left', () => {
  const called: string[] = [];
  const ending = new Ending();
  const forget = ['a', 'b', 'c'].map((name) => ending.whenReached(() => void called.push(name)));
  forget[1]();
  expect(ending.isReached).toBe(false);
  ending.reach();
  ending.reach();
  expect(called).toEqual(['a', 'c']);
  expect(ending.isReached).toBe(true);
});

it('ends any number of sleeps, without a warning', async () => {
  const ending = new Ending();
  const clock = new WallClock();
  const warnings = await warningsOf(async () => {
    const sleeping = Array.from({ length: 20 }, () => clock.sleep(600_000, ending));
    ending.reach();
    await Promise.all(sleeping);
    await clock.sleep(600_000, ending);
  });
  expect(warnings).toEqual([]);
});
