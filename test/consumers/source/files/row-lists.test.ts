import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { FileRow } from '../../../../src/consumers/source/files/format.ts';
import { RowLists } from '../../../../src/consumers/source/files/row-lists.ts';

/** A row is its request and a number; `-` names no request. */
function rowOf(text: string, row: number): FileRow {
  return { value: Buffer.from(JSON.stringify(text)), row };
}

const keyOf = (value: Uint8Array): string | undefined => {
  const [request] = String(JSON.parse(Buffer.from(value).toString()));
  return request === '-' ? undefined : request;
};

function lists(rows: readonly FileRow[], within: number, longest = 1000) {
  const grouped = new RowLists({ keyOf, within }, longest);
  return [...rows.flatMap((row) => grouped.add(row)), ...grouped.end()].map(({ value, row, refused }) => ({
    rows: Buffer.from(value).toString(),
    row,
    refused,
  }));
}

const requests = fc.array(fc.constantFrom('a', 'b', 'c', 'd', '-'), { maxLength: 40 });

test('every row is in exactly one record, in its order, and a record holds one request', () => {
  fc.assert(
    fc.property(requests, fc.integer({ min: 1, max: 50 }), (names, within) => {
      const rows = names.map((name, i) => rowOf(`${name}${i}`, i + 1));
      const records = lists(rows, within);
      const all = records.flatMap(({ rows: text }): string[] => JSON.parse(text));
      expect(all.toSorted()).toEqual(names.map((name, i) => `${name}${i}`).toSorted());
      for (const { rows: text, row } of records) {
        const own: string[] = JSON.parse(text);
        expect(new Set(own.map(([request]) => request)).size).toBe(1);
        const places = own.map((one) => Number(one.slice(1)));
        expect(places).toEqual(places.toSorted((x, y) => x - y));
        expect(row).toBe(places[0] + 1);
        expect(places[places.length - 1] - places[0]).toBeLessThan(within);
        if (own[0].startsWith('-')) expect(own).toHaveLength(1);
      }
    }),
  );
});

test('of a request the first record counts and all later ones are split_list; with room for all rows there is none', () => {
  fc.assert(
    fc.property(requests, fc.integer({ min: 1, max: 50 }), (names, within) => {
      const rows = names.map((name, i) => rowOf(`${name}${i}`, i + 1));
      const met = new Set<string>();
      for (const { rows: text, refused } of lists(rows, within)) {
        const request = text[2];
        expect(refused).toBe(request !== '-' && met.has(request) ? 'split_list' : undefined);
        met.add(request);
      }
      const whole = lists(rows, names.length + 1).filter(({ rows: text }) => text[2] !== '-');
      expect(whole.map(({ rows: text }) => text[2])).toEqual([...new Set(names.filter((name) => name !== '-'))]);
    }),
  );
});

test.each([
  [2, [undefined, undefined, 'split_list']],
  [3, [undefined, undefined]],
])('a list ends %d rows after its first', (within, refused) => {
  const rows = ['a0', 'b1', 'a2'].map((text, i) => rowOf(text, i + 1));
  expect(lists(rows, within).map((record) => record.refused)).toEqual(refused);
});

test('a row that cannot be read is a record of its own, and a list keeps no more than can be valid', () => {
  const broken: FileRow = { value: Buffer.from('x'), row: 2, refused: 'not_csv' };
  const read = lists([rowOf('a0', 1), broken, rowOf('a2', 3)], 10);
  expect(read).toEqual([
    { rows: 'x', row: 2, refused: 'not_csv' },
    { rows: '["a0","a2"]', row: 1, refused: undefined },
  ]);
  const many = Array.from({ length: 1000 }, (_, i) => rowOf(`a${i}`, i + 1));
  const [long] = lists(many, 5000, 100);
  expect(long.rows.length).toBeGreaterThan(100);
  expect(long.rows.length).toBeLessThan(120);
});

test('of 500,000 requests that ended a later row is recognised, of older ones it is not', () => {
  const grouped = new RowLists({ keyOf: (value) => Buffer.from(value).toString(), within: 1 }, 1000);
  let row = 0;
  const add = (request: string) => grouped.add({ value: Buffer.from(request), row: ++row });
  const refusedOf = (request: string) => {
    add(request);
    return add('-')[0].refused;
  };
  add('-');
  for (let i = 0; i < 500_002; i++) add(`r${i}`);
  // Each that ends makes the oldest forgotten.
  expect(refusedOf('r3')).toBe('split_list');
  expect(refusedOf('r1')).toBeUndefined();
  expect(refusedOf('r3')).toBeUndefined();
  expect(refusedOf('r500001')).toBe('split_list');
});
