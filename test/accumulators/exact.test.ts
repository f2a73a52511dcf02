import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addExact, fixed, parseExact, printExact } from '../../src/accumulators/exact.ts';
import type { Exact } from '../../src/measures/sums.ts';

const exact: fc.Arbitrary<Exact> = fc
  .oneof(
    fc.maxSafeInteger(),
    fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }),
    fc.constantFrom(2n ** 53n, -(2n ** 53n)),
  )
  .map((value) => addExact(value, 0));

/** The value of a double in units as a fraction of whole numbers. */
function fraction(value: number): readonly [numerator: bigint, denominator: bigint] {
  let scaled = value;
  let denominator = 1n;
  while (!Number.isInteger(scaled)) {
    scaled *= 2;
    denominator *= 2n;
  }
  return [BigInt(scaled) * 1_000_000_000n, denominator];
}

describe('fixed', () => {
  it('rounds to the nearest multiple of 1e-9', () => {
    fc.assert(
      fc.property(fc.double({ min: -1e15, max: 1e15, noNaN: true }), (value) => {
        const [numerator, denominator] = fraction(value);
        const twiceError = 2n * (BigInt(fixed(value)) * denominator - numerator);
        const size = twiceError < 0n ? -twiceError : twiceError;
        expect(size <= denominator + denominator / 4096n + 1n).toBe(true);
      }),
    );
  });

  it('is exact beyond 2^40 units', () => {
    fc.assert(
      fc.property(fc.double({ min: 1100, max: 1e300, noNaN: true }), (value) => {
        const [numerator, denominator] = fraction(value);
        const expected = (2n * numerator + denominator) / (2n * denominator);
        expect(BigInt(fixed(value))).toBe(expected);
        expect(BigInt(fixed(-value))).toBe(-expected);
      }),
    );
  });

  it.each([
    [0.1, 100_000_000],
    [0.3333333333333333, 333_333_333],
    [0.6666666666666666, 666_666_667],
    [1, 1_000_000_000],
    [0, 0],
    [-0, 0],
    [-1e-12, 0],
    [0.4e-9, 0],
    [0.5e-9, 1],
    [0.6e-9, 1],
    [1.5e-9, 2],
    [2.5e-9, 3],
    [-0.5e-9, -1],
    [-2.5e-9, -3],
    [-0.6666666666666666, -666_666_667],
    [9_007_199.254740991, Number.MAX_SAFE_INTEGER],
    [2 ** 30, 2n ** 30n * 1_000_000_000n],
    [-(2 ** 60), -(2n ** 60n) * 1_000_000_000n],
  ])('%d is %d units', (value, units) => {
    expect(fixed(value)).toBe(units);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])('refuses %d', (value) => {
    expect(() => fixed(value)).toThrow('must be finite');
  });
});

describe('sums of whole numbers', () => {
  it('are exact and have one form', () => {
    fc.assert(
      fc.property(exact, exact, (a, b) => {
        const sum = addExact(a, b);
        expect(BigInt(sum)).toBe(BigInt(a) + BigInt(b));
        expect(typeof sum === 'number').toBe(Number.isSafeInteger(Number(sum)));
      }),
    );
  });

  it('leave the numbers after the last safe integer, and come back', () => {
    expect(addExact(Number.MAX_SAFE_INTEGER - 1, 1)).toBe(Number.MAX_SAFE_INTEGER);
    expect(addExact(Number.MAX_SAFE_INTEGER, 1)).toBe(2n ** 53n);
    expect(addExact(2n ** 53n, -1)).toBe(Number.MAX_SAFE_INTEGER);
  });
});

describe('text of whole numbers', () => {
  it('reads back', () => {
    fc.assert(
      fc.property(exact, (value) => {
        expect(parseExact(JSON.parse(printExact(value)))).toBe(value);
      }),
    );
  });

  it('has the digits of the number', () => {
    fc.assert(
      fc.property(fc.oneof(fc.maxSafeInteger(), fc.integer({ min: 999_999_990, max: 1_000_000_010 })), (value) => {
        expect(printExact(value)).toBe(String(value));
      }),
    );
    for (const value of [999_999_999, 1_000_000_000, 1_000_000_001, 2_999_999_999, 3e15]) {
      expect(printExact(value)).toBe(String(value));
    }
  });

  it('is a JSON number while safe and a string beyond', () => {
    expect(printExact(Number.MAX_SAFE_INTEGER)).toBe('9007199254740991');
    expect(printExact(2n ** 53n)).toBe('"9007199254740992"');
  });

  it.each([0.5, 2 ** 53, '', '1.5', '1e3', '0x10', null, true])('%j is none', (json) => {
    expect(parseExact(json)).toBeUndefined();
  });
});
