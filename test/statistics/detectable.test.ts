import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isAbsent } from '../../src/statistics/absent.ts';
import { normalLower, normalQuantile, probability, tLower, tQuantile } from '../../src/statistics/distributions.ts';
import { detectableEffect } from '../../src/statistics/effect.ts';
import { fixedCritical, powerOf } from './power.ts';

describe('the smallest effect that could have been seen', () => {
  it('has the power that was asked for', () => {
    const powers = fc.double({ min: 0.5, max: 0.99, noNaN: true });
    fc.assert(
      fc.property(powers, fc.double({ min: 1e-6, max: 1e3, noNaN: true }), (power, stderr) => {
        const effect = detectableEffect(stderr, fixedCritical(0.05), power);
        if (isAbsent(effect)) throw new Error(effect.absent);
        const reached = powerOf(effect, stderr, fixedCritical(0.05));
        // The wrong tail adds less than 2.5 %, and nothing from power .8 on.
        expect(reached).toBeGreaterThanOrEqual(power - 1e-12);
        expect(reached).toBeLessThan(power + (power < 0.8 ? 0.025 : 1e-5));
      }),
    );
  });
});

describe('distributions', () => {
  const p = fc.double({ min: 1e-12, max: 0.5, noNaN: true });

  it('have quantiles that invert them', () => {
    fc.assert(fc.property(p, (q) => Math.abs(normalLower(normalQuantile(q)) / q - 1) < 1e-10));
    fc.assert(
      fc.property(p, fc.double({ min: 1, max: 1e6, noNaN: true }), (q, df) => {
        expect(Math.abs(tLower(tQuantile(q, df), df) / q - 1)).toBeLessThan(1e-8);
      }),
    );
  });

  it('are symmetric', () => {
    expect(normalQuantile(0.5)).toBe(0);
    expect(normalQuantile(0.75)).toBeCloseTo(-normalQuantile(0.25), 15);
    expect(tQuantile(0.75, 5)).toBeCloseTo(-tQuantile(0.25, 5), 15);
  });

  it.each([1e10 - 1, 1e10, 1e10 + 1e6, Number.POSITIVE_INFINITY])('of Student with %d degrees of freedom', (df) => {
    expect(tLower(-2, df)).toBeCloseTo(normalLower(-2), 9);
    expect(tQuantile(0.975, df)).toBeCloseTo(1.959963984540054, 8);
  });

  it('have p-values of at least 1e-300 and at most 1', () => {
    expect([0, 1e-301, 1e-300, 0.5, 1.0000001].map(probability)).toEqual([1e-300, 1e-300, 1e-300, 0.5, 1]);
  });
});
