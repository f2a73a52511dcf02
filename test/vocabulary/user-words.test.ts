import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BUCKETS, bucketOf, bucketWord, fnv1a32, sampleFirst, sampleKey } from '../../src/vocabulary/user-words.ts';

function overBytes(text: string): number {
  let h = 0x811c_9dc5;
  for (const byte of new TextEncoder().encode(text)) h = Math.imul(h ^ byte, 0x0100_0193);
  return h >>> 0;
}

/** Chi-square of counts against equal shares, in standard deviations from its mean. */
function sigmas(counts: readonly number[]): number {
  const expected = counts.reduce((sum, count) => sum + count, 0) / counts.length;
  const chi = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  return (chi - (counts.length - 1)) / Math.sqrt(2 * (counts.length - 1));
}

function counted(ids: readonly string[], place: (id: string) => number): number[] {
  const counts = new Array<number>(BUCKETS).fill(0);
  for (const id of ids) counts[place(id)]++;
  return counts;
}

describe('the hash of a user', () => {
  it('takes the bytes that TextEncoder makes, lone surrogates included', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => fnv1a32(text) === overBytes(text)));
    const unit = fc.constantFrom('a', 'ü', '€', '\ud83d', '\ude00', '\udbff', '\udfff', '\ud800', '\udc00');
    fc.assert(fc.property(fc.array(unit), (units) => fnv1a32(units.join('')) === overBytes(units.join(''))));
  });

  it.each([
    ['\u007f', '\u0080'],
    ['\u07ff', '\u0800'],
    ['\ud7ff', '\ud800'],
    ['\udfff', '\ue000'],
    ['\uffff', '\u{10000}'],
  ])('is that of the bytes on both sides of a change of length', (below, above) => {
    expect(fnv1a32(below)).toBe(overBytes(below));
    expect(fnv1a32(above)).toBe(overBytes(above));
  });

  it('goes on from a state as if the texts were one', () => {
    fc.assert(fc.property(fc.string(), fc.string(), (a, b) => fnv1a32(b, fnv1a32(a)) === fnv1a32(a + b)));
  });

  it('gives a coarser bucket that is the finer one modulo', () => {
    fc.assert(fc.property(fc.string(), (id) => bucketOf(id, 64) === bucketOf(id) % 64));
  });

  it('spreads numbered users evenly, where FNV-1a alone does not', () => {
    const ids = Array.from({ length: 100_000 }, (_, i) => `user-${i}`);
    expect(Math.abs(sigmas(counted(ids, (id) => bucketOf(id))))).toBeLessThan(4);
    expect(Math.abs(sigmas(counted(ids, (id) => fnv1a32(`receval/bucket/1:${id}`) % BUCKETS)))).toBeGreaterThan(10);
  });

  it('leaves no bucket of a variant empty under an assigner by FNV-1a, where FNV-1a alone leaves half', () => {
    const ids = Array.from({ length: 20_000 }, (_, i) => `${i}`).filter((id) => fnv1a32(`exp:${id}`) % 2 === 0);
    const empty = (counts: readonly number[]) => counts.filter((count) => count === 0).length;
    expect(empty(counted(ids, (id) => bucketOf(id)))).toBe(0);
    expect(empty(counted(ids, (id) => fnv1a32(`receval/bucket/1:${id}`) % BUCKETS))).toBe(128);
  });

  it('makes sample keys of 53 bits whose highest 32 are the first word, unlike the bucket word', () => {
    fc.assert(
      fc.property(fc.string(), (id) => {
        const key = sampleKey(id);
        return Number.isSafeInteger(key) && Math.floor(key / 2 ** 21) === sampleFirst(id);
      }),
    );
    expect(sampleFirst('user-1')).not.toBe(bucketWord('user-1'));
  });
});
