import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { makeWorkload } from '../../../bench/workload.ts';
import type { RunSettings } from '../../../src/accumulators/runs.ts';
import { type Store, StoreUnavailable } from '../../../src/accumulators/store/store-port.ts';
import type { ExperimentSettings } from '../../../src/config/settings.ts';
import { createDecoder } from '../../../src/consumers/decode/decoder.ts';
import { MemoryLog } from '../../../src/consumers/source/memory-source.ts';
import { runOf } from '../../../src/experiment/run-settings.ts';
import { parseMeasures } from '../../../src/measures/grammar/measure-name.ts';
import { compile } from '../../../src/measures/scorer.ts';
import { NO_PERMISSIONS } from '../../../src/unit/resume.ts';
import { Unit } from '../../../src/unit/unit.ts';
import type { UnitDeps, UnitSettings } from '../../../src/unit/unit-contract.ts';
import { openRedis, redisIsThere } from '../../contracts/store/redis-harness.ts';
import { RestorableStore, type StoreSnapshot } from '../../restorable-store.ts';
import { startRedis } from '../../services/redis.ts';

const GRADING = {
  relevantFrom: 1,
  actions: ['click', 'purchase'].map((name, i) => ({
    name,
    rule: { from: 'grade', grade: 2 * i + 1, rule: 'max', max: 30, veto: false } as const,
  })),
};
const { measures: MEASURES } = parseMeasures(['mrr', 'ndcg@10'], { relevantFrom: 1 });
const SCORER = compile(MEASURES, GRADING);
const ROLES = [
  { impressions: true, feedback: false },
  { impressions: false, feedback: true },
];
const HORIZON = { text: '2m', ms: 120_000 };
const EXPERIMENT: ExperimentSettings = {
  name: 'default',
  dimension: 'variant',
  control: 'A',
  variants: new Map([
    ['A', 1],
    ['B', 1],
  ]),
  primary: 'mrr',
  guardrails: [],
  horizon: HORIZON,
  start: undefined,
  alpha: 0.05,
  nStar: 5000,
  tolerance: 0.01,
  lowerIsBetter: new Set(),
  interleaved: false,
};
const RUN: RunSettings = {
  name: EXPERIMENT.name,
  run: runOf(EXPERIMENT),
  dimension: EXPERIMENT.dimension,
  horizon: 0,
  variants: [...EXPERIMENT.variants.keys()],
  start: undefined,
};
const SETTINGS: UnitSettings = {
  namespace: 'contract',
  partition: 0,
  partitions: 1,
  generation: '1',
  permissions: NO_PERMISSIONS,
  fingerprint: { shape: '{}', additive: '[]' },
  join: {
    topics: ROLES,
    horizons: [HORIZON.ms],
    outOfOrderness: 5000,
    backward: 0,
    futureSkew: 60_000,
    feedbackPerImpression: 100,
    actions: SCORER.actions,
  },
  panes: {
    paneSize: 10_000,
    hour: 60_000,
    horizons: [HORIZON],
    dimensions: ['variant'],
    sets: [[], ['variant']],
    clustered: [[], ['variant']],
    shape: { names: SCORER.names, kinds: SCORER.kinds },
    cohortsPerSet: 4,
    keepMinutes: 300_000,
    keepHours: 3_000_000,
    keepVectors: 2_500_000,
    totals: ['all'],
    runs: [RUN],
  },
  experiments: [EXPERIMENT],
  sources: ['impressions:0', 'feedback:0'],
};

let ids = 0;
function deps(store: Store): UnitDeps {
  const base = {
    adapter: 'canonical',
    dimensions: ['variant'],
    itemsPerList: 1000,
    tsUnit: 'ms',
    positionBase: 1,
    sampleUsers: true,
  } as const;
  return {
    store,
    scorer: SCORER,
    decoders: ROLES.map((role) => createDecoder({ ...base, impressionBytes: 262_144, feedbackBytes: 65_536, role })),
    newId: () => `id-${ids++}`,
    now: () => undefined,
  };
}

const log = new MemoryLog(2, 1);
for (const { topic, value, at } of makeWorkload(300, 0.5)) log.append(topic, 0, value, Math.floor(at));

/** A worker of one unit, which may die at any time. */
class Worker {
  readonly #unit: Unit;
  readonly #positions: number[];

  constructor(unit: Unit) {
    this.#unit = unit;
    this.#positions = [...unit.committed.replayOffsets];
  }

  feed(topic: number, limit: number): boolean {
    const records = log.read(0, topic, this.#positions[topic], limit);
    if (records.length === 0) return false;
    this.#positions[topic] = records[records.length - 1].offset + 1;
    this.#unit.feed({ partition: 0, topic, records, next: this.#positions[topic] });
    return true;
  }

  commit(): Promise<string> {
    return this.#unit.commit();
  }

  async finish(): Promise<void> {
    for (let more = true; more; ) more = [this.feed(0, 50), this.feed(1, 50)].some(Boolean);
    this.#unit.finish();
    expect(['OK', 'NOTHING_NEW']).toContain(await settled(() => this.commit()));
  }
}

/** Tries again while the store is unavailable. */
async function settled<T>(call: () => Promise<T>): Promise<T> {
  const until = Date.now() + 300_000;
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || Date.now() > until) throw error;
      await new Promise((go) => setTimeout(go, 10));
    }
  }
}

/** Everything durable but the guard and what only tells where a replay may begin. */
function durable(snapshot: StoreSnapshot) {
  const without = new Set(['token', 'seq', 'cid', 'topics']);
  return [...snapshot]
    .map(([key, fields]) => [key, [...fields].filter(([name]) => !without.has(name)).sort()] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

if (await redisIsThere()) {
  const server = await startRedis();
  const harness = await openRedis(server.url);
  afterAll(async () => {
    await harness.close();
    await server.stop();
  });
  const claim = async (store: Store): Promise<Worker> =>
    new Worker(await settled(() => Unit.claim(SETTINGS, deps(store))));

  describe('a unit over RedisStore', () => {
    it('that is killed, cut off and rolled back at any point equals an unbroken one in memory byte for byte', async () => {
      const memory = new RestorableStore();
      await (await claim(memory)).finish();
      const want = durable(memory.snapshot());
      expect(want.length).toBeGreaterThan(10);
      const [total, users] = [':total:default:', ':users:default:'].map((part) =>
        want.find(([key]) => key.includes(part)),
      );
      expect(total?.[1]).toHaveLength(2);
      expect(users?.[1].length).toBeGreaterThan(100);

      const step = fc.record({
        topic: fc.nat(1),
        limit: fc.integer({ min: 1, max: 120 }),
        what: fc.constantFrom('go', 'commit', 'commit', 'kill', 'cut', 'cut and kill', 'roll back', 'forget scripts'),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 20, size: 'max' }), async (steps) => {
          await harness.wipe();
          let restore = harness.wipe;
          let worker = await claim(harness.store);
          for (const { topic, limit, what } of steps) {
            worker.feed(topic, limit);
            switch (what) {
              case 'go':
                break;
              case 'commit':
                expect(['OK', 'ALREADY', 'REPLAYING', 'NOTHING_NEW']).toContain(await settled(() => worker.commit()));
                break;
              case 'kill':
                worker = await claim(harness.store);
                break;
              case 'cut':
              case 'cut and kill': {
                const sent = worker.commit().catch(() => 'unknown');
                await harness.admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
                await sent;
                const answer = await settled(() => worker.commit());
                expect(['OK', 'ALREADY', 'REPLAYING', 'NOTHING_NEW']).toContain(answer);
                if (what === 'cut and kill') worker = await claim(harness.store);
                break;
              }
              case 'roll back':
                await restore();
                restore = await harness.backup();
                worker = await claim(harness.store);
                break;
              case 'forget scripts':
                await harness.admin.script('FLUSH');
                restore = await harness.backup();
                break;
            }
          }
          await worker.finish();
          expect(durable(await harness.snapshot())).toEqual(want);
        }),
        { numRuns: 10 },
      );
    });
  });
}
