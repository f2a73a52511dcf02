import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { prefixOf, readText, textBound, textEnd, textEquals, writeText } from '../../../src/consumers/join/text.ts';

/** Any UTF-16, halves of surrogate pairs included, and what the forms are made for. */
const anyText = fc.oneof(
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 80 }).map((units) => String.fromCharCode(...units)),
  fc.string({ maxLength: 300 }),
  fc.uuid(),
  fc.uuid().map((id) => id.toUpperCase()),
  fc.uuid().map((id) => `${id.slice(0, 35)}g`),
  fc.constantFrom('', 'a', 'é', '日本', '\ud800', '__proto__', '0'.repeat(36), '-'.repeat(36)),
);

function packed(text: string, from = 0): { readonly u8: Buffer; readonly at: number; readonly end: number } {
  const u8 = Buffer.alloc(textBound(text) + 8, 0xff);
  return { u8, at: 3, end: writeText(u8, 3, text, from) };
}

describe('packed text', () => {
  it('reads back as it was, and ends where it says', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const { u8, at, end } = packed(text);
        expect(readText(u8, at)).toBe(text);
        expect(textEnd(u8, at)).toBe(end);
        expect(end - at).toBeLessThanOrEqual(textBound(text));
        expect(u8[end]).toBe(0xff);
      }),
      { numRuns: 2000 },
    );
  });

  it('equals the same text and no other', () => {
    fc.assert(
      fc.property(anyText, anyText, (a, b) => {
        const { u8, at, end } = packed(a);
        expect(textEquals(u8, at, a)).toBe(true);
        expect(textEquals(u8, at, b)).toBe(a === b);
        const other = packed(b);
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
          const { u8, at } = packed(text);
          expect(textEquals(u8, at, changed)).toBe(false);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('may begin anywhere in a text, and what was left out is found as its beginning', () => {
    fc.assert(
      fc.property(anyText, anyText, fc.nat(), (text, other, place) => {
        const from = place % (text.length + 1);
        const rest = packed(text, from);
        expect(readText(rest.u8, rest.at)).toBe(text.slice(from));
        expect(textEquals(rest.u8, rest.at, text, from)).toBe(true);
        const start = packed(text.slice(0, from));
        expect(prefixOf(start.u8, start.at, text)).toBe(from);
        expect(prefixOf(start.u8, start.at, other)).toBe(other.startsWith(text.slice(0, from)) ? from : -1);
      }),
      { numRuns: 2000 },
    );
  });

  it('takes 17 bytes for a lower-case UUID', () => {
    const { at, end } = packed('0198a3c4-5d6e-7f80-9a1b-2c3d4e5f6a7b');
    expect(end - at).toBe(17);
  });
});
