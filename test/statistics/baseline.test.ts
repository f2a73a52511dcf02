import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Baseline, pastBaseline, pastHours, residual, startupBaseline } from '../../src/statistics/baseline.ts';
import type { Estimate } from '../../src/statistics/watched-blocks.ts';
import { HOUR } from '../../src/vocabulary/durations.ts';

const DAY = 24 * HOUR;

function estimates(...values: readonly number[]): readonly Estimate[] {
  return values.map((value) => ({ value, stderr: 0.01 }));
}

const BASELINE: Baseline = {
  kind: 'weekly',
  value: 0.3,
  stderr: 0.003,
  between: 0.004,
  typical: 0.012,
  below: 0,
  above: 0,
  values: 3,
};

describe('the baseline of a block', () => {
  it('is that of the week, else that of the day, else none', () => {
    const week = estimates(0.1, 0.2, 0.3);
    const days = estimates(0.4, 0.5, 0.6, 0.7);
    expect(pastBaseline(week, days)).toMatchObject({ kind: 'weekly', value: 0.2, values: 3 });
    expect(pastBaseline([undefined, ...week.slice(1)], days)).toMatchObject({ kind: 'weekly', value: 0.25, values: 2 });
    expect(pastBaseline([undefined, undefined, week[0]], days)).toMatchObject({ kind: 'daily', value: 0.55 });
    expect(pastBaseline([], [undefined, ...days.slice(1)])).toMatchObject({ kind: 'daily', value: 0.6, values: 3 });
    expect(pastBaseline([], days.slice(2))).toBeUndefined();
  });

  it('looks back to the same hour of UTC, three weeks and seven days', () => {
    const at = 1_763_769_600_000;
    const { weekly, daily } = pastHours(at + 17 * 60_000);
    expect(weekly).toEqual([at - 7 * DAY, at - 14 * DAY, at - 21 * DAY]);
    expect(daily).toEqual([1, 2, 3, 4, 5, 6, 7].map((days) => at - days * DAY));
    expect(pastHours(at + HOUR - 1).weekly[0]).toBe(at - 7 * DAY);
    expect(pastHours(at + HOUR).weekly[0]).toBe(at + HOUR - 7 * DAY);
  });

  it('has the error of a median, and of a mean where the two are one', () => {
    expect(pastBaseline(estimates(0.3, 0.3), [])?.stderr).toBeCloseTo(Math.sqrt(1e-4 / 2), 12);
    expect(pastBaseline(estimates(0.3, 0.3, 0.3), [])?.stderr).toBeCloseTo(Math.sqrt(((Math.PI / 2) * 1e-4) / 3), 12);
  });

  it.each([
    [[0.1, 0.2], 0.1 / 1.128],
    [[0.1, 0.15, 0.2], 0.1 / 1.693],
    [[0.1, 0.12, 0.15, 0.2], 0.1 / 2.059],
    [[0.1, 0.2, 0.3, 0.4, 9], 1.4826 * 0.1],
  ])('takes the spread of %j as %d, less what the errors explain', (values, spread) => {
    const [week, days] = values.length > 3 ? [[], values] : [values, []];
    expect(pastBaseline(estimates(...week), estimates(...days))?.between).toBeCloseTo(
      Math.sqrt(spread ** 2 - 1e-4),
      12,
    );
  });

  it('has nothing between its values where the errors explain their spread', () => {
    expect(pastBaseline(estimates(0.3, 0.301, 0.302), [])?.between).toBe(0);
  });

  it('is not moved by one bad day in seven', () => {
    const good = pastBaseline([], estimates(0.3, 0.31, 0.29, 0.3, 0.31, 0.29, 0.3));
    const bad = pastBaseline([], estimates(0.3, 0.31, 0.29, 0.3, 0.31, 0.29, 0));
    expect(bad?.value).toBe(good?.value);
  });

  it('knows how far the last days lay from it beyond their errors, and asks weeks for no such thing', () => {
    const days = estimates(0.3, 0.3, 0.3, 0.3, 0.3, 0.25, 0.33);
    const daily = pastBaseline([], days);
    expect(daily?.below).toBeCloseTo(0.05 - 1.352 * 0.01, 12);
    expect(daily?.above).toBeCloseTo(0.03 - 1.352 * 0.01, 12);
    expect(pastBaseline([], estimates(0.3, 0.31, 0.29))).toMatchObject({ below: 0, above: 0 });
    expect(pastBaseline(days.slice(4), [])).toMatchObject({ kind: 'weekly', below: 0, above: 0 });
  });

  it('at start-up is the mean of the blocks', () => {
    const all = startupBaseline(estimates(...new Array<number>(24).fill(0.3)));
    expect(all).toMatchObject({ kind: 'startup', between: 0, values: 24 });
    expect(all?.value).toBeCloseTo(0.3, 12);
    expect(all?.stderr).toBeCloseTo(0.01 / Math.sqrt(24), 12);
    expect(startupBaseline([])).toBeUndefined();
  });
});

describe('the residual of a block', () => {
  it('is 0 at the baseline, and counts in the errors of both', () => {
    expect(residual({ value: 0.3, stderr: 0.012 }, BASELINE)).toBe(0);
    expect(residual({ value: 0.274, stderr: 0.012 }, BASELINE)).toBeCloseTo(-2, 12);
  });

  it('takes the typical error of the past where the block does not tell its own', () => {
    expect(residual({ value: 0, stderr: 0 }, BASELINE)).toBe(residual({ value: 0, stderr: 0.012 }, BASELINE));
  });

  it('is absent where nothing has an error', () => {
    const exact: Baseline = { ...BASELINE, stderr: 0, between: 0, typical: 0 };
    expect(residual({ value: 0.2, stderr: 0 }, exact)).toEqual({ absent: 'zero_variance' });
  });

  it('is finite or absent, for any past', () => {
    const any = fc.double({ noNaN: true, noDefaultInfinity: true });
    const estimate = fc.record({ value: any, stderr: fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }) });
    const past = fc.array(fc.option(estimate, { nil: undefined }), { maxLength: 7 });
    const start = fc.array(estimate, { maxLength: 24 });
    fc.assert(
      fc.property(estimate, past, past, start, (block, weekly, daily, blocks) => {
        for (const baseline of [pastBaseline(weekly.slice(0, 3), daily), startupBaseline(blocks)]) {
          if (baseline === undefined) continue;
          const { value, stderr, between, typical, below, above } = baseline;
          const numbers = [value, stderr, between, typical, below, above];
          expect(numbers.every(Number.isFinite)).toBe(true);
          const z = residual(block, baseline);
          expect(typeof z === 'number' ? Number.isFinite(z) : z.absent).toBeTruthy();
        }
      }),
      { numRuns: 1000 },
    );
  });
});
