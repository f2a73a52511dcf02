import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fmix64, fnv1a64, itemHash, LONGEST_RUN, REGISTERS, RUNS, registerOf } from '../../src/measures/registers.ts';

const WORD = 2n ** 64n;

/** The definition, in big integers. */
function plainFnv(text: string): bigint {
  let h = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) h = ((h ^ BigInt(byte)) * 0x100000001b3n) % WORD;
  return h;
}

function plainMix(word: bigint): bigint {
  let k = word;
  k ^= k >> 33n;
  k = (k * 0xff51afd7ed558ccdn) % WORD;
  k ^= k >> 33n;
  k = (k * 0xc4ceb9fe1a85ec53n) % WORD;
  return k ^ (k >> 33n);
}

function joined([high, low]: readonly [number, number]): bigint {
  return (BigInt(high) << 32n) | BigInt(low);
}

const anyItem = fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.uuid());

describe('the hash of items', () => {
  it.each([
    ['', 'cbf29ce484222325'],
    ['a', 'af63dc4c8601ec8c'],
    ['foobar', '85944171f73967e8'],
  ])('has the published FNV-1a of "%s"', (text, hash) => {
    expect(joined(fnv1a64(text)).toString(16)).toBe(hash);
  });

  it('is what big integers say, for any text', () => {
    fc.assert(
      fc.property(anyItem, (item) => {
        expect(joined(fnv1a64(item))).toBe(plainFnv(item));
        expect(joined(itemHash(item))).toBe(plainMix(plainFnv(item)));
      }),
    );
  });

  it('mixes any word as MurmurHash3 does', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: WORD - 1n }), (word) => {
        expect(joined(fmix64(Number(word >> 32n), Number(word & 0xffffffffn)))).toBe(plainMix(word));
      }),
    );
  });

  it('takes a lone surrogate for U+FFFD', () => {
    expect(itemHash('\ud800')).toEqual(itemHash('\ufffd'));
  });

  it('chooses the register by the highest 12 bits and the run by the zeros behind them', () => {
    fc.assert(
      fc.property(anyItem, (item) => {
        const bits = plainMix(plainFnv(item)).toString(2).padStart(64, '0');
        const one = bits.indexOf('1', 12);
        const run = one < 0 ? LONGEST_RUN : one - 11;
        expect(registerOf(item)).toBe(Number.parseInt(bits.slice(0, 12), 2) * RUNS + run);
      }),
    );
  });

  it('never changes: stored registers were made by it', () => {
    const goldens = ['a', 'sku-1', 'sku-1000000', '3f2b8c1e-0d4a-4c8e-9b7f-5a6d7e8f9a0b', 'Größe', '日本', ''];
    expect(goldens.map((item) => [item, joined(itemHash(item)).toString(16), registerOf(item)])).toMatchInlineSnapshot(`
      [
        [
          "a",
          "82a2a958a9bece5b",
          133763,
        ],
        [
          "sku-1",
          "b360dc87d45aee69",
          183685,
        ],
        [
          "sku-1000000",
          "362cce4552cf5e92",
          55425,
        ],
        [
          "3f2b8c1e-0d4a-4c8e-9b7f-5a6d7e8f9a0b",
          "22c9cd2c9bb4be7f",
          35585,
        ],
        [
          "Größe",
          "e504efb774d003a6",
          234498,
        ],
        [
          "日本",
          "1230c55089fe4e43",
          18629,
        ],
        [
          "",
          "efd01f60ba992926",
          245576,
        ],
      ]
    `);
    expect(Math.max(...goldens.map(registerOf))).toBeLessThan(REGISTERS * RUNS);
  });
});
