import { describe, expect, it } from 'vitest';
import { EWMA_DEFAULTS, EWMA_START, ewmaStep } from '../../src/statistics/ewma.ts';

describe('the EWMA', () => {
  it.each([
    [-5.99, false],
    [-6.01, true],
  ])('begins with the narrow limit of one value: %d is low: %s', (u, low) => {
    expect(ewmaStep(EWMA_START, u, EWMA_DEFAULTS).low).toBe(low);
  });

  it('takes each value with its weight', () => {
    const one = ewmaStep(EWMA_START, 2, EWMA_DEFAULTS);
    expect(one).toEqual({ n: 1, y: 0.2, low: false, high: false });
    expect(ewmaStep(one, -1, EWMA_DEFAULTS).y).toBeCloseTo(0.08, 12);
  });

  it('ends with the limit L sqrt(lambda / (2 - lambda))', () => {
    const limit = 6 * Math.sqrt(0.1 / 1.9);
    const long = { n: 1000, y: 0, low: false, high: false };
    expect(ewmaStep(long, limit * 10 * 0.999, EWMA_DEFAULTS).high).toBe(false);
    expect(ewmaStep(long, limit * 10 * 1.001, EWMA_DEFAULTS).high).toBe(true);
  });
});
