import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { PackedIntegers } from '../../../../src/consumers/source/files/packed-integers.ts';

/** A run of one value, or groups of eight packed by bits. */
type Part = { readonly value: number; readonly times: number } | { readonly packed: readonly number[] };

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
}

function written(parts: readonly Part[], width: number): Uint8Array {
  return Uint8Array.from(
    parts.flatMap((part) => {
      if ('value' in part) {
        const bytes = Array.from({ length: Math.ceil(width / 8) }, (_, i) => Math.floor(part.value / 256 ** i) % 256);
        return [...varint(2 * part.times), ...bytes];
      }
      const bits = part.packed.flatMap((value) =>
        Array.from({ length: width }, (_, i) => Math.floor(value / 2 ** i) % 2),
      );
      const bytes = Array.from({ length: bits.length / 8 }, (_, i) =>
        bits.slice(8 * i, 8 * i + 8).reduce((sum, bit, k) => sum + bit * 2 ** k, 0),
      );
      return [...varint(part.packed.length / 4 + 1), ...bytes];
    }),
  );
}

const cases = fc.integer({ min: 0, max: 32 }).chain((width) => {
  const value = fc.integer({ min: 0, max: 2 ** width - 1 });
  const group = fc.array(value, { minLength: 8, maxLength: 8 });
  const part: fc.Arbitrary<Part> = fc.oneof(
    fc.record({ value, times: fc.integer({ min: 0, max: 300 }) }),
    fc.array(group, { maxLength: 12 }).map((groups) => ({ packed: groups.flat() })),
  );
  return fc.tuple(fc.constant(width), fc.array(part, { maxLength: 8 }));
});

test('what was written is read, however many are taken at a time', () => {
  fc.assert(
    fc.property(cases, fc.array(fc.integer({ min: 0, max: 90 }), { minLength: 1 }), ([width, parts], sizes) => {
      const all = parts.flatMap((part) => ('value' in part ? Array<number>(part.times).fill(part.value) : part.packed));
      const packed = new PackedIntegers(Uint8Array.from([7, 7, ...written(parts, width)]), 2, width);
      const taken: number[] = [];
      for (let i = 0; taken.length < all.length; i++)
        taken.push(...packed.take(Math.min(sizes[i % sizes.length] || 1, all.length - taken.length)));
      expect(taken).toEqual(all);
      if (width > 0) expect(() => packed.take(1)).toThrow('it ends in the middle of a page');
    }),
  );
});

it('reads bits, and zeros where there is nothing to tell', () => {
  expect(PackedIntegers.bits(Uint8Array.of(9, 0b101, 0b1), 1).take(9)).toEqual([1, 0, 1, 0, 0, 0, 0, 0, 1]);
  expect(new PackedIntegers(new Uint8Array(0), 0, 0).take(5)).toEqual([0, 0, 0, 0, 0]);
  expect(() => new PackedIntegers(new Uint8Array(0), 0, 33)).toThrow('integers of 33 bits');
});
