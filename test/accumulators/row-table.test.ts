import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RowTable } from '../../src/accumulators/row-table.ts';
import { SHAPE } from './rows.ts';

const FIELDS = ['a', 'b', 'c'];

/** add: to the row of a field, perhaps by whoever has held it for long; drop: the row of a field; look: at copies. */
const act = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ does: fc.constant('add' as const), field: fc.constantFrom(...FIELDS), old: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('drop' as const), field: fc.constantFrom(...FIELDS) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('look' as const) }) },
);

describe('copies of a table', () => {
  it('are what its rows hold, are never changed afterwards, and are the same objects where nothing was added', () => {
    let shared = 0;
    fc.assert(
      fc.property(fc.array(act, { maxLength: 40 }), (acts) => {
        const table = new RowTable('', Number.POSITIVE_INFINITY, SHAPE);
        const held = new Map(FIELDS.map((field) => [field, table.row(field)] as const));
        const added = new Set<string>(FIELDS);
        for (const field of FIELDS) table.row(field).addTo(0, 1);
        let before = table.copies();
        let text = JSON.stringify([...before]);
        added.clear();
        for (const next of acts) {
          if (next.does === 'add') {
            const row = next.old ? held.get(next.field) : table.row(next.field);
            row?.addTo(0, 1);
            if (row === table.row(next.field)) added.add(next.field);
          } else if (next.does === 'drop') {
            table.retain((field) => field !== next.field);
          } else {
            const now = table.copies();
            const whole = [...table.snapshot()].filter(([, row]) => row.sums[0] !== 0);
            expect(new Map([...now].sort())).toEqual(new Map(whole.sort()));
            for (const [field, row] of now) {
              if (added.has(field)) continue;
              shared++;
              expect(row).toBe(before.get(field));
            }
            expect(JSON.stringify([...before])).toBe(text);
            before = now;
            text = JSON.stringify([...now]);
            added.clear();
          }
        }
      }),
    );
    expect(shared).toBeGreaterThan(50);
  });
});
