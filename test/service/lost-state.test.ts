import { beforeAll, describe, expect, it } from 'vitest';
import { clockKey, paneKey, totalKey, unitKey } from '../../src/accumulators/store/layout.ts';
import type { Fields, Store } from '../../src/accumulators/store/store-port.ts';
import type { Settings } from '../../src/config/settings.ts';
import { runOf } from '../../src/experiment/run-settings.ts';
import { lostTroubles } from '../../src/exporter/lost-rows.ts';
import { LostChanges } from '../../src/service/logged-changes.ts';
import { readLost } from '../../src/service/lost-state.ts';
import { fingerprint } from '../../src/unit/fingerprint.ts';
import { load } from '../config/fixture.ts';
import { ShopService } from '../experiment-service.ts';
import { BEGIN, EXPERIMENT, HORIZONS, MEASURES, NAMESPACE, unitSettings } from '../experiment-shop.ts';
import { RestorableStore, type StoreSnapshot } from '../restorable-store.ts';

const { paneSize, hour } = unitSettings().panes;
const USUAL = load('kafka: {brokers: [localhost:9092]}\nredis: {url: redis://localhost}');
const SETTINGS: Settings = {
  ...USUAL,
  namespace: NAMESPACE,
  attribution: { ...USUAL.attribution, horizons: HORIZONS, window: HORIZONS[HORIZONS.length - 1] },
  paneSize: { text: '20s', ms: paneSize },
  cohorts: [[]],
  measures: MEASURES,
  experiments: [EXPERIMENT],
};
const DAY = 86_400_000;
const OWNER = { namespace: NAMESPACE, unit: 1, generation: '1' };
const TOTAL = totalKey(OWNER, EXPERIMENT.name, runOf(EXPERIMENT));

/** What two partitions have stored of some minutes. */
async function stored(settings: Settings = SETTINGS): Promise<StoreSnapshot> {
  const marks = fingerprint(settings);
  const shop = new ShopService([EXPERIMENT], (unit) => ({ ...unit, fingerprint: marks }));
  const running = await shop.start();
  await shop.live(400, { A: 1, B: 3 });
  await shop.clock.advance(2000);
  await running.stop();
  return shop.store.inner.snapshot();
}

function storeOf(snapshot: StoreSnapshot): RestorableStore {
  const store = new RestorableStore();
  store.restoreSnapshot(snapshot);
  return store;
}

function lostIn(store: Store, now = BEGIN + DAY, settings = SETTINGS) {
  return readLost(settings, store, 2, { rowTtl: 36 * DAY, now, hour });
}

describe('of what is stored', () => {
  let whole: StoreSnapshot;
  beforeAll(async () => {
    whole = await stored();
  });
  const without = (key: string): RestorableStore => storeOf(new Map([...whole].filter(([one]) => one !== key)));
  const panes = (): readonly string[] => [...whole.keys()].filter((key) => key.includes(':1}:1:pane:'));

  it('nothing is lost where all of it is there', async () => {
    expect(await lostIn(storeOf(whole))).toEqual([]);
    expect(panes().length).toBeGreaterThan(20);
  });

  it('every pane and total that is gone is found, as a pane of which one row is left is not', async () => {
    for (const key of [...panes(), TOTAL]) {
      expect(await lostIn(without(key))).toMatchObject([
        { partition: 1, damage: { generation: '1' }, keys: new Map([[key, expect.stringMatching('gone')]]) },
      ]);
    }
  });

  it('a pane is missed only as long as its rows cannot have expired', async () => {
    const start = Math.floor(BEGIN / paneSize) * paneSize;
    const store = without(paneKey(OWNER, 'm', start));
    const expires = start + paneSize + 36 * DAY;
    expect(await lostIn(store, expires - 1)).toHaveLength(1);
    expect(await lostIn(store, expires)).toEqual([]);
  });

  it('a row that a claim refuses is found with its field', async () => {
    const key = panes().findLast((one) => one.includes(':m:')) ?? '';
    const rows = [...(whole.get(key) ?? [])].map(
      ([field, text]) => [field, text.replace(/"userless":\d+/, '"userless":501')] as const,
    );
    const [{ keys }] = await lostIn(storeOf(new Map([...whole, [key, new Map(rows)]])));
    expect([...keys]).toEqual([[key, expect.stringMatching(/^\d+[ms]\|\|: row\.userless: 501 of \d+ lists$/)]]);
  });

  it('a checkpoint that cannot be read is found by its commit, and the other units are looked at', async () => {
    const unit = new Map(whole.get(unitKey(NAMESPACE, 0)));
    unit.set('topics', '[]');
    const [key] = panes();
    const snapshot = [...whole, [unitKey(NAMESPACE, 0), unit] as const].filter(([one]) => one !== key);
    expect(await lostIn(storeOf(new Map(snapshot)))).toMatchObject([
      {
        damage: { cid: unit.get('cid') },
        keys: new Map([[unitKey(NAMESPACE, 0), expect.stringContaining('damaged')]]),
      },
      { damage: { generation: '1' }, keys: new Map([[key, expect.stringMatching('gone')]]) },
    ]);
  });

  it('what a claim has found gone is known after it went on', async () => {
    const unit = new Map(whole.get(unitKey(NAMESPACE, 0)));
    unit.set('lostUpTo', String(BEGIN + paneSize));
    expect(await lostIn(storeOf(new Map([...whole, [unitKey(NAMESPACE, 0), unit]])))).toEqual([
      { partition: 0, damage: { generation: '1' }, keys: new Map() },
    ]);
    // No pane is as old any more.
    unit.set('lostUpTo', String(BEGIN - DAY));
    expect(await lostIn(storeOf(new Map([...whole, [unitKey(NAMESPACE, 0), unit]])))).toEqual([]);
  });

  it('a run that a claim has found without its looks is known as long as it lasts', async () => {
    const unit = new Map(whole.get(unitKey(NAMESPACE, 0)));
    unit.set('runs', unit.get('runs')?.replace('"looks":true', '"looksLost":true') ?? '');
    expect(await lostIn(storeOf(new Map([...whole, [unitKey(NAMESPACE, 0), unit]])))).toMatchObject([
      { partition: 0, keys: new Map() },
    ]);
  });

  it('verdicts of the clock are found that the checkpoint does not count, that are gone, or that are none', async () => {
    const key = clockKey(OWNER);
    const unit = new Map(whole.get(unitKey(NAMESPACE, 1)));
    unit.set('topics', unit.get('topics')?.replace('"clockDrops":[]', '"clockDrops":[],"clockBlocks":1') ?? '');
    const [block, digits] = ['0:99', '0'.repeat(256)];
    const stored = new Map([[key, new Map([[block, digits]])]]);
    const counting = new Map([[unitKey(NAMESPACE, 1), unit]]);
    expect(await lostIn(storeOf(new Map([...whole, ...stored, ...counting])))).toEqual([]);
    for (const harmed of [stored, counting, new Map([...counting, [key, new Map([[block, 'x']])]])]) {
      expect(await lostIn(storeOf(new Map([...whole, ...harmed])))).toMatchObject([
        { partition: 1, keys: new Map([[key, expect.stringMatching('clock verdicts')]]) },
      ]);
    }
  });

  it('nothing is looked for that was stored under settings of another meaning', async () => {
    const other = { ...SETTINGS, attribution: { ...SETTINGS.attribution, outOfOrderness: 7 } };
    expect(await lostIn(without(TOTAL), BEGIN + DAY, other)).toEqual([]);
  });

  it('nothing is lost of a unit that is taken over, or goes back, while it is read', async () => {
    const [key] = panes();
    const inner = without(key);
    let taken = 0;
    const busy: Store = {
      claim: (unit, token) => inner.claim(unit, token),
      commit: (commit) => inner.commit(commit),
      read: async (keys): Promise<readonly Fields[]> => {
        const fields = await inner.read(keys);
        if (keys.includes(key)) await inner.claim(unitKey(NAMESPACE, 1), `t${++taken}`);
        return fields;
      },
    };
    expect(await lostIn(busy)).toEqual([]);
    expect(taken).toBeGreaterThan(1);
  });
});

describe('lost keys', () => {
  const keys = new Map(['a', 'b', 'c', 'd'].map((key) => [key, 'gone'] as const));

  it('are on the page, the first of them by name, with what to do', () => {
    expect(lostTroubles(undefined)).toEqual([]);
    const [{ cause, remedy }] = lostTroubles({ keys, found: 4 });
    expect(cause).toBe(
      'Rows that were stored are gone from Redis, or damaged: 4 keys (a: gone; b: gone; c: gone; and 1 more).',
    );
    expect(remedy).toContain('--rebuild');
  });

  it('are logged once, as long as they are lost', () => {
    const logged: unknown[] = [];
    const log = { warn: (details: object) => logged.push(details) };
    const changes = new LostChanges();
    for (const now of [keys, keys, new Map([['a', 'gone']]), keys]) changes.report({ keys: now, found: 4 }, log);
    expect(logged).toMatchObject([{ keys: Object.fromEntries(keys) }, { keys: { b: 'gone', c: 'gone', d: 'gone' } }]);
  });
});
