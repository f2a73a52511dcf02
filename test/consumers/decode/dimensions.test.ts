import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createDecoder } from '../../../src/consumers/decode/decoder.ts';
import { cleanDimension, isDimensionName, RESERVED_DIMENSIONS } from '../../../src/consumers/decode/dimensions.ts';
import { BOTH, bytes, event, IMPRESSION } from './fixture.ts';

function values(extra: object, dimensions = BOTH.dimensions): readonly string[] {
  const read = event({ ...IMPRESSION, ...extra }, { dimensions });
  return read.kind === 'impression' ? read.dimensions : [];
}

describe('values of dimensions', () => {
  test('each dimension is read from its place, in the order of the configuration', () => {
    const read = values({
      surface: 'home',
      variant: 'treatment',
      experiments: { ranker: 'b' },
      cohorts: { country: 'DE', ignored: 'x' },
      model: { name: 'two-tower', version: '7' },
    });
    expect(read).toEqual(['DE', 'b', 'two-tower:7', 'home', 'treatment']);
  });

  test('a dimension that the impression lacks is __none__, null included', () => {
    const none = ['__none__', '__none__', '__none__', '__none__', '__none__'];
    expect(values({})).toEqual(none);
    expect(
      values({ surface: null, variant: null, experiments: null, cohorts: { country: null }, model: null }),
    ).toEqual(none);
  });

  test('variant is short for the experiment default, and wins over it', () => {
    expect(values({ experiments: { default: 'a' } }, ['variant', 'experiment_default'])).toEqual(['a', 'a']);
    expect(values({ variant: 'b', experiments: { default: 'a' } }, ['variant'])).toEqual(['b']);
  });

  test('a built-in dimension that is missing may stand among the cohorts', () => {
    expect(values({ cohorts: { variant: 'b', surface: 'app' } }, ['surface', 'variant'])).toEqual(['app', 'b']);
    expect(values({ surface: 'web', cohorts: { surface: 'app' } }, ['surface'])).toEqual(['web']);
  });

  test('numbers and booleans among the cohorts become text', () => {
    const cohorts = { a: 7, b: -0.5, c: true, d: false };
    expect(values({ cohorts }, ['a', 'b', 'c', 'd'])).toEqual(['7', '-0.5', 'true', 'false']);
  });

  test.each([
    [[1]],
    [{ a: 1 }],
    [''],
    ['__none__'],
    ['a\u0000b'],
    ['a{b}'],
    ['"'],
    ['\ud800'],
    ['a\nb'],
    ['a|b'],
    ['a=b'],
  ])('%j is no value', (value) => {
    expect(values({ cohorts: { country: value } }, ['country'])).toEqual(['__invalid__']);
  });

  test('1e999 is no value', () => {
    const text = JSON.stringify({ ...IMPRESSION, cohorts: { country: 0 } }).replace('"country":0', '"country":1e999');
    expect(event(text, { dimensions: ['country'] })).toMatchObject({ dimensions: ['__invalid__'] });
  });

  test.each(['DE', 'new user', "O'Neil & Sons (A/B): 1.5+", 'Zürich', '東京', 'مصر', 'हिन्दी', '_x', '-'])(
    '%j is a value',
    (value) => {
      expect(cleanDimension(value)).toBe(value);
    },
  );

  test('a value has at most 64 characters, counted in code points', () => {
    for (const character of ['a', '𝒳']) {
      expect([63, 64, 65].map((n) => cleanDimension(character.repeat(n)) === character.repeat(n))).toEqual([
        true,
        true,
        false,
      ]);
    }
  });

  test('names of Object.prototype are plain dimensions', () => {
    expect(values({}, ['constructor', 'valueof'])).toEqual(['__none__', '__none__']);
    const text =
      '{"requestId":"r","ts":1795248000001,"items":[],"cohorts":{"constructor":"x","__proto__":"y"},"experiments":{"__proto__":"z"}}';
    expect(event(text, { dimensions: ['constructor', 'experiment_constructor'] })).toMatchObject({
      dimensions: ['x', '__none__'],
    });
  });

  test('many values do not make the cache wrong', () => {
    const decoder = createDecoder({ ...BOTH, dimensions: ['country'] });
    for (let i = 0; i < 25_000; i++) {
      const value = i % 2 === 0 ? `c${i}` : `c|${i}`;
      const decoded = decoder.decode(
        bytes(`{"requestId":"r","ts":1795248000001,"items":[],"cohorts":{"country":"${value}"}}`),
        't',
        i,
      );
      expect(decoded).toMatchObject({ events: [{ dimensions: [i % 2 === 0 ? value : '__invalid__'] }] });
    }
  });
});

describe('names of dimensions', () => {
  test('a name is lower case letters, digits and _, begins with a letter, and is not reserved', () => {
    expect(['country', 'a', 'user_feature_0', 'x9'].every(isDimensionName)).toBe(true);
    expect(
      ['', 'Country', '9x', '_x', 'a-b', 'a b', 'é', '__proto__', ...RESERVED_DIMENSIONS].some(isDimensionName),
    ).toBe(false);
    expect([63, 64, 65].map((n) => isDimensionName('a'.repeat(n)))).toEqual([true, true, false]);
  });

  test('keys of cohorts that are no names are counted, once per accepted record', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string(), { maxKeys: 8 }), (cohorts) => {
        const decoder = createDecoder(BOTH);
        decoder.decode(bytes(JSON.stringify({ ...IMPRESSION, cohorts })), 't', 0);
        expect(decoder.ignoredCohortKeys).toBe(Object.keys(cohorts).filter((key) => !isDimensionName(key)).length);
        decoder.decode(bytes(JSON.stringify({ ...IMPRESSION, ts: 'no', cohorts })), 't', 1);
        expect(decoder.ignoredCohortKeys).toBe(Object.keys(cohorts).filter((key) => !isDimensionName(key)).length);
      }),
    );
  });
});
