import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { TAKEN_OVER, WENT_BACK } from '../proof/process.ts';
import { sources } from '../rooms.ts';
import { GROUPS } from './groups.ts';
import { MATRIX } from './matrix.ts';
import { recorded, tables, written } from './table.ts';
import { CLOCKS_DIFFER } from './world.ts';

const IDS = GROUPS.flatMap(({ rows }) => rows.map(({ id }) => id));

it('docs/reliability.md shows what the runs have found, and no run is of a row that is gone', () => {
  expect(written()).toBe(tables(recorded()));
  expect(recorded().filter(({ id }) => !IDS.includes(id))).toEqual([]);
});

it.each([TAKEN_OVER, WENT_BACK, CLOCKS_DIFFER])('rows wait for what the log says: %s', (message) => {
  expect(sources.some(({ text }) => text.includes(`'${message}`))).toBe(true);
});

it('rows have ids of their own', () => {
  expect(IDS).toEqual([...new Set(IDS)]);
});

it('the matrix has every fault once, each with tests that are there', () => {
  const numbered = Array.from({ length: 46 }, (_, i) => `F${String(i + 1).padStart(2, '0')}`);
  expect(MATRIX.map(({ id }) => id)).toEqual(numbered);
  for (const { tests } of MATRIX) {
    expect(tests.length).toBeGreaterThan(0);
    expect(tests.filter((path) => !existsSync(resolve(import.meta.dirname, '..', path)))).toEqual([]);
  }
});

it('a row that was lost, or was never compared, cannot be taken for one that passed', () => {
  const base = { id: 'F23', date: '2026-01-01', kafka: '4', redis: '7', pace: 1, isShort: true, numbers: 1 };
  const failed = tables([{ ...base, recovery: null, records: null, lost: null, double: null, different: null }]);
  expect(failed).toMatch(/\| F23 \|.*\*\*it did not\*\* \| not compared \|/);
  expect(failed).toMatch(/\| F23 \| Redis killed and started again \| no \|/);
  const passed = tables([{ ...base, recovery: 2.84, records: 11_261, lost: 0, double: 0, different: 0 }]);
  expect(passed).toMatch(/\| F23 \|.*\| 2\.8 s \| 0, 0, 0 of 11,261 records \| 2026-01-01, short; Kafka 4, Redis 7 \|/);
  expect(passed).toMatch(/\| F23 \| Redis killed and started again \| F23 \|/);
});
