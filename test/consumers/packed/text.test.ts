import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashText, readText, textBound, textEnd, writeText } from '../../../src/consumers/packed/text.ts';

/** Any UTF-16, halves of surrogate pairs included, and what the forms are made for. */
const anyText = fc.oneof(
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 80 }).map((units) => String.fromCharCode(...units)),
  fc.string({ maxLength: 300 }),
  fc.uuid(),
  fc.uuid().map((id) => id.toUpperCase()),
  fc.uuid().map((id) => `${id.slice(0, 35)}g`),
  fc.constantFrom('', 'a', 'é', '日本', '\ud800', '__proto__', '0'.repeat(36), '-'.repeat(36)),
);

function packed(text: string): { readonly u8: Buffer; readonly at: number; readonly end: number } {
  const u8 = Buffer.alloc(textBound(text.length) + 8, 0xff);
  return { u8, at: 3, end: writeText(u8, 3, text) };
}

describe('packed text', () => {
  it('reads back as it was, and ends where it says', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const { u8, at, end } = packed(text);
        expect(readText(u8, at)).toBe(text);
        expect(textEnd(u8, at)).toBe(end);
        expect(end - at).toBeLessThanOrEqual(textBound(text.length));
        expect(u8[at + textBound(text.length)]).toBe(0xff);
      }),
      { numRuns: 2000 },
    );
  });

  it('equals the same text and no other', () => {
    fc.assert(
      fc.property(anyText, anyText, (a, b) => {
        const { u8, at, end } = packed(a);
        const other = packed(b);
        const copy = Buffer.alloc(end - at + 1);
        u8.copy(copy, 1, at, end);
        expect(hashText(copy, 1, 7)).toBe(hashText(u8, at, 7));
        expect(u8.subarray(at, end).equals(other.u8.subarray(other.at, other.end))).toBe(a === b);
      }),
      { numRuns: 2000 },
    );
  });

  it('differs from a text that differs in one unit', () => {
    fc.assert(
      fc.property(
        anyText.filter((text) => text !== ''),
        fc.nat(),
        fc.integer({ min: 1, max: 0xffff }),
        (text, place, by) => {
          const i = place % text.length;
          const changed =
            text.slice(0, i) + String.fromCharCode((text.charCodeAt(i) + by) & 0xffff) + text.slice(i + 1);
          const one = packed(text);
          const other = packed(changed);
          expect(one.u8.subarray(one.at, one.end).equals(other.u8.subarray(other.at, other.end))).toBe(false);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('has hashes that spread, and that differ by seed', () => {
    const hashes = (seed: number): number[] =>
      Array.from({ length: 4096 }, (_, n) => {
        const { u8, at } = packed(`request-${n}`);
        return hashText(u8, at, seed);
      });
    expect(new Set(hashes(0)).size).toBe(4096);
    const cells = new Set(hashes(1).map((hash) => hash & 1023));
    // Of 1,024 cells about 1,005 are hit by 4,096 at random.
    expect(cells.size).toBeGreaterThan(980);
    expect(hashes(0)).not.toEqual(hashes(1));
  });

  it('is hashed as the test vectors of Linux have HalfSipHash-1-3 (lib/test_siphash.c)', () => {
    // One byte, 0: an empty text. The key is the bytes 0 to 7.
    expect(hashText(Buffer.from([0]), 0, 0x07060504 * 2 ** 32 + 0x03020100)).toBe(0xe7e864ca);
  });

  it('takes 17 bytes for a lower-case UUID', () => {
    const { at, end } = packed('0198a3c4-5d6e-7f80-9a1b-2c3d4e5f6a7b');
    expect(end - at).toBe(17);
  });
});
