import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { engine } from '../../../../../src/consumers/engine/engine.ts';
import { openModule } from '../../../../../src/consumers/engine/module.ts';
import { byBytes, crc32c } from '../../../../../src/consumers/source/kafka/codecs/crc32c.ts';
import { CRC32C_CODE } from '../../../../../src/consumers/source/kafka/codecs/crc32c-code.ts';
import { runs } from '../../../../runs.ts';

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

const own = engine();
const room = own.takeShared(2 ** 18);
afterAll(() => own.giveShared(room));
const content = Buffer.from(Array.from({ length: 2 ** 17 + 2000 }, (_, i) => Math.imul(i, 0x9e3779b1) >>> 17));

/** Two copies, where batches are: in the memory of the engine, and elsewhere. */
function placed(given: Uint8Array, before: number): Record<'inside' | 'outside', Uint8Array> {
  const inside = own.bytes.subarray(room + before, room + before + given.length);
  inside.set(given);
  return { inside, outside: given };
}

it.each([
  ['few', 0, 2000],
  ['about one piece', 2 ** 15 - 40, 2 ** 15 + 600],
  ['about two', 2 ** 16 - 40, 2 ** 16 + 40],
  ['about four', 2 ** 17 - 20, 2 ** 17 + 20],
])('it is that of byte by byte for every number of bytes: %s', (_, least, most) => {
  const { inside, outside } = placed(content, 5);
  for (let size = least; size <= most; size++) {
    const expected = byBytes(content.subarray(0, size), 0);
    expect([crc32c(inside.subarray(0, size)), crc32c(outside.subarray(0, size))], `${size} bytes`).toEqual([
      expected,
      expected,
    ]);
  }
});

it('it is that of byte by byte for random bytes, from any place to any other, wherever they are', () => {
  const random = fc.tuple(fc.nat(2 ** 17), fc.nat(2 ** 16), fc.nat(1500), fc.nat(70), fc.integer());
  fc.assert(
    fc.property(random, ([start, long, from, before, seed]) => {
      const bytes = Uint8Array.from(
        content.subarray(start, start + long),
        (byte, i) => byte ^ Math.imul(i, seed) ^ seed,
      );
      const { inside, outside } = placed(bytes, before);
      const expected = byBytes(bytes, from);
      expect([crc32c(inside, from), crc32c(outside, from)]).toEqual([expected, expected]);
    }),
    { numRuns: runs(200) },
  );
});

it('it changes neither the bytes nor what is around them, and depends on nothing around them', () => {
  for (const size of [1, 15, 16, 511, 512, 1000, 2 ** 15, 2 ** 16 + 513]) {
    const around = new Uint8Array(size + 256);
    const seen = [0, 255].map((fill) => {
      around.fill(fill).set(content.subarray(0, size), 128);
      const { inside } = placed(around, 0);
      const crc = crc32c(inside.subarray(128, 128 + size));
      expect(Buffer.compare(inside, around)).toBe(0);
      return crc;
    });
    const expected = byBytes(content.subarray(0, size), 0);
    expect(seen).toEqual([expected, expected]);
  }
});

it('it reads no further than the range, and writes to no more than its room', () => {
  const memory = new WebAssembly.Memory({ initial: 2 });
  const all = Buffer.from(memory.buffer);
  const add = openModule('the checksum', CRC32C_CODE, memory, { memory })('crc32c');
  const roomAt = 16 * 1024;
  for (const size of [1, 16, 511, 512, 513, 527, 1000, 2 ** 15]) {
    const before = Buffer.from(content.subarray(0, all.length));
    all.set(before);
    // The range is the end of the memory: beyond it, WebAssembly throws.
    add(-1, all.length - size, all.length, 0);
    before.copy(all, roomAt, roomAt, roomAt + 304 + size);
    expect(all.equals(before), `${size} bytes`).toBe(true);
  }
});

it('the polynomial of six terms, by which long ranges are divided first, is a multiple of that of the checksum', () => {
  let rest = [290n, 136n, 113n, 107n, 32n, 0n].reduce((sum, power) => sum | (1n << power), 0n);
  for (let power = 290n; power >= 32n; power--) if ((rest >> power) & 1n) rest ^= 0x11edc6f41n << (power - 32n);
  expect(rest).toBe(0n);
});
