/** Whatever key of a unit is deleted, nothing that is shown changes without a word (specification: commit 7.4). */
import { beforeAll, describe, expect, it } from 'vitest';
import { unitKey } from '../../src/accumulators/store/layout.ts';
import type { Store } from '../../src/accumulators/store/store-port.ts';
import { Exporter } from '../../src/exporter/exporter.ts';
import { compareStored } from '../../src/service/compare-stored.ts';
import { readLost } from '../../src/service/lost-state.ts';
import { fingerprint } from '../../src/unit/fingerprint.ts';
import { Unit } from '../../src/unit/unit.ts';
import type { UnitSettings } from '../../src/unit/unit-contract.ts';
import { load } from '../config/fixture.ts';
import { PARTITIONS, ShopService } from '../experiment-service.ts';
import { BEGIN, EXPERIMENT, HORIZONS, MEASURES, NAMESPACE, unitDeps, unitSettings } from '../experiment-shop.ts';
import { RestorableStore, type StoreSnapshot } from '../restorable-store.ts';

const DAY = 86_400_000;
const { paneSize, hour } = unitSettings().panes;
const USUAL = load('kafka: {brokers: [localhost:9092]}\nredis: {url: redis://localhost}');
const SETTINGS = {
  ...USUAL,
  namespace: NAMESPACE,
  attribution: { ...USUAL.attribution, horizons: HORIZONS },
  paneSize: { text: '20s', ms: paneSize },
  windows: [{ text: '5m', ms: 300_000 }],
  cohorts: [[], ['variant']],
  statistics: { ...USUAL.statistics, clustered: [[]] },
  measures: MEASURES,
  experiments: [EXPERIMENT],
};
const MARKS = fingerprint(SETTINGS);

/** Every kind of key but that of clock verdicts, which a claim and the checkpoint compare: its own test is below. */
function settingsOf(unit: UnitSettings): UnitSettings {
  const panes = { ...unit.panes, sets: SETTINGS.cohorts, clustered: [[]], mostInCheckpoint: 0 };
  return { ...unit, panes, fingerprint: MARKS };
}

const EXCEPTIONS: readonly (readonly [RegExp, string])[] = [
  [
    /:unit$/,
    'the checkpoint itself: what Kafka knows of the group tells that it was there (specification: commit 7.2)',
  ],
];

/** What a reader shows, and what it calls lost. */
async function shownBy(store: Store): Promise<{ readonly shown: string; readonly lost: ReadonlySet<string> }> {
  const deps = { store, namespace: NAMESPACE, partitions: PARTITIONS, fingerprint: MARKS, hour };
  try {
    const { lost, ...shown } = await new Exporter(SETTINGS, deps).refresh();
    const text = (_: string, value: unknown): unknown =>
      typeof value === 'bigint' ? String(value) : value instanceof Map ? [...value] : value;
    return { shown: JSON.stringify(shown, text), lost: new Set(lost?.keys.keys()) };
  } catch (error) {
    return { shown: String(error), lost: new Set(['all']) };
  }
}

/** What a claim reads, and what it calls lost. */
async function claimedIn(inner: Store, partition: number): Promise<{ read: ReadonlySet<string>; lost: string }> {
  const read = new Set<string>();
  const store: Store = {
    claim: (unit, token) => inner.claim(unit, token),
    commit: (commit) => inner.commit(commit),
    read: (keys) => {
      for (const key of keys) read.add(key);
      return inner.read(keys);
    },
  };
  const settings = settingsOf(unitSettings([EXPERIMENT], partition, PARTITIONS));
  const lost = await Unit.claim(settings, unitDeps(store)).then((unit) => unit.lost.keys.join(), String);
  return { read, lost };
}

function storeOf(snapshot: StoreSnapshot): RestorableStore {
  const store = new RestorableStore();
  store.restoreSnapshot(snapshot);
  return store;
}

describe('of what a service has stored', () => {
  let whole: StoreSnapshot;
  beforeAll(async () => {
    const shop = new ShopService([EXPERIMENT], settingsOf);
    const running = await shop.start();
    await shop.live(400, { A: 1, B: 3 });
    await shop.clock.advance(2000);
    await running.stop();
    whole = shop.store.inner.snapshot();
  });
  const keys = (): readonly string[] => [...whole.keys()].filter((key) => !EXCEPTIONS.some(([of]) => of.test(key)));
  const without = (key: string): RestorableStore => storeOf(new Map([...whole].filter(([one]) => one !== key)));

  it('there are keys of every kind', () => {
    const kinds = new Set(keys().map((key) => key.replace(/^.*}:\d+:/, '').replace(/:[^:]*\d.*$/, '')));
    expect([...kinds].sort()).toEqual([
      'looks:default',
      'pane:h',
      'pane:m',
      'places:',
      'places:variant',
      'total:default',
      'users:default',
      'vector:h',
    ]);
  });

  it('a reader misses every key, or shows the same without it', async () => {
    const before = await shownBy(storeOf(whole));
    expect(before.lost).toEqual(new Set());
    let missed = 0;
    for (const key of keys()) {
      const { shown, lost } = await shownBy(without(key));
      if (lost.has(key) || lost.has('all')) missed++;
      else expect(shown === before.shown, key).toBe(true);
    }
    expect(missed).toBeGreaterThan(30);
  });

  it('a reader decides nothing without the checkpoint of a unit, and compare names it', async () => {
    const settings = { ...SETTINGS, experiments: [EXPERIMENT] };
    for (const unit of Array(PARTITIONS).keys()) {
      const key = unitKey(NAMESPACE, unit);
      const store = without(key);
      const exporter = new Exporter(SETTINGS, {
        store: storeOf(whole),
        namespace: NAMESPACE,
        partitions: PARTITIONS,
        fingerprint: MARKS,
        hour,
      });
      const labelOf = ({ experiments = [] }: Awaited<ReturnType<Exporter['refresh']>>) =>
        experiments.map(({ variants }) => variants.map(({ decision }) => decision));
      expect(labelOf(await exporter.refresh())).toEqual([['regressed']]);
      const cut = new Exporter(SETTINGS, {
        store,
        namespace: NAMESPACE,
        partitions: PARTITIONS,
        fingerprint: MARKS,
        hour,
      });
      expect(labelOf(await cut.refresh()), key).toEqual([['invalid']]);
      const { comparison, lost } = await compareStored(settings, EXPERIMENT, NAMESPACE, store);
      expect(comparison.variants[0]).toMatchObject({
        decision: 'invalid',
        explanation: expect.stringContaining('Nothing is stored of 1 of the partitions'),
      });
      expect([...(lost ?? [])][0]).toEqual([key, `nothing is stored of partition ${unit}`]);
    }
  });

  it('a claim misses every key that it reads', async () => {
    for (const partition of Array(PARTITIONS).keys()) {
      const before = await claimedIn(storeOf(whole), partition);
      expect(before.lost).toBe('');
      const read = keys().filter((key) => before.read.has(key));
      expect(new Set(read.map((key) => key.split(':')[4]))).toEqual(
        new Set(['pane', 'vector', 'total', 'users', 'places', ...(partition === 0 ? ['looks'] : [])]),
      );
      for (const key of read) {
        expect((await claimedIn(without(key), partition)).lost, key).toMatch(key.includes(':places:') ? 'places' : key);
      }
    }
  });

  it('doctor misses every key', async () => {
    const lostIn = (store: Store) =>
      readLost(SETTINGS, store, PARTITIONS, { rowTtl: 36 * DAY, now: BEGIN + DAY, hour });
    expect(await lostIn(storeOf(whole))).toEqual([]);
    for (const key of keys()) {
      const found = await lostIn(without(key));
      expect(
        found.flatMap(({ keys: lost }) => [...lost.keys()]),
        key,
      ).toEqual([key]);
    }
  });
});
