import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { canonicalRow } from '../../../src/consumers/decode/csv-row.ts';
import { jsonIn } from '../../../src/consumers/decode/pointer.ts';
import { isTooDeep } from '../../../src/consumers/decode/raw.ts';
import { Rows } from '../../../src/inspect/inspected.ts';
import { decode } from './fixture.ts';

const nested = (depth: number, inner = '1'): string => `${'['.repeat(depth)}${inner}${']'.repeat(depth)}`;

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

test('the depth of a JSON text is that of its value, whatever its texts hold', () => {
  const text = fc.oneof(fc.string(), fc.constantFrom('[', '{', '"[', '\\', '\\"', ']', '[[[[', '\\\\"]'));
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'medium', withCrossShrink: true },
      fc.oneof(text, fc.integer(), fc.constant(null), fc.boolean()),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(text, tie('value'), { maxKeys: 3 }),
    ),
  }));
  fc.assert(
    fc.property(value, fc.integer({ min: 85, max: 105 }), fc.constantFrom(undefined, 1), (inner, around, indent) => {
      const json = nested(around, JSON.stringify(inner, undefined, indent));
      expect(isTooDeep(json)).toBe(around + depthOf(inner) > 100);
    }),
  );
});

test('no text is beyond it', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('[', ']', '{', '}', '"', '\\', 'a', ':', ',')), (parts) => {
      expect([true, false]).toContain(isTooDeep(parts.join('')));
    }),
  );
});

it.each([
  [99, false],
  [100, false],
  [101, true],
  [50_000, true],
])('%d levels within a text or a cell of a CSV: left as they are %j', (depth, isLeft) => {
  const text = nested(depth);
  expect(typeof jsonIn(text) === 'string').toBe(isLeft);
  const row = canonicalRow(['requestId', 'ts', 'items', 'cohorts'], ['r', '2026-11-21T08:00:00Z', text, text]);
  expect([row['items'] === text, row['cohorts'] === text]).toEqual([isLeft, isLeft]);
  expect(decode(JSON.stringify(row))).toMatchObject({ refused: 'invalid', code: 'wrong_type' });
});

it.each([
  [99, []],
  [100, []],
  [101, [{ row: 1, why: 'is nested deeper than 100 levels', isDeep: true }]],
])('a record of %d levels: inspect leaves out %j', (depth, bad) => {
  const rows = new Rows();
  rows.add(`{"x":${nested(depth - 1)}}`, undefined);
  expect(rows.bad).toEqual(bad);
  expect(rows.rows).toHaveLength(1 - bad.length);
});
