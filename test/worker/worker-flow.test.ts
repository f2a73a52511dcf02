import { describe, expect, it } from 'vitest';
import { decoders, JOIN_SETTINGS, scorer } from '../../bench/stages.ts';
import { DIMENSIONS, HORIZONS, SETS } from '../../bench/workload.ts';
import { MemoryStore } from '../../src/accumulators/store/memory-store.ts';
import { Flow } from '../../src/consumers/source/kafka/flow/flow.ts';
import type { FlowClient } from '../../src/consumers/source/kafka/flow/placement.ts';
import type { LogSource, SourceHandler } from '../../src/consumers/source/source-port.ts';
import { NO_PERMISSIONS } from '../../src/unit/resume.ts';
import { Worker } from '../../src/worker/worker.ts';
import type { WorkerSettings } from '../../src/worker/worker-contract.ts';
import { ManualClock, settle } from '../manual-clock.ts';

const SCORER = scorer();
const TOPICS = ['a', 'b'];

const SETTINGS: WorkerSettings = {
  topics: TOPICS,
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
      clustered: SETS,
      shape: SCORER,
      cohortsPerSet: 50,
      keepMinutes: 7_200_000,
      keepHours: 7_200_000,
      keepVectors: 7_200_000,
      totals: [],
      runs: [],
    },
    experiments: [],
    sources: TOPICS,
  }),
  commitInterval: 1000,
  idleAfter: 30_000,
  outOfOrderness: 10_000,
  maxSkew: 120_000,
  openLimit: 1_000_000,
  stateLimit: Number.POSITIVE_INFINITY,
  rowLimit: Number.POSITIVE_INFINITY,
  sessionTimeout: 30_000,
  looks: { every: 60_000, partitions: 1, measures: [], unitTimeout: 600_000 },
};

/** Notes only what is paused. */
class PausingClient implements FlowClient {
  readonly #paused = new Set<string>();
  get paused(): readonly string[] {
    return [...this.#paused].sort();
  }
  pause(lists: { topic: string; partitions: number[] }[]): void {
    for (const { topic, partitions } of lists) for (const p of partitions) this.#paused.add(`${topic}/${p}`);
  }
  resume(lists: { topic: string; partitions: number[] }[]): void {
    for (const { topic, partitions } of lists) for (const p of partitions) this.#paused.delete(`${topic}/${p}`);
  }
  seek(): void {}
}

/** Holds claims while the test says so. */
class HeldStore extends MemoryStore {
  #held: Promise<void> = Promise.resolve();
  holdClaims(): () => void {
    let go = (): void => {};
    this.#held = new Promise((resolve) => {
      go = resolve;
    });
    return go;
  }
  override async claim(unit: string, token: string) {
    await this.#held;
    return super.claim(unit, token);
  }
}

/** A worker on the flow from Kafka, without Kafka: topic `a` has 100 records, `b` none; none of them comes by itself. */
class Bench {
  readonly clock = new ManualClock(1_760_000_040_000);
  readonly client = new PausingClient();
  readonly store = new HeldStore();
  readonly worker: Worker;
  readonly #ended: Promise<void>;
  #flow: Flow | undefined;

  constructor() {
    const bounds = [
      { start: 0, end: 100 },
      { start: 0, end: 0 },
    ];
    let end = (): void => {};
    const source: LogSource = {
      run: (handler) =>
        new Promise((resolve, reject) => {
          end = resolve;
          this.#flow = this.#on(handler, bounds, reject);
        }),
      seek: (...place) => this.#flow?.seek(...place),
      pause: (partition, topic) => this.#flow?.pause(partition, topic),
      resume: (partition, topic) => this.#flow?.resume(partition, topic),
      setFetching: (...order) => this.#flow?.setFetching(...order),
      bounds: async (_, topic) => bounds[topic],
      witness: () => {},
      stop: async () => {
        await this.#flow?.end();
        end();
      },
    };
    let ids = 0;
    this.worker = new Worker(SETTINGS, {
      source,
      store: this.store,
      decoders: () => decoders(),
      scorer: SCORER,
      clock: this.clock,
      newId: () => `id${ids++}`,
      onClaim: () => {},
      startOffset: async () => 0,
      log: { info: () => {}, warn: () => {} },
    });
    this.#ended = this.worker.run();
  }

  #on(handler: SourceHandler, bounds: readonly { start: number; end: number }[], fail: (error: unknown) => void): Flow {
    return new Flow({
      topics: TOPICS,
      handler,
      events: {
        onGap: () => 'stop',
        onLostLog: () => {},
        onRefused: () => 'stop',
        onUnpaired: () => {},
        onPartitionCounts: () => {},
      },
      log: () => {},
      bounds: async (_, topic) => bounds[topic],
      sleep: settle,
      fail,
    });
  }

  join(partitions: number[]): void {
    this.#flow?.joined(this.client, { a: partitions, b: partitions });
  }

  /** Partition 0 leaves and comes back while the claim of partition 1 waits for the store. */
  async leaveAndReturn(): Promise<void> {
    const go = this.store.holdClaims();
    this.join([0, 1]);
    await rest();
    this.join([1]);
    this.join([0, 1]);
    go();
    await rest();
  }

  async stop(): Promise<void> {
    await this.worker.stop();
    await this.#ended;
  }
}

async function rest(): Promise<void> {
  for (let i = 0; i < 20; i++) await settle();
}

async function reading(): Promise<Bench> {
  const bench = new Bench();
  bench.join([0]);
  await rest();
  expect(bench.client.paused).toEqual([]);
  return bench;
}

describe('a partition that leaves and comes back while a claim runs', () => {
  it('is not read while the clock is in doubt, and is read when it is not any more', async () => {
    const bench = await reading();
    bench.worker.clockIs(60_000);
    await bench.leaveAndReturn();
    const inDoubt = bench.client.paused;
    bench.worker.clockIs(0);
    const after = bench.client.paused;
    await bench.stop();
    expect(inDoubt).toEqual(['a/0', 'a/1', 'b/0', 'b/1']);
    expect(after).toEqual([]);
  });

  it('fetches no more of a topic that is ahead of the others', async () => {
    const bench = await reading();
    // Nothing comes in b, so time passes there, and 100 records of a are older.
    await bench.clock.advance(60_000);
    const ahead = bench.client.paused;
    await bench.leaveAndReturn();
    const after = bench.client.paused.filter((place) => place.endsWith('/0'));
    await bench.stop();
    expect(ahead).toEqual(['b/0']);
    expect(after).toEqual(['b/0']);
  });
});
