import fc from 'fast-check';
import { expect, it } from 'vitest';
import { byBytes, crc32c } from '../../../../../src/consumers/source/kafka/codecs/crc32c.ts';

/** Bit by bit, as a division of polynomials. */
function divided(bytes: Uint8Array): number {
  let rest = 0xffffffffn;
  for (const byte of bytes) {
    rest ^= BigInt(byte);
    for (let bit = 0; bit < 8; bit++) rest = (rest >> 1n) ^ ((rest & 1n) === 1n ? 0x82f63b78n : 0n);
  }
  return Number(rest ^ 0xffffffffn);
}

it.each([
  ['123456789', Buffer.from('123456789'), 0xe3069283],
  ['nothing', Buffer.alloc(0), 0],
  // RFC 3720, appendix B.4
  ['32 zeros', Buffer.alloc(32), 0x8a9136aa],
  ['32 ones', Buffer.alloc(32, 0xff), 0x62a8ab43],
  ['0 to 31', Buffer.from(Array.from({ length: 32 }, (_, i) => i)), 0x46dd794e],
  ['31 to 0', Buffer.from(Array.from({ length: 32 }, (_, i) => 31 - i)), 0x113fdb5c],
])('the checksum of %s is that of the standard', (_, bytes, expected) => {
  expect([crc32c(bytes), byBytes(bytes, 0), divided(bytes)]).toEqual([expected, expected, expected]);
});

it('it is that of a plain division, for any bytes, from any place', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(310), fc.nat(5), (content, from, before) => {
      // A view, as a batch is of a fetch.
      const bytes = Buffer.concat([Buffer.alloc(before, 7), content]).subarray(before);
      const expected = divided(bytes.subarray(from));
      expect([crc32c(bytes, from), byBytes(bytes, from)]).toEqual([expected, expected]);
    }),
  );
});

it.each([2 ** 16 - 1, 2 ** 16, 2 ** 16 + 1, 2 ** 17 + 17])(
  'it goes over %i bytes, more than one piece or not',
  (size) => {
    const bytes = Buffer.from(Array.from({ length: size }, (_, i) => (i * i) >>> 7));
    expect(crc32c(bytes)).toBe(byBytes(bytes, 0));
  },
);
