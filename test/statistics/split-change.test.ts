import { describe, expect, it } from 'vitest';
import { Random } from '../../src/simulate/random.ts';
import { splitChange } from '../../src/statistics/sample-ratio.ts';
import { SampleUnion } from '../../src/statistics/sample-union.ts';
import { UserSample } from '../../src/statistics/user-sample.ts';

const HOUR = 3_600_000;

/** One span of an hour for each pair of new users of two variants. */
function spans(...users: readonly (readonly [number, number])[]) {
  return users.map((both, hour) => ({ from: hour * HOUR, to: (hour + 1) * HOUR, users: both }));
}

describe('a split that changes', () => {
  it('is described by the smallest and the largest share, wherever they are', () => {
    expect(splitChange(spans([99, 1], [70, 30], [50, 50]), 1)).toEqual({
      least: { from: 0, to: HOUR, share: 0.01 },
      most: { from: 2 * HOUR, to: 3 * HOUR, share: 0.5 },
    });
    expect(splitChange(spans([450, 550], [550, 450], [450, 550]), 1)?.least.from).toBe(HOUR);
  });

  it.each([
    ['none', []],
    ['one span', spans([9000, 10])],
    ['the same split, which may be another than the configured one', spans([800, 200], [4000, 1000], [80, 20])],
    ['too few users in all spans but one', spans([99, 1], [7, 7])],
    ['one variant alone', spans([100, 0], [300, 0])],
    ['a difference that chance makes', spans([500, 500], [540, 460])],
  ])('cannot be found in %s', (_, users) => {
    expect(splitChange(users, 1)).toBeUndefined();
  });

  it('is found in a split that does not change once in a thousand times at most, about', () => {
    const random = new Random(5, 'constant split');
    const told = Array.from({ length: 2000 }, () => {
      const users = Array.from({ length: 8 }, () => {
        const treated = Array.from({ length: 100 }, () => (random.next() < 0.3 ? 1 : 0)).reduce<number>(
          (a, b) => a + b,
          0,
        );
        return [100 - treated, treated] as const;
      });
      return splitChange(spans(...users), 1);
    });
    expect(told.filter((change) => change !== undefined).length).toBeLessThanOrEqual(6);
  });
});

describe('the arrivals of a sample', () => {
  it('count each user once, by the variant seen first, in eight spans from the first to the last', () => {
    const sample = new UserSample();
    for (let i = 0; i < 801; i++) sample.add(`u${i}`, i % 2, i * 1000);
    sample.add('u800', 1, 7);
    const union = new SampleUnion();
    union.add(sample);
    const arrivals = union.arrivals();
    expect(arrivals.map(({ from, to }) => [from, to])).toEqual(
      Array.from({ length: 8 }, (_, s) => [s * 99_875, (s + 1) * 99_875]),
    );
    // User 800 was there before, in the other variant.
    expect(arrivals.map(({ users }) => users.slice(0, 3))).toEqual([
      [50, 51, 0],
      ...Array(6).fill([50, 50, 0]),
      [50, 50, 0],
    ]);
  });

  it('are none where nobody came, or all at once', () => {
    const union = new SampleUnion();
    expect(union.arrivals()).toEqual([]);
    const sample = new UserSample();
    for (let i = 0; i < 10; i++) sample.add(`u${i}`, 0, 5);
    union.add(sample);
    expect(union.arrivals()).toEqual([]);
  });
});
