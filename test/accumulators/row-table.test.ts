import { describe, expect, it } from 'vitest';
import { CellColumns } from '../../src/accumulators/list-sums.ts';
import { rowCodec } from '../../src/accumulators/row-codec.ts';
import { type LiveRow, type RowKind, RowMemory, RowPlaces, RowTable } from '../../src/accumulators/row-table.ts';
import { rowField } from '../../src/accumulators/store/layout.ts';
import { LISTS, POSITIVES } from '../../src/accumulators/vector.ts';
import { SHAPE } from './rows.ts';

const PLACES = new RowPlaces(['1m', '5m'], ['', 'country,model']);
const COLUMNS = new CellColumns(SHAPE);
const KIND: RowKind = { places: PLACES, columns: COLUMNS, codec: rowCodec(SHAPE), buckets: 0 };

/** One place twice, with two values, and one value at two places. */
const NAMES = [
  { place: PLACES.at(0, 0), values: '' },
  { place: PLACES.at(1, 1), values: 'DE,a' },
  { place: PLACES.at(1, 1), values: 'DE,b' },
  { place: PLACES.at(0, 1), values: 'DE,a' },
  { place: PLACES.at(1, 0), values: '' },
];
const FIELDS = NAMES.map(({ place, values }) => PLACES.field(place, values));

function newTable(memory?: RowMemory): RowTable {
  return new RowTable('', Number.POSITIVE_INFINITY, KIND, memory);
}

function rowOf(table: RowTable, n: number): LiveRow {
  return table.row(NAMES[n].place, NAMES[n].values);
}

function addTo(row: LiveRow, positives: number): void {
  row.touch();
  row.addTo(LISTS, positives);
  row.addTo(POSITIVES, positives);
}

describe('the rows of a table', () => {
  it('are taken as text when they have changed, and not again', () => {
    const table = newTable();
    // More than stand in one array at first.
    for (let n = 0; n < 50; n++) addTo(table.row(PLACES.at(1, 1), `c${n},m`), n);
    const taken = table.take();
    for (let n = 0; n < 50; n++) {
      const text = taken.get(rowField('5m', 'country,model', `c${n},m`)) ?? '';
      expect(JSON.parse(text).positives).toBe(n);
    }
    expect([taken.size, table.take().size]).toEqual([50, 0]);
    addTo(table.row(PLACES.at(1, 1), 'c7,m'), 1);
    expect([...table.take().values()].map((text) => JSON.parse(text).positives)).toEqual([8]);
  });

  it('count as bytes to be taken until they are', () => {
    const memory = new RowMemory();
    const table = newTable(memory);
    for (const [n] of NAMES.entries()) addTo(rowOf(table, n), 1);
    expect(memory.changed).toBe(NAMES.reduce((sum, _, n) => sum + rowOf(table, n).bytes, 0));
    // Besides, there is room for more of them.
    expect(memory.bytes).toBeGreaterThanOrEqual(memory.changed);
    table.take();
    expect(memory.changed).toBe(0);
    addTo(rowOf(table, 1), 1);
    addTo(rowOf(table, 1), 1);
    expect(memory.changed).toBe(rowOf(table, 1).bytes);
    table.dropped();
    expect([memory.changed, memory.bytes]).toEqual([0, 0]);
  });
});

describe('the places of rows', () => {
  it('are distinguished by horizon and set, and found again by the field', () => {
    expect(FIELDS).toEqual(['1m||', '5m|country,model|DE,a', '5m|country,model|DE,b', '1m|country,model|DE,a', '5m||']);
    expect(FIELDS.map((field) => PLACES.of(field))).toEqual(NAMES);
  });

  it('hold rows of horizons and sets that the configuration no longer has, beside those that it has', () => {
    const table = newTable();
    addTo(rowOf(table, 1), 7);
    const [text] = table.take().values();
    const strange = [rowField('9m', '', ''), rowField('1m', 'surface', 'home'), 'no field'];
    const restored = newTable();
    restored.restore(new Map([FIELDS[1], ...strange].map((field) => [field, text])));
    expect(rowOf(restored, 1).copy(COLUMNS).positives).toBe(7);
    expect([...restored.snapshot().keys()].sort()).toEqual([FIELDS[1], ...strange].sort());
    expect(restored.take()).toEqual(new Map());
  });
});
