/** What the newest lists show by themselves has not ended, though it is smaller than before. */
import { describe, expect, it } from 'vitest';
import { courseBy } from '../../src/experiment/measure-course.ts';
import type { CoursePoint } from '../../src/statistics/course.ts';
import { unpairedEffect } from '../../src/statistics/effect.ts';

const HOUR = 3_600_000;
const LISTS = 4000;

/** A control of .4, and a variant that loses `first` for 20 of 40 hours, and `then` after that. No noise. */
function courseOf(first: number, then: number) {
  let sum = 0;
  const points: CoursePoint[] = Array.from({ length: 40 }, (_, k) => {
    sum += LISTS * (0.4 - (k < 20 ? first : then));
    const weight = LISTS * (k + 1);
    return { at: (k + 1) * HOUR, control: { value: 0.4, weight }, variant: { value: sum / weight, weight } };
  });
  const { control, variant, at } = points[points.length - 1];
  const mean = ({ value, weight }: CoursePoint['control']) => ({ value, stderr: 0.4 / Math.sqrt(weight), df: 255 });
  const { found, now } = courseBy('worse', false, points, { effect: unpairedEffect(mean(control), mean(variant)) });
  return { ended: found?.episode?.ended?.at, now: now?.from, at };
}

describe('a loss that became smaller', () => {
  it('has ended where nothing is left of it', () => {
    expect(courseOf(0.1, 0).ended).toBe(20 * HOUR);
  });

  it('goes on where the newest lists show it', () => {
    const { ended, now } = courseOf(0.1, 0.03);
    expect(now).toBeGreaterThan(20 * HOUR);
    expect(ended).toBeUndefined();
  });
});
