import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { numberAt } from '../../src/score/line-fields.ts';

function read(text: string): number {
  const bytes = Buffer.from(`x${text} `, 'utf8');
  return numberAt(bytes, 1, bytes.length - 1);
}

const digits = (most: number) => fc.stringMatching(new RegExp(`^[0-9]{1,${most}}$`));

describe('a number in a file', () => {
  it('is the double that the engine reads, however many digits it has', () => {
    const number = fc
      .tuple(fc.constantFrom('', '-', '+'), digits(25), fc.option(digits(25), { nil: undefined }))
      .map(([sign, whole, fraction]) => `${sign}${whole}${fraction === undefined ? '' : `.${fraction}`}`);
    fc.assert(
      fc.property(number, (text) => {
        expect(read(text)).toBe(Number(text));
      }),
      { numRuns: 20_000 },
    );
  });

  it('reads back what programs print of a double', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(read(String(value))).toBe(value === 0 ? 0 : value);
      }),
      { numRuns: 20_000 },
    );
    fc.assert(
      fc.property(fc.double({ min: -100, max: 100, noNaN: true }), (value) => {
        expect(read(value.toFixed(15))).toBe(Number(value.toFixed(15)));
        expect(read(value.toPrecision(17))).toBe(Number(value.toPrecision(17)));
      }),
      { numRuns: 20_000 },
    );
  });

  it('is right where a text lies close to the middle of two doubles', () => {
    for (const text of [
      '9007199254740993',
      '900719925474099.3',
      '0.1000000000000000055',
      '4503599627370497.5',
      '1.000000000000000111',
    ]) {
      expect(read(text)).toBe(Number(text));
    }
  });

  it.each([
    ['5.', 5],
    ['.5', 0.5],
    ['1e3', 1000],
    ['-2.5E-2', -0.025],
    ['inf', Number.POSITIVE_INFINITY],
    ['-Infinity', Number.NEGATIVE_INFINITY],
  ])('reads %s', (text, value) => {
    expect(read(text)).toBe(value);
  });

  it.each(['', '.', '-', '+.', '1.2.3', 'nan', 'NaN', '0x10', '1e', 'ten', '1 2', '--1'])('refuses "%s"', (text) => {
    expect(read(text)).toBeNaN();
  });
});
