import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Result } from '../../src/statistics/absent.ts';
import { isAbsent } from '../../src/statistics/absent.ts';
import { holm, holmByDirection } from '../../src/statistics/corrections.ts';
import { near } from './vectors.ts';

const p = fc.oneof(
  fc.double({ min: 1e-300, max: 1, noNaN: true }),
  fc.integer({ min: 1, max: 100 }).map((n) => n / 100),
);
const families = fc.array(fc.oneof({ weight: 5, arbitrary: p }, fc.constant({ absent: 'few_users' as const })), {
  maxLength: 12,
});

function plainHolm(values: readonly number[]): number[] {
  return values.map((value) => {
    const below = values.filter((other) => other <= value);
    return Math.max(
      ...below.map((other) => Math.min(1, (values.length - values.filter((q) => q < other).length) * other)),
    );
  });
}

const numbersOf = (family: readonly Result<number>[]): number[] => family.filter((value) => typeof value === 'number');

describe('Holm', () => {
  it('gives what the plain definition gives, and leaves absent values in their place', () => {
    fc.assert(
      fc.property(families, (family) => {
        const given = holm(family);
        expect(given.map(isAbsent)).toEqual(family.map(isAbsent));
        const expected = plainHolm(numbersOf(family));
        numbersOf(given).forEach((value, i) => {
          expect(near(value, expected[i])).toBe(true);
        });
      }),
    );
  });

  it('never goes below the raw p, and keeps the order', () => {
    fc.assert(
      fc.property(families, (family) => {
        const raw = numbersOf(family);
        const given = numbersOf(holm(family));
        for (let i = 0; i < raw.length; i++) {
          expect(given[i]).toBeGreaterThanOrEqual(raw[i] * (1 - 1e-12));
          expect(given[i]).toBeLessThanOrEqual(1);
          for (let j = 0; j < raw.length; j++) if (raw[i] < raw[j]) expect(given[i]).toBeLessThanOrEqual(given[j]);
        }
      }),
    );
  });

  it('returns an empty family as it is', () => {
    expect(holm([])).toEqual([]);
    expect(holm([{ absent: 'no_data' }])).toEqual([{ absent: 'no_data' }]);
  });
});

describe('Holm by direction', () => {
  it('is Holm on the direction that counts', () => {
    expect(holmByDirection([{ worse: 0.01, better: 1 }, { absent: 'no_data' }, { worse: 0.5, better: 0.02 }])).toEqual([
      { worse: 0.02, better: 1 },
      { absent: 'no_data' },
      { worse: 0.5, better: 0.02 },
    ]);
  });

  it('changes nothing for a single variant', () => {
    fc.assert(
      fc.property(p, p, (worse, better) => {
        expect(holmByDirection([{ worse, better }])).toEqual([{ worse, better }]);
      }),
    );
  });

  it('takes the smaller direction of the others', () => {
    const [first] = holmByDirection([
      { worse: 0.04, better: 1 },
      { worse: 1, better: 0.001 },
    ]);
    expect(first).toEqual({ worse: 0.04, better: 1 });
    const [beside] = holmByDirection([
      { worse: 0.04, better: 1 },
      { worse: 1, better: 0.5 },
    ]);
    expect(beside).toEqual({ worse: 0.08, better: 1 });
  });
});
