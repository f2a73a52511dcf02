import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { makeWorkload } from '../../bench/workload.ts';
import { MemoryStore } from '../../src/accumulators/store/memory-store.ts';
import { RedisStore } from '../../src/accumulators/store/redis-store.ts';
import type { Store } from '../../src/accumulators/store/store-port.ts';
import { loadSettings } from '../../src/config/load.ts';
import type { Settings } from '../../src/config/settings.ts';
import type { LogRecord } from '../../src/consumers/source/source-port.ts';
import { compile } from '../../src/measures/scorer.ts';
import type { Scorer } from '../../src/measures/scorer-contract.ts';
import { type ExpectedTraffic, planFor } from '../../src/service/capacity-plan.ts';
import { serviceDecoders, workerSettings } from '../../src/service/service-settings.ts';
import { NO_PERMISSIONS } from '../../src/unit/resume.ts';
import { Unit } from '../../src/unit/unit.ts';
import { HOUR } from '../../src/vocabulary/durations.ts';
import { itWith } from '../services/it-with.ts';
import { REDIS, startRedis } from '../services/redis.ts';

const CONFIGURATION = `
attribution: {horizons: [1m, 5m], outOfOrderness: 5s}
cohorts: [[], [variant], [variant, country]]
`;
/** Its rows keep items and counts by rank, too. */
const WITH_ITEMS = `${CONFIGURATION}
measures: [ndcg@10, gini, entropy@10, distinct]
itemSets: [[], [variant]]
positions: {ranks: 10}
`;

interface Configured {
  readonly settings: Settings;
  readonly scorer: Scorer;
}

function configured(text: string): Configured {
  const settings = loadSettings({ file: 'receval.yaml', readFile: () => text, env: {} });
  return { settings, scorer: compile(settings.measures, settings.grading, settings.itemFile) };
}

const USUAL = configured(CONFIGURATION);
const KINDS = [
  { kind: 'sums alone', by: USUAL },
  { kind: 'items and counts by rank, too', by: configured(WITH_ITEMS) },
];
/** The first time of the workload. */
const FIRST = makeWorkload(1, 1)[0].ts;
const PARTITIONS = 2;
const LISTS = 9000;
/** Of the items of the workload; hardly any of them is shown twice. */
const CATALOGUE = 8_999_999;
const TRAFFIC: ExpectedTraffic = {
  listsPerSecond: LISTS / 3600,
  feedbackPerList: 1.5,
  itemsPerList: 20,
  catalogue: CATALOGUE,
  partitions: PARTITIONS,
  workers: 1,
  values: new Map([
    ['variant', 2],
    ['country', 5],
  ]),
  users: undefined,
};

/** The units of a service that has read records of the workload. */
async function unitsThatRead(
  { settings, scorer }: Configured,
  store: Store,
  perSecond: number,
  lists: number,
): Promise<readonly Unit[]> {
  const { unit } = workerSettings(settings, scorer, PARTITIONS, NO_PERMISSIONS, 0);
  const units = await Promise.all(
    Array.from({ length: PARTITIONS }, (_, partition) =>
      Unit.claim(unit(partition), {
        store,
        scorer,
        decoders: serviceDecoders(settings),
        newId: randomUUID,
        now: () => undefined,
      }),
    ),
  );
  const next = units.map(() => [0, 0]);
  const end = FIRST + (1000 * lists) / perSecond;
  for (const { topic, value, at, requestId } of makeWorkload(lists, perSecond)) {
    // Feedback that comes when no more lists do would let them close.
    if (at > end) break;
    const partition = Number.parseInt(requestId.slice(0, 2), 16) % PARTITIONS;
    const offset = next[partition][topic]++;
    const records: LogRecord[] = [{ offset, timestamp: Math.floor(at), value }];
    units[partition].feed({ partition, topic, records, next: offset + 1 });
  }
  return units;
}

describe('what is planned', () => {
  it.each([
    { partitions: 32, workers: 1, lists: 40, commits: 32 },
    { partitions: 256, workers: 1, lists: 40, commits: 32 },
    { partitions: 256, workers: 4, lists: 40, commits: 128 },
    { partitions: 256, workers: 16, lists: 40, commits: 256 },
    { partitions: 1000, workers: 1, lists: 40, commits: 100 },
    // With 100 records a second in each.
    { partitions: 256, workers: 1, lists: 10_239, commits: 32 },
    { partitions: 256, workers: 1, lists: 10_240, commits: 256 },
  ])(
    'are $commits commits a second for $partitions partitions of $workers workers, $lists lists a second',
    (planned) => {
      const { partitions, workers, lists: listsPerSecond } = planned;
      const { redis } = planFor(USUAL.settings, USUAL.scorer, { ...TRAFFIC, partitions, workers, listsPerSecond });
      expect(redis.commitsPerSecond).toBe(planned.commits);
    },
  );

  describe.each(KINDS)('of rows that keep $kind', ({ by }) => {
    itWith(REDIS, 'is what Redis takes: rows, and within a sixth the memory', async () => {
      const server = await startRedis();
      const { url } = server;
      const admin = new Redis(url);
      const used = async (): Promise<number> => {
        await admin.call('MEMORY', 'PURGE');
        return Number(/^used_memory:(\d+)/m.exec(await admin.info('memory'))?.[1]);
      };
      const store = await RedisStore.connect({ url, rowTtl: 30 * 24 * HOUR });
      try {
        const units = await unitsThatRead(by, store, TRAFFIC.listsPerSecond, LISTS);
        const before = await used();
        for (const unit of units) {
          unit.finish();
          expect(await unit.commit()).toBe('OK');
        }
        const bytes = (await used()) - before;
        const keys = await admin.keys('receval:*:1c:*');
        const sizes = await Promise.all(keys.map((key) => admin.hlen(key)));
        // Without the field with their number.
        const rows = sizes.reduce((sum, size) => sum + size - 1, 0);
        const planned = planFor(by.settings, by.scorer, TRAFFIC).redis.stored[0];
        process.stderr.write(`plan: ${planned.rows} rows of ${rows}, ${planned.bytes} bytes of ${bytes}\n`);
        expect(planned.after).toBe(HOUR);
        expect(planned.rows / rows).toBeGreaterThan(0.95);
        expect(planned.rows / rows).toBeLessThan(1.15);
        expect(planned.bytes / bytes).toBeGreaterThan(5 / 6);
        expect(planned.bytes / bytes).toBeLessThan(6 / 5);
      } finally {
        await store.close();
        admin.disconnect();
        await server.stop();
      }
    });

    it('is what a worker holds that reads as much as closes, within a third', async () => {
      const perSecond = 50;
      const seconds = 400;
      const units = await unitsThatRead(by, new MemoryStore(), perSecond, perSecond * seconds);
      // Items are counted as of the last commit.
      for (const unit of units) expect(await unit.commit()).toBe('OK');
      const open = units.reduce((sum, { join }) => sum + join.openImpressions, 0);
      const bytes = units.reduce((sum, unit) => sum + unit.stateBytes, 0);
      const { worker } = planFor(by.settings, by.scorer, { ...TRAFFIC, listsPerSecond: perSecond });
      process.stderr.write(`plan: ${worker.openImpressions} of ${open} open, ${worker.stateBytes} bytes of ${bytes}\n`);
      expect(worker.openImpressions / open).toBeGreaterThan(0.9);
      expect(worker.openImpressions / open).toBeLessThan(1.1);
      expect(worker.stateBytes / bytes).toBeGreaterThan(2 / 3);
      expect(worker.stateBytes / bytes).toBeLessThan(3 / 2);
    });
  });

  it('are fewer items in a row the smaller the catalogue is, and never more than are counted', () => {
    const planned = (catalogue: number | undefined): readonly number[] => {
      const { settings, scorer } = configured(`${WITH_ITEMS}limits: {itemsCounted: 500}\n`);
      const { worker, redis, exporter } = planFor(settings, scorer, { ...TRAFFIC, catalogue });
      return [worker.stateBytes, redis.stored[0].bytes, redis.bytesPerSecond, exporter.memoryBytes];
    };
    const most = planned(undefined);
    expect(planned(500)).toEqual(most);
    planned(100).forEach((bytes, i) => {
      expect(bytes).toBeLessThan(most[i]);
    });
    planned(CATALOGUE).forEach((bytes, i) => {
      expect(bytes).toBeLessThan(1.5 * most[i]);
    });
  });
});
