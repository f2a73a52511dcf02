import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inOrder, type LookPoint, MOST_POINTS, withPoint } from '../../src/experiment/experiment-looks.ts';

const point = (at: number): LookPoint => ({ at, effect: at / 10, lower: at / 10 - 1, upper: at / 10 + 1 });

function pointsOf(times: readonly number[], most?: number): readonly LookPoint[] {
  let points: readonly LookPoint[] = [];
  for (const at of times) points = withPoint(points, point(at), most);
  return points;
}

const times = (points: readonly LookPoint[]): readonly number[] => inOrder(points).map(({ at }) => at);

describe('the points of looks', () => {
  it.each([
    [
      [1, 2, 3],
      [1, 2, 3],
    ],
    [
      [1, 2, 3, 4],
      [1, 2, 3, 4],
    ],
    [
      [1, 2, 3, 4, 5],
      [1, 5, 3, 4],
    ],
    [
      [1, 2, 3, 4, 5, 6],
      [1, 5, 3, 6],
    ],
  ])('of %j have four places: %j', (looks, places) => {
    expect(pointsOf(looks, 4).map(({ at }) => at)).toEqual(places);
  });

  it('are all of them while there is a place for each', () => {
    const looks = Array.from({ length: MOST_POINTS }, (_, i) => 60 * i);
    expect(times(pointsOf(looks))).toEqual(looks);
    expect(pointsOf([...looks, 1e9])).toHaveLength(MOST_POINTS);
  });

  it('lie evenly over the run, with the first and the last look among them', () => {
    for (const looks of [17, 31, 100, 1000, 5000]) {
      const left = times(
        pointsOf(
          Array.from({ length: looks }, (_, i) => i),
          16,
        ),
      );
      expect(left).toHaveLength(16);
      expect([left[0], left.at(-1)]).toEqual([0, looks - 1]);
      const gaps = left.slice(1).map((at, i) => at - left[i]);
      expect(Math.max(...gaps)).toBeLessThanOrEqual(2.5 * ((looks - 1) / 15));
    }
  });

  it('change at one place at most, and not at all when a look is taken again', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 60 }), (looks) => {
        let points: readonly LookPoint[] = [];
        for (const at of looks) {
          const next = withPoint(points, point(at), 8);
          expect(next.length).toBeLessThanOrEqual(8);
          const changed = next.filter((now, place) => points[place]?.at !== now.at);
          expect(changed.length).toBeLessThanOrEqual(1);
          expect(withPoint(next, point(at), 8)).toEqual(next);
          expect(new Set(next.map((now) => now.at)).size).toBe(next.length);
          if (looks.length > 0) expect(times(next).at(-1)).toBe(Math.max(at, times(points).at(-1) ?? at));
          points = next;
        }
      }),
    );
  });

  it('take what was seen last at a time', () => {
    const again = { at: 2, effect: 7, lower: 6, upper: 8 };
    expect(withPoint(pointsOf([1, 2, 3]), again)).toEqual([point(1), again, point(3)]);
  });
});
