import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  countUnmapped,
  recordsOf,
  sumOfUnmapped,
  type UnmappedRecords,
  type UnmetCondition,
  unmappedText,
  valueText,
} from '../../src/vocabulary/unmapped.ts';

const conditions: fc.Arbitrary<readonly UnmetCondition[]> = fc.array(
  fc.record({
    field: fc.constantFrom('/event', '/constructor'),
    value: fc.oneof(fc.constantFrom('__none__', '__invalid__', 'constructor', '__proto__x'), fc.nat(40).map(String)),
  }),
  { maxLength: 120, size: 'max' },
);

function counted(all: readonly UnmetCondition[]): readonly UnmappedRecords[] {
  const counts: UnmappedRecords[] = [];
  for (const condition of all) countUnmapped(counts, condition);
  return counts;
}

describe('records that no map is for', () => {
  test('are counted once each, by at most 20 values of the log', () => {
    fc.assert(
      fc.property(conditions, (all) => {
        const counts = counted(all);
        expect(recordsOf(counts)).toBe(all.length);
        expect(counts.filter(({ value }) => !value.startsWith('__')).length).toBeLessThanOrEqual(20);
        for (const { field, value, records } of counts) {
          if (value === '__other__') continue;
          expect(records).toBe(all.filter((one) => one.field === field && one.value === value).length);
        }
      }),
    );
  });

  test('are counted the same, however the log is cut', () => {
    fc.assert(
      fc.property(conditions, fc.nat(), (all, at) => {
        const cut = at % (all.length + 1);
        const counts = structuredClone(counted(all.slice(0, cut))) as UnmappedRecords[];
        for (const condition of all.slice(cut)) countUnmapped(counts, condition);
        expect(counts).toEqual(counted(all));
      }),
    );
  });

  test('of several topics are added up, the most frequent first', () => {
    fc.assert(
      fc.property(fc.array(conditions, { maxLength: 4 }), (topics) => {
        const sum = sumOfUnmapped(topics.map(counted));
        expect(recordsOf(sum)).toBe(topics.flat().length);
        expect(sum.map(({ records }) => records)).toEqual(sum.map(({ records }) => records).sort((a, b) => b - a));
        expect(new Set(sum.map(({ field, value }) => `${field} ${value}`)).size).toBe(sum.length);
      }),
    );
  });

  test('are named by field and value', () => {
    const of = (field: string, value: string, records: number) => ({ field, value, records });
    const all = [of('/event', 'view', 1200), of('/type', 'page', 9), of('/event', '__none__', 3), of('/event', 'x', 2)];
    expect(unmappedText(all)).toBe('/event: view 1,200, __none__ 3, x 2; /type: page 9');
    expect(unmappedText(all, 2)).toBe('/event: view 1,200; /type: page 9; others 5');
  });
});

test('a text from a log becomes a name of 64 characters at most, on one line, that is none of ours', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      const name = valueText(text);
      expect([...name].length).toBeLessThanOrEqual(64);
      expect(name).not.toMatch(/[\p{Cc}\p{Cs}\p{Bidi_Control}]/u);
      expect(name === '__invalid__' || !name.startsWith('__')).toBe(true);
    }),
  );
  expect(valueText('größer 犬 😀')).toBe('größer 犬 😀');
  expect(valueText('😀'.repeat(100))).toBe('😀'.repeat(64));
});
