import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { defaultQuery, type LiveQuery, queryText, readQuery } from '../../src/live/live-query.ts';
import { load } from '../config/fixture.ts';

const SETTINGS = load(`
attribution: {horizons: [1m, 30m]}
measures: [ndcg@10, mrr, rate(action=purchase)]
windows: [5m, 1h, 24h]
cohorts: [[], [variant], [country], [variant, country]]
experiments: {default: {control: A, variants: {A: 0.5, B: 0.5}}}
`);
const NAMES = SETTINGS.measures.map(({ canonical }) => canonical);

const anyValue = fc.string({ minLength: 1, maxLength: 8 }).map((text) => text.replaceAll(/[,|]/g, '_'));
const anyQuery: fc.Arbitrary<LiveQuery> = fc
  .record({
    measure: fc.constantFrom(...NAMES),
    horizon: fc.constantFrom('1m', '30m'),
    window: fc.constantFrom('5m', '1h', '24h'),
    by: fc.constantFrom(...SETTINGS.cohorts.filter((by) => by.length > 0)),
    isEverything: fc.boolean(),
    filter: fc.string({ maxLength: 20 }).map((text) => text.trim()),
    sort: fc.constantFrom('lists', 'cohort', ...NAMES),
    order: fc.constantFrom('falling', 'rising'),
    page: fc.integer({ min: 1, max: 10_000 }),
    values: fc.option(fc.tuple(anyValue, anyValue)),
    showsLast: fc.boolean(),
    theme: fc.constantFrom(undefined, 'light', 'dark'),
  })
  .map(({ isEverything, values, ...rest }) => ({
    ...rest,
    against: isEverything || !rest.by.includes('variant') ? 'everything' : 'control',
    cohort: values === null ? undefined : values.slice(0, rest.by.length),
  }));

describe('what a reader has chosen', () => {
  test('stands in the address, and is read from it again', () => {
    fc.assert(
      fc.property(anyQuery, (query) => {
        const text = queryText(query, SETTINGS);
        expect(readQuery(text, SETTINGS)).toEqual(query);
        expect(queryText(readQuery(text, SETTINGS), SETTINGS)).toBe(text);
      }),
    );
  });

  test('is something whatever the address says', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60, unit: 'binary' }), fc.webQueryParameters(), (one, other) => {
        for (const text of [one, other]) {
          const query = readQuery(text, SETTINGS);
          expect(readQuery(queryText(query, SETTINGS), SETTINGS)).toEqual(query);
        }
      }),
    );
  });

  it('is short where nothing was chosen', () => {
    expect(queryText(defaultQuery(SETTINGS), SETTINGS)).toBe('');
    expect(readQuery('', SETTINGS)).toEqual(defaultQuery(SETTINGS));
    expect(defaultQuery(SETTINGS)).toMatchObject({
      measure: 'ndcg@10',
      horizon: '1m',
      window: '1h',
      against: 'control',
    });
  });

  it.each([
    ['a measure that is gone', 'measure=ap', 'measure', 'ndcg@10'],
    ['a page that is none', 'page=-1', 'page', 1],
    ['a page that is none', 'page=1e9', 'page', 1],
    ['a cohort of another set', 'by=country&cohort=a,b', 'cohort', undefined],
    ['a theme that is none', 'theme=blue', 'theme', undefined],
    ['a control where there is none', 'by=country&against=control', 'against', 'everything'],
    ['a long filter', `filter=${'x'.repeat(200)}`, 'filter', 'x'.repeat(100)],
  ] as const)('takes %s for the usual', (_, text, name, value) => {
    expect(readQuery(text, SETTINGS)[name]).toEqual(value);
  });
});
