import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { printExact } from '../../src/accumulators/exact.ts';
import { TextWriter } from '../../src/accumulators/text-writer.ts';

/** As many digits as drawn, so that numbers of every length are as frequent. */
const whole = fc
  .tuple(fc.integer({ min: 1, max: 16 }), fc.maxSafeInteger(), fc.boolean())
  .map(([digits, value, isNegative]) => {
    const size = Math.abs(value) % Math.min(10 ** digits, Number.MAX_SAFE_INTEGER);
    return isNegative ? -size : size;
  });
const exact = fc.oneof(whole, fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }));
const piece = fc.oneof(exact, fc.string({ unit: 'binary-ascii', maxLength: 30 }), fc.string({ unit: 'grapheme' }));

describe('a text that is written in pieces', () => {
  it('is their concatenation, digits as they are printed, text after text', () => {
    const writer = new TextWriter();
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 50 }), (pieces) => {
        for (const one of pieces) {
          if (typeof one === 'string') writer.text(one);
          else writer.exact(one);
        }
        writer.byte(44);
        const printed = pieces.map((one) => (typeof one === 'string' ? one : printExact(one)));
        expect(writer.take()).toBe(`${printed.join('')},`);
      }),
    );
  });

  it.each(Array.from({ length: 16 }, (_, power) => power))('has every digit around 10^%d', (power) => {
    const writer = new TextWriter();
    for (const value of [10 ** power - 1, 10 ** power, 10 ** power + 1, -(10 ** power)]) {
      writer.exact(value);
      expect(writer.take()).toBe(String(value));
    }
  });

  it.each([0, -0, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER])('has the digits of %d', (value) => {
    const writer = new TextWriter();
    writer.exact(value);
    expect(writer.take()).toBe(value === 0 ? '0' : String(value));
  });

  it('grows with what is written', () => {
    const writer = new TextWriter();
    const pieces = Array.from({ length: 9000 }, (_, i) => 1e15 + i);
    for (const value of pieces) writer.exact(value);
    expect(writer.take()).toBe(pieces.join(''));
    writer.text('a'.repeat(400_000));
    writer.text('\u{1F600}'.repeat(100_000));
    expect(writer.take()).toBe('a'.repeat(400_000) + '\u{1F600}'.repeat(100_000));
    expect(writer.take()).toBe('');
  });
});
