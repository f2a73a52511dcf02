import { describe, expect, it } from 'vitest';
import { decoders, JOIN_SETTINGS, scorer } from '../bench/stages.ts';
import { DIMENSIONS, HORIZONS, makeWorkload, SETS } from '../bench/workload.ts';
import { MemoryStore } from '../src/accumulators/store/memory.ts';
import type { Commit, CommitAnswer, Store } from '../src/accumulators/store/port.ts';
import { MemoryLog, MemorySource } from '../src/consumers/source/memory.ts';
import type { SourceHandler } from '../src/consumers/source/port.ts';
import { NO_PERMISSIONS } from '../src/resume.ts';
import { Worker } from '../src/worker.ts';
import type { WorkerSettings } from '../src/worker-contract.ts';
import { ManualClock, settle } from './manual-clock.ts';

const START = 1_760_000_040_000;
const SCORER = scorer();

const SETTINGS: WorkerSettings = {
  topics: ['impressions', 'feedback'],
  unit: (partition) => ({
    namespace: 'test',
    partition,
    partitions: 2,
    generation: '1',
    permissions: NO_PERMISSIONS,
    fingerprint: { shape: '', additive: '' },
    join: JOIN_SETTINGS,
    panes: {
      paneSize: 60_000,
      hour: 3_600_000,
      horizons: HORIZONS,
      dimensions: DIMENSIONS,
      sets: SETS,
      shape: SCORER,
      cohortsPerSet: 50,
      keepMinutes: 7_200_000,
      keepHours: 7_200_000,
      totals: ['all'],
    },
    sources: [`impressions:${partition}`, `feedback:${partition}`],
  }),
  commitInterval: 1000,
  idleAfter: 30_000,
  outOfOrderness: 10_000,
  maxSkew: 120_000,
  openLimit: 1_000_000,
  sessionTimeout: 30_000,
};

class FailingStore implements Store {
  readonly inner: MemoryStore;
  failing = false;
  commits = 0;
  constructor(inner = new MemoryStore()) {
    this.inner = inner;
  }
  #check(): void {
    if (this.failing) throw Object.assign(new Error('the store is away'), { retriable: true });
  }
  async claim(unit: string, token: string) {
    this.#check();
    return this.inner.claim(unit, token);
  }
  async read(keys: readonly string[]) {
    this.#check();
    return this.inner.read(keys);
  }
  async commit(commit: Commit): Promise<CommitAnswer> {
    this.commits++;
    this.#check();
    return this.inner.commit(commit);
  }
}

let ids = 0;
/** Tells its handler of assignments when the test says so, as a consumer group does. */
class GroupSource extends MemorySource {
  #handler: SourceHandler | undefined;
  override run(handler: SourceHandler): Promise<void> {
    this.#handler = handler;
    return super.run(handler);
  }
  assign(partitions: readonly number[]): Promise<void> {
    return this.#handler?.assigned(partitions) ?? Promise.resolve();
  }
}

class Bench {
  readonly log: MemoryLog;
  readonly clock = new ManualClock(START);
  readonly store = new FailingStore();
  readonly warnings: string[] = [];
  constructor(partitions = 2) {
    this.log = new MemoryLog(2, partitions);
  }
  worker(settings: Partial<WorkerSettings> = {}): { worker: Worker; source: GroupSource; ended: Promise<void> } {
    const source = new GroupSource(this.log);
    const worker = new Worker(
      { ...SETTINGS, ...settings },
      {
        source,
        store: this.store,
        decoders: () => decoders(),
        scorer: SCORER,
        clock: this.clock,
        newId: () => `id${ids++}`,
        onClaim: () => {},
        startOffset: async () => 0,
        log: { info: () => {}, warn: (_, message) => void this.warnings.push(message) },
      },
    );
    return { worker, source, ended: worker.run() };
  }
  /** Appends traffic; both records of a request go to one partition. */
  fill(impressions: number, perSecond: number): void {
    for (const { topic, at, value } of makeWorkload(impressions, perSecond)) {
      const request = /"requestId":"(..)/.exec(value.toString())?.[1] ?? '';
      this.log.append(topic, Number.parseInt(request, 16) % this.log.partitions, value, Math.floor(at));
    }
  }
}

const sum = (worker: Worker, of: 'accepted' | 'read'): number =>
  worker.status().units.reduce((total, unit) => total + unit.counts[0].impressions[of], 0);

describe('a worker', () => {
  it('owns every partition it is assigned and moves its counters only after a commit', async () => {
    const bench = new Bench();
    await bench.clock.advance(3_600_000);
    bench.fill(600, 1);
    const { worker, ended } = bench.worker();
    await settle();
    expect(worker.status().units.map((u) => u.partition)).toEqual([0, 1]);
    expect(sum(worker, 'read')).toBe(0);
    await bench.clock.advance(1000);
    expect(sum(worker, 'read')).toBe(600);
    expect(worker.status().commits).toMatchObject({ ok: 2, unknown: 0 });
    await worker.stop();
    await ended;
  });

  it('sends a commit again until the store answers, and counts each try', async () => {
    const bench = new Bench(1);
    await bench.clock.advance(3_600_000);
    bench.fill(50, 1);
    const { worker, ended } = bench.worker();
    await settle();
    bench.store.failing = true;
    await bench.clock.advance(3000);
    expect(worker.status().commits).toMatchObject({ ok: 0, unknown: 3 });
    expect(sum(worker, 'read')).toBe(0);
    bench.store.failing = false;
    await bench.clock.advance(1000);
    expect(worker.status().commits).toMatchObject({ ok: 1, unknown: 3 });
    expect(sum(worker, 'read')).toBe(50);
    await worker.stop();
    await ended;
  });

  it('waits with its claim until the store is there', async () => {
    const bench = new Bench(1);
    bench.fill(10, 1);
    bench.store.failing = true;
    const { worker, ended } = bench.worker();
    await bench.clock.advance(5000);
    expect(worker.unready).toEqual(['not yet assigned any partition']);
    bench.store.failing = false;
    await bench.clock.advance(10_000);
    expect(worker.unready).toEqual([]);
    await worker.stop();
    await ended;
  });

  it('lets go of a unit that another has claimed, and claims it again when the other is silent', async () => {
    const bench = new Bench(1);
    await bench.clock.advance(3_600_000);
    bench.fill(40, 1);
    const { worker, ended } = bench.worker();
    await bench.clock.advance(1000);
    await bench.store.claim('receval:{test:0}:unit', 'somebody else');
    bench.log.append(0, 0, null, START);
    await bench.clock.advance(1000);
    expect(worker.status().commits.fenced).toBe(1);
    expect(worker.status().units).toEqual([]);
    await bench.clock.advance(29_000);
    expect(worker.status().units).toEqual([]);
    await bench.clock.advance(2000);
    expect(worker.status().units).toHaveLength(1);
    expect(worker.status().units[0].counts[0].impressions.drops.tombstone).toBe(1);
    await worker.stop();
    await ended;
  });

  it('reads on at once when a unit that was taken from it is assigned to it again', async () => {
    const bench = new Bench(1);
    await bench.clock.advance(3_600_000);
    bench.fill(40, 1);
    const { worker, source, ended } = bench.worker();
    await bench.clock.advance(1000);
    await bench.store.claim('receval:{test:0}:unit', 'somebody else');
    bench.log.append(0, 0, null, START);
    await bench.clock.advance(1000);
    expect(worker.status().commits.fenced).toBe(1);
    await source.assign([0]);
    await bench.clock.advance(3000);
    expect(worker.unready).toEqual([]);
    expect(worker.status().units[0].counts[0].impressions.drops.tombstone).toBe(1);
    await worker.stop();
    await ended;
  });

  it('leaves a unit that was taken from it to its new owner', async () => {
    const bench = new Bench(1);
    await bench.clock.advance(3_600_000);
    bench.fill(40, 1);
    const { worker, source, ended } = bench.worker();
    await bench.clock.advance(1000);
    await bench.store.claim('receval:{test:0}:unit', 'the new owner');
    bench.log.append(0, 0, null, START);
    await bench.clock.advance(1000);
    await source.assign([]);
    await bench.clock.advance(60_000);
    expect(worker.status().units).toEqual([]);
    const [unit] = await bench.store.read(['receval:{test:0}:unit']);
    expect(unit.get('token')).toBe('the new owner');
    await worker.stop();
    await ended;
  });

  it('claims a unit once, however often it is assigned meanwhile', async () => {
    const bench = new Bench(1);
    bench.store.failing = true;
    const { worker, source, ended } = bench.worker();
    const again = source.assign([0]);
    await bench.clock.advance(1000);
    bench.store.failing = false;
    await bench.clock.advance(10_000);
    await again;
    expect(worker.status().units).toHaveLength(1);
    bench.fill(10, 1);
    await bench.clock.advance(2000);
    expect(worker.status().commits).toMatchObject({ ok: 1, fenced: 0 });
    await worker.stop();
    await ended;
  });

  it('reads nothing while its clock is in doubt, also in units that it claims meanwhile', async () => {
    const bench = new Bench(1);
    await bench.clock.advance(3_600_000);
    const { worker, source, ended } = bench.worker();
    await settle();
    worker.clockIs(30_001);
    bench.fill(40, 1);
    await source.assign([]);
    await source.assign([0]);
    await bench.clock.advance(5000);
    expect(sum(worker, 'read')).toBe(0);
    expect(worker.status().clockSkew).toBe(30_001);
    worker.clockIs(-30_000);
    await bench.clock.advance(5000);
    expect(sum(worker, 'read')).toBe(40);
    await worker.stop();
    await ended;
  });

  it('claims anew at once when the store went back, counts a rewind and makes good what was lost', async () => {
    const bench = new Bench(1);
    await bench.clock.advance(3_600_000);
    bench.fill(40, 1);
    const { worker, ended } = bench.worker();
    await bench.clock.advance(1000);
    const backup = bench.store.inner.snapshot();
    bench.log.append(0, 0, null, START);
    await bench.clock.advance(1000);
    bench.store.inner.restoreSnapshot(backup);
    bench.log.append(0, 0, null, START);
    await bench.clock.advance(3000);
    expect(worker.status().rewinds).toBe(1);
    expect(worker.status().units[0].counts[0].impressions.drops.tombstone).toBe(2);
    await worker.stop();
    await ended;
  });

  it('lets time pass in a topic that has been silent for idleAfter, not before', async () => {
    const bench = new Bench(1);
    bench.fill(20, 1);
    const { worker, ended } = bench.worker();
    await bench.clock.advance(1000);
    expect(worker.status().units[0].openImpressions).toBe(20);
    await bench.clock.advance(28_000);
    expect(worker.status().units[0].idleAdvances).toBe(0);
    await bench.clock.advance(2 * 3_600_000);
    expect(worker.status().units[0]).toMatchObject({ openImpressions: 0, closedByIdle: 20, lag: [0, 0] });
    await worker.stop();
    await ended;
  });

  it('holds back the topic that leads while too much is open, and never the one that is behind', async () => {
    const bench = new Bench(1);
    await bench.clock.advance(3 * 3_600_000);
    // Impressions of an hour are there at once; feedback comes only later.
    const records = makeWorkload(3600, 1);
    for (const { topic, at, value } of records) if (topic === 0) bench.log.append(0, 0, value, Math.floor(at));
    const { worker, source, ended } = bench.worker({ openLimit: 2400, maxSkew: 60_000 });
    const paused: number[] = [];
    const pause = source.pause.bind(source);
    source.pause = (partition, topic) => {
      paused.push(topic);
      pause(partition, topic);
    };
    await bench.clock.advance(1000);
    const { openImpressions, stopped } = worker.status().units[0];
    expect(openImpressions).toBeGreaterThan(2400);
    expect(openImpressions).toBeLessThanOrEqual(2600);
    expect(stopped).toBeUndefined();
    expect(paused).toEqual([0]);
    for (const { topic, at, value } of records) if (topic === 1) bench.log.append(1, 0, value, Math.floor(at));
    await bench.clock.advance(20_000);
    expect(worker.status().units[0].counts[0].impressions.read).toBe(3600);
    expect(worker.status().units[0].counts[1].feedback.drops.orphan).toBe(0);
    await worker.stop();
    await ended;
  });

  it('stops a unit that needs more than a quarter above the limit, and says so', async () => {
    const bench = new Bench(1);
    await bench.clock.advance(3 * 3_600_000);
    for (const { topic, at, value } of makeWorkload(3000, 1000)) bench.log.append(topic, 0, value, Math.floor(at));
    const { worker, ended } = bench.worker({ openLimit: 1000 });
    await bench.clock.advance(1000);
    expect(worker.status().units[0].stopped).toBe('limit');
    expect(worker.unready).toEqual(['partition 0 is stopped: limit']);
    await worker.stop();
    await ended;
  });

  it('commits the last whole chunk when it is stopped', async () => {
    const bench = new Bench(1);
    await bench.clock.advance(3_600_000);
    bench.fill(30, 1);
    const { worker, ended } = bench.worker();
    await settle();
    await worker.stop();
    await ended;
    expect(sum(worker, 'read')).toBe(30);
    const [unit] = await bench.store.read(['receval:{test:0}:unit']);
    expect(unit.get('seq')).toBe('1');
  });
});
