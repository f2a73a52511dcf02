import { expect } from 'vitest';
import { GROUPS } from './groups.ts';
import { strikeAll } from './strike.ts';

/** Only what hangs shall end by it. */
export const PATIENCE_MS = 1_200_000;
/** Enough for a slow machine; the traffic ends with the last row. */
const SECONDS = 900;

/** Lets some rows of a group strike in their short form; every unit must continue after each, and every number be right. */
export async function expectExact(name: string, ids: readonly string[]): Promise<void> {
  const group = GROUPS.find((one) => one.name === name);
  const rows = ids.flatMap((id) => group?.rows.find((row) => row.id === id) ?? []);
  if (group === undefined || rows.length < ids.length) throw new Error(`the group ${name} has not all of ${ids}`);
  const found = await strikeAll(
    group,
    rows,
    { pace: 200, seconds: SECONDS, seed: 7, workers: 2, partitions: 6 },
    { isShort: true, auditsEach: false },
    (line) => process.stderr.write(`faults: ${line}\n`),
  );
  expect(found.outcomes.flatMap(({ error }) => error ?? [])).toEqual([]);
  expect(found.outcomes.filter(({ recovery }) => recovery !== undefined).map(({ row }) => row.id)).toEqual(ids);
  expect(found.audit?.examples).toEqual([]);
  expect(found.audit).toMatchObject({ lost: 0, double: 0, different: 0 });
  expect(found.crashes).toEqual([]);
  expect(found.exitCodes).toEqual([0, 0]);
  // Equal numbers say little if there are few.
  expect(found.audit?.records).toBeGreaterThan(1000);
  expect(found.audit?.numbers).toBeGreaterThan(10_000);
}
