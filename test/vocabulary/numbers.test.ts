import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ascii,
  bound,
  change,
  changeTick,
  percent,
  plain,
  range,
  roughly,
  shown,
  signed,
} from '../../src/vocabulary/numbers.ts';

const fraction = fc.double({ min: 0, max: 1, noNaN: true });

describe('numbers', () => {
  it('say 0 % of nothing alone, and 100 % of all alone', () => {
    fc.assert(
      fc.property(fraction, (part) => {
        expect(percent(part) === '0 %').toBe(part === 0);
        expect(percent(part) === '100 %').toBe(100 * part >= 100);
      }),
    );
  });

  it('of a terminal have a minus that a program reads', () => {
    fc.assert(
      fc.property(fc.double({ min: -1e6, max: 1e6, noNaN: true }), (value) => {
        expect(Number(ascii(plain(value)))).toBeCloseTo(value, -3);
        expect(Number(ascii(signed(value)))).toBe(Number(value.toPrecision(3)));
        expect(ascii(change(value))).toMatch(/^[+-]\d+\.\d+ %$/);
      }),
    );
    expect(ascii(shown(null, plain))).toBe('-');
    expect(ascii(range([-0.01, 0.02], signed))).toBe('-0.01 to +0.02');
  });

  it.each([
    [percent(0.9534), '95.3 %'],
    [percent(0.0004), '< 0.1 %'],
    [percent(0.9996), '> 99.9 %'],
    [roughly(0.333), '33 %'],
    [roughly(0.997), '99.7 %'],
    [roughly(0.004), '0.4 %'],
    [bound(0.00125), '0.125 %'],
    [change(-0.0342), '−3.42 %'],
    [change(0.1234), '+12.3 %'],
    [change(-0.0342, 1), '−3.4 %'],
    [changeTick(0), '0'],
    [changeTick(-0.025), '−2.5 %'],
    [signed(-0.03, 4), '−0.0300'],
  ])('are written as %s', (text, expected) => {
    expect(text).toBe(expected);
  });
});
