import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Xxh64 } from '../../../../src/consumers/source/files/xxh64.ts';

const hashOf = (...pieces: readonly Uint8Array[]): bigint => {
  const hash = new Xxh64();
  for (const piece of pieces) hash.update(piece);
  return hash.digest();
};

it('is the same in whatever pieces the bytes come', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 100 })), (pieces) => {
      expect(hashOf(...pieces)).toBe(hashOf(Buffer.concat(pieces)));
    }),
  );
});

/** Hashes that xxhash-wasm 1.1.0 prints, which is compiled from the reference. */
it.each([
  [0, 0xef46db3751d8e999n],
  [1, 0xf592c0c7639c4cb6n],
  [3, 0x8bfb5a8dc7e2ea8n],
  [4, 0xf08f0d7f8750b2fdn],
  [7, 0x379007f60c171856n],
  [8, 0x91e34e3ae3c42405n],
  [31, 0x633f3d970cb02319n],
  [32, 0xbe3818203ace0278n],
  [33, 0xae78bc19bcfca640n],
  [63, 0x9a08e04441b08126n],
  [64, 0xb03ebf15dd382c37n],
  [100, 0x8f4819cf190fbfe0n],
  [1000, 0xe991d92f0a24dfe7n],
])('of %i bytes is that of others', (length, hash) => {
  expect(hashOf(Uint8Array.from({ length }, (_, i) => i * 197 + 11))).toBe(hash);
});
