import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sumsStarts } from '../../src/accumulators/row.ts';
import { contradictions, rowCodec } from '../../src/accumulators/row-codec.ts';
import { SUMS } from '../../src/measures/sums.ts';
import { EVERY_KIND, rowsOf } from './rows.ts';

const CODEC = rowCodec(EVERY_KIND);
const STARTS = sumsStarts(EVERY_KIND);
const COUNTED = EVERY_KIND.kinds.flatMap((kind, m) => (SUMS[kind].counted ? [m] : []));

/** A row, with one of its counts of lists as given. */
const anyAltered = fc
  .record({ row: rowsOf(EVERY_KIND), part: fc.nat(), by: fc.integer({ min: 1, max: 1e9 }) })
  .map(({ row, part, by }) => {
    const counts = ['positives', 'userless', 'empty'] as const;
    const n = part % (counts.length + 2 * COUNTED.length);
    const altered = { ...row, sums: [...row.sums] };
    if (n < counts.length) return { ...altered, [counts[n]]: row.impressions + by };
    const at = STARTS[COUNTED[(n - counts.length) >> 1]];
    if ((n - counts.length) % 2 === 0) altered.sums[at] = row.impressions + by;
    else altered.sums[at + 1] = BigInt(row.sums[at]) + BigInt(by);
    return altered;
  });

describe('a row', () => {
  it('that lists can have made contradicts nothing, and neither does a sum of such rows', () => {
    fc.assert(
      fc.property(rowsOf(EVERY_KIND), (row) => {
        expect(contradictions(EVERY_KIND)(row)).toBeUndefined();
        expect(() => CODEC.decode(CODEC.encode(row))).not.toThrow();
      }),
    );
  });

  it('with more of its lists than it has of all is refused, and the message names both', () => {
    fc.assert(
      fc.property(anyAltered, (row) => {
        expect(() => CODEC.decode(CODEC.encode(row))).toThrow(/^row\.[^:]+: \d+ of \d+ lists$/);
      }),
    );
  });

  it.each([
    ['positives', 29, false],
    ['positives', 30, false],
    ['positives', 31, true],
    ['positives', -1, true],
    ['userless', 31, true],
    ['empty', 31, true],
  ])('of 30 lists with %s %i: %s', (name, count, isRefused) => {
    const row = { impressions: 30, positives: 0, userless: 0, empty: 0, measures: {}, [name]: count };
    const decode = () => CODEC.decode(JSON.stringify(row));
    if (isRefused) expect(decode).toThrow(`row.${name}: ${count} of 30 lists`);
    else expect(decode).not.toThrow();
  });

  it.each([
    [
      'a vector with more lists in a bucket',
      '"vector":{"buckets":4,"filled":[1],"n":[3],"positives":[0],"measures":{}}',
    ],
    [
      'a vector with more positives than lists',
      '"vector":{"buckets":4,"filled":[1],"n":[1],"positives":[2],"measures":{}}',
    ],
    ['more positives at a rank than lists there', '"positions":{"exposed":[1],"positives":[2]}'],
  ])('of 2 lists with %s is refused', (_, part) => {
    const text = `{"impressions":2,"positives":0,"userless":0,"measures":{},${part}}`;
    expect(() => rowCodec({ ...EVERY_KIND, ranks: 3 }).decode(text)).toThrow(/^row\.(?:vector|positions)/);
  });
});
