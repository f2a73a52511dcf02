import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addExact } from '../../src/accumulators/exact.ts';
import { CellColumns } from '../../src/accumulators/list-sums.ts';
import { RowPlaces } from '../../src/accumulators/row-table.ts';
import { ScoredDeltas, ScoredRows } from '../../src/accumulators/scored-rows.ts';
import { LISTS } from '../../src/accumulators/vector.ts';
import type { Exact } from '../../src/measures/sums.ts';
import { SHAPE } from './rows.ts';

const PLACES = new RowPlaces(['1m', '5m'], ['country']);
const COLUMNS = new CellColumns(SHAPE);
const NAMES = [0, 1, 2, 3, 4, 5, 6, 7, 8].map((n) => ({ place: n % 2, values: `c${n >> 1}` }));
const FIELDS = NAMES.map(({ place, values }) => PLACES.field(place, values));
/** Of the first mean. */
const SUM = COLUMNS.measures[0].sums;
/** As a row has it. */
const SUM_FIELD = 2;

const name = fc.nat({ max: NAMES.length - 1 });
const amount = fc.constantFrom<Exact>(1, 2 ** 50, 2n ** 60n);

/** add: a list to a row, perhaps by whoever has held it for long; drop: a row; commit: what was added is reported, and applied. */
const act = fc.oneof(
  { weight: 5, arbitrary: fc.record({ does: fc.constant('add' as const), name, old: fc.boolean(), amount }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('drop' as const), name }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('commit' as const) }) },
);

it('what was scored is, after each commit, what was added to rows that are still there', () => {
  fc.assert(
    fc.property(fc.array(act, { maxLength: 80 }), (acts) => {
      const deltas = new ScoredDeltas(PLACES, COLUMNS);
      const rows = new ScoredRows(COLUMNS);
      const rowOf = (n: number) => deltas.row(NAMES[n].place, NAMES[n].values);
      const held = NAMES.map((_, n) => rowOf(n));
      const plain = new Map<string, { lists: number; sum: Exact }>();
      const columns = Int32Array.of(LISTS);
      const amounts = Float64Array.of(1);
      for (const next of [...acts, { does: 'commit' as const }]) {
        if (next.does === 'add') {
          const row = next.old ? held[next.name] : rowOf(next.name);
          row.touch();
          row.addEach(columns, amounts, 1);
          row.addTo(SUM, next.amount);
          if (row !== rowOf(next.name)) continue;
          const known = plain.get(FIELDS[next.name]);
          plain.set(FIELDS[next.name], {
            lists: (known?.lists ?? 0) + 1,
            sum: addExact(known?.sum ?? 0, next.amount),
          });
        } else if (next.does === 'drop') {
          deltas.retain((field) => field !== FIELDS[next.name]);
          plain.delete(FIELDS[next.name]);
        } else {
          const before = [...rows.fields()].map((field) => [field, rows.impressionsOf(field)]);
          const changes = deltas.take();
          expect([...rows.fields()].map((field) => [field, rows.impressionsOf(field)])).toEqual(before);
          rows.apply(changes);
          const told = [...rows.fields()].map((field) => {
            const row = rows.get(field);
            expect(rows.impressionsOf(field)).toBe(row?.impressions);
            return [field, { lists: row?.impressions, sum: row?.sums[SUM_FIELD] }] as const;
          });
          expect(new Map(told)).toEqual(plain);
          expect(rows.size).toBe(plain.size);
        }
      }
    }),
  );
});
