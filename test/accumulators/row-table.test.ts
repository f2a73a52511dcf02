import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Row } from '../../src/accumulators/row.ts';
import { RowMemory, RowTable } from '../../src/accumulators/row-table.ts';
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

describe('what changed in a table', () => {
  it('makes of what was told before what its rows hold, and is only what was added to or dropped', () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 40 }), (acts) => {
        const table = new RowTable('', Number.POSITIVE_INFINITY, SHAPE);
        const held = new Map(FIELDS.map((field) => [field, table.row(field)] as const));
        const told = new Map<string, Row>();
        const added = new Set<string>(FIELDS);
        for (const field of FIELDS) table.row(field).addTo(0, 1);
        for (const next of [...acts, { does: 'look' as const }]) {
          if (next.does === 'add') {
            const row = next.old ? held.get(next.field) : table.row(next.field);
            row?.addTo(0, 1);
            if (row === table.row(next.field)) added.add(next.field);
          } else if (next.does === 'drop') {
            table.retain((field) => field !== next.field);
            added.delete(next.field);
          } else {
            const before = JSON.stringify([...told]);
            const { changed, dropped } = table.takeCopies();
            expect(JSON.stringify([...told])).toBe(before);
            expect([...changed.keys()].sort()).toEqual([...added].sort());
            for (const field of dropped) told.delete(field);
            for (const [field, row] of changed) told.set(field, row);
            const whole = [...table.snapshot()].filter(([, row]) => row.sums[0] !== 0);
            expect(new Map([...told].sort())).toEqual(new Map(whole.sort()));
            added.clear();
          }
        }
      }),
    );
  });

  it('counts as bytes to be taken until it is', () => {
    const memory = new RowMemory();
    const table = new RowTable('', Number.POSITIVE_INFINITY, SHAPE, 0, memory);
    for (const field of FIELDS) table.row(field).addTo(0, 1);
    expect(memory.changed).toBe(memory.bytes);
    table.takeCopies();
    expect(memory.changed).toBe(0);
    table.row('a').addTo(0, 1);
    table.row('a').addTo(0, 1);
    expect(memory.changed).toBe(memory.bytes / FIELDS.length);
    table.dropped();
    expect(memory.changed).toBe(0);
  });
});
