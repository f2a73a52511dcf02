import { describe, expect, it } from 'vitest';
import { MOST_IN_CHECKPOINT, PLACES_HEAD } from '../../src/accumulators/admission-state.ts';
import { emptyRow, shapeOf } from '../../src/accumulators/row.ts';
import { CheckpointError } from '../../src/accumulators/store/json.ts';
import { placesKey, rowField, unitKey } from '../../src/accumulators/store/layout.ts';
import type { Commit, Store } from '../../src/accumulators/store/store-port.ts';
import type { Unit } from '../../src/unit/unit.ts';
import { readUnit, withPlaces } from '../../src/windows/unit-state.ts';
import { cohortRows } from '../../src/windows/windows.ts';
import { settingsOf } from '../metrics/settings.ts';
import { RestorableStore } from '../restorable-store.ts';
import { claimsOf, goingBack } from './claimed-unit.ts';

const SETTINGS = settingsOf(
  '{measures: [mrr], cohorts: [[], [shop]], attribution: {horizons: [1m], outOfOrderness: 10s}, limits: {series: 100000}}',
);
const T = 1_800_000_000_000;
const KEY = unitKey('test', 0);
const PLACES = placesKey({ namespace: 'test', unit: 0, generation: '1' }, ['shop']);
const COHORTS = MOST_IN_CHECKPOINT + 88;

/** Counts the fields and bytes that each commit writes. */
class Counting extends RestorableStore {
  readonly written: { readonly fields: number; readonly bytes: number }[] = [];

  override commit(commit: Commit): ReturnType<RestorableStore['commit']> {
    const texts = [commit.checkpoint, ...commit.rows.values()].flatMap((fields) => [...fields]);
    this.written.push({
      fields: texts.length,
      bytes: texts.reduce((sum, [field, text]) => sum + field.length + text.length, 0),
    });
    return super.commit(commit);
  }
}

const claim = claimsOf(SETTINGS);

let offset = 0;
/** Shows a list to each of these cohorts at a time, lets it close, and commits. */
async function show(unit: Unit, cohorts: readonly number[], ts: number): Promise<void> {
  const records = cohorts.map((n) => {
    const event = { requestId: `r${offset}`, ts, items: ['a'], cohorts: { shop: `shop ${n}` } };
    return { offset: offset++, timestamp: ts, value: Buffer.from(JSON.stringify(event)) };
  });
  unit.feed({ partition: 0, topic: 0, records, next: offset });
  for (const topic of [0, 1]) unit.idle(topic, ts + 80_000);
  expect(await unit.commit()).toBe('OK');
}

const ROW = { ...emptyRow(shapeOf(SETTINGS.measures)), impressions: 1 };

const all = Array.from({ length: COHORTS }, (_, n) => n);

async function filled(store: Store): Promise<Unit> {
  offset = 0;
  const unit = await claim(store);
  await show(unit, all, T);
  return unit;
}

async function damaged(
  store: RestorableStore,
  change: (fields: Map<string, string>) => void,
): Promise<RestorableStore> {
  const hashes = new Map([...store.snapshot()].map(([key, fields]) => [key, new Map(fields)] as const));
  change(hashes.get(PLACES) ?? new Map());
  const other = new RestorableStore();
  other.restoreSnapshot(hashes);
  return other;
}

describe('places of more cohorts than fit the checkpoint', () => {
  it('cost a commit only those that changed, and are there for who claims the unit next', async () => {
    const store = new Counting();
    let unit = await filled(store);
    expect((await store.read([KEY]))[0].get('format')).toBe('3');
    expect((await store.read([PLACES]))[0].size).toBe(COHORTS + 1);
    for (const n of [1, 2, 3]) {
      await show(unit, [7], T + n * 120_000);
      // Checkpoint, two panes, for everything and one cohort each, and its place.
      expect(store.written.at(-1)?.fields).toBeLessThan(25);
      expect(store.written.at(-1)?.bytes).toBeLessThan(8000);
      unit = await claim(store);
      expect(unit.isNew).toBe(false);
    }
    // A day and more later all but one have left.
    await show(unit, [7], T + 28 * 3_600_000);
    await show(unit, [7], T + 28 * 3_600_000 + 120_000);
    expect((await store.read([KEY]))[0].get('format')).toBe('1');
    expect([...store.snapshot().keys()]).not.toContain(PLACES);
  });

  it('are shown by name once they are read, and not before', async () => {
    const store = new RestorableStore();
    await filled(store);
    const [fields, places] = await store.read([KEY, PLACES]);
    const state = readUnit(0, fields, undefined);
    if (state === undefined) throw new Error('nothing is stored');
    expect(state.unread.map(({ by }) => by)).toEqual([['shop']]);
    const shown = (tables: Parameters<typeof cohortRows>[2]) =>
      cohortRows([[rowField('1m', 'shop', 'shop 7'), ROW]], [['shop']], tables, T).map(({ values }) => values.join());
    expect(shown([state.admission])).toEqual(['__other__']);
    const complete = withPlaces(0, state, [places]);
    expect(shown([complete?.admission])).toEqual(['shop 7']);
    // What has not changed is not read again.
    const later = new Map(fields).set('seq', '99');
    expect(readUnit(0, later, complete)).toMatchObject({ unread: [], admission: complete?.admission });
    expect(readUnit(0, later, complete)?.admitted).toBe(complete?.admitted);
    const more = new Map(places).set('new', '[1,null,9999]');
    expect(withPlaces(0, state, [more])).toBeUndefined();
    expect(() => withPlaces(3, state, [new Map(places).set('shop 7', '?')])).toThrow(
      /^unit 3: the stored checkpoint is damaged: places of \[shop\]: shop 7: expected JSON/,
    );
  });

  it('are part of it again when a start leaves room for fewer, so that an earlier version can go on', async () => {
    const store = new RestorableStore();
    await filled(store);
    const limits = { ...SETTINGS.limits, cohortsPerSet: MOST_IN_CHECKPOINT };
    await show(await claimsOf({ ...SETTINGS, limits })(store), [7], T + 120_000);
    expect((await store.read([KEY]))[0].get('format')).toBe('1');
    expect([...store.snapshot().keys()]).not.toContain(PLACES);
  });

  it('go with their generation', async () => {
    const store = new RestorableStore();
    await filled(store);
    await show(await claim(store, {}, '2'), [], T + 400_000);
    expect([...store.snapshot().keys()].filter((key) => key.includes(':1:places:'))).toEqual([]);
  });

  it('that the checkpoint counts and the store lacks are reported as damage', async () => {
    const store = new RestorableStore();
    await filled(store);
    const changes: readonly ((fields: Map<string, string>) => void)[] = [
      (fields) => fields.delete('shop 7'),
      (fields) => fields.set('shop 7', '[1]'),
      (fields) => fields.set(PLACES_HEAD, '[null,3]'),
      (fields) => fields.clear(),
    ];
    for (const change of changes) {
      const claiming = claim(await damaged(store, change));
      await expect(claiming).rejects.toThrow(CheckpointError);
      await expect(claiming).rejects.toThrow(
        /damaged.* Restore the store from a backup, or rebuild the unit from the log/,
      );
    }
  });

  it('that a store lacks which went back during the claim are no damage: the claim is to be tried again', async () => {
    const store = new RestorableStore();
    const unit = await filled(store);
    const before = store.snapshot();
    await show(unit, [COHORTS], T + 120_000);
    await expect(claim(goingBack(store, before))).rejects.toMatchObject({
      name: 'StoreUnavailable',
      code: 'CHANGED',
      retriable: true,
    });
    expect((await claim(store)).isNew).toBe(false);
  });
});
