import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quantile } from '../../src/findings/sample-findings.ts';
import { beforeList, clockOffset, delayBins, splitChance, zoneText } from '../../src/inspect/log-facts.ts';

const HALF = 1_800_000;
/** Most within seconds or minutes, some within half an hour, as people click. */
const human = fc.array(
  fc.oneof(
    { weight: 9, arbitrary: fc.integer({ min: 0, max: 300_000 }) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 1_500_000 }) },
  ),
  { minLength: 20, maxLength: 80 },
);
const ascending = (delays: readonly number[]): number[] => [...delays].sort((a, b) => a - b);

describe('a constant offset of whole half hours', () => {
  it('is found between two clocks, however large', () => {
    fc.assert(
      fc.property(human, fc.integer({ min: -48, max: 48 }), (delays, halves) => {
        const found = clockOffset(ascending(delays.map((delay) => delay + halves * HALF)));
        expect(found?.offset ?? 0).toBe(halves * HALF);
      }),
    );
  });

  it('is not seen in delays of people, nor in delays of any time of the day', () => {
    fc.assert(
      fc.property(human, (delays) => {
        expect(clockOffset(ascending(delays))).toBeUndefined();
      }),
    );
    const spread = Array.from({ length: 100 }, (_, i) => i * 400_000);
    expect(clockOffset(spread)).toBeUndefined();
    expect(clockOffset(spread.map((delay) => delay + 3 * HALF))).toBeUndefined();
  });

  it.each([
    [-30_000, 2 * HALF],
    [-30_001, undefined],
    [0, 2 * HALF],
    [449_999, 2 * HALF],
    [450_000, undefined],
  ])('may begin from half a minute before it to a quarter of half an hour after it: %i ms', (first, expected) => {
    const delays = Array.from({ length: 20 }, (_, i) => 2 * HALF + first + i);
    expect(clockOffset(delays)?.offset).toBe(expected);
  });

  it('is written as zones are', () => {
    expect([0, HALF, -7 * HALF, 11 * HALF, 28 * HALF].map(zoneText)).toEqual([
      '+00:00',
      '+00:30',
      '-03:30',
      '+05:30',
      '+14:00',
    ]);
  });
});

describe('delays', () => {
  it('fall into bins whose upper ends belong to them; below 0 is before', () => {
    expect(delayBins([-1, 0, 10_000, 10_001, 60_000, 86_400_000, 86_400_001])).toEqual([1, 2, 2, 0, 0, 0, 1, 1]);
  });

  it('all fall into one bin each', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -1e9, max: 1e9 })), (delays) => {
        expect(delayBins(delays).reduce((sum, n) => sum + n, 0)).toBe(delays.length);
      }),
    );
  });

  it('below 0 are told with how far nearly all of them go', () => {
    expect(beforeList([-4000, -2000, 1000, 5000])).toEqual({ share: 0.5, by: 4000 });
    expect(beforeList([0, 1])).toEqual({ share: 0, by: 0 });
    expect(quantile([], 0.5)).toBeNaN();
  });
});

describe('the split of variants', () => {
  it('is as likely as the chi-square test says', () => {
    expect(
      splitChance(
        new Map([
          ['a', 50],
          ['b', 50],
        ]),
        undefined,
      ),
    ).toBe(1);
    // (60 - 50)²/50 + (40 - 50)²/50 = 4; P(X² > 4) with one degree of freedom is 0.0455.
    expect(
      splitChance(
        new Map([
          ['a', 60],
          ['b', 40],
        ]),
        undefined,
      ),
    ).toBeCloseTo(0.0455, 4);
    expect(
      splitChance(
        new Map([
          ['a', 90],
          ['b', 10],
        ]),
        new Map([
          ['a', 9],
          ['b', 1],
        ]),
      ),
    ).toBe(1);
    expect(splitChance(new Map([['a', 90]]), undefined)).toBeUndefined();
  });
});
