import { describe, expect, it } from 'vitest';
import { decoders, JOIN_SETTINGS, scorer } from '../../bench/stages.ts';
import { DIMENSIONS, HORIZONS, SETS } from '../../bench/workload.ts';
import { decodeCheckpoint } from '../../src/accumulators/store/checkpoint-codec.ts';
import { unitKey } from '../../src/accumulators/store/layout.ts';
import { MemoryStore } from '../../src/accumulators/store/memory-store.ts';
import { Flow } from '../../src/consumers/source/kafka/flow/flow.ts';
import type { FlowClient } from '../../src/consumers/source/kafka/flow/placement.ts';
import type { Bounds, LogSource } from '../../src/consumers/source/source-port.ts';
import { NO_PERMISSIONS } from '../../src/unit/resume.ts';
import { Worker } from '../../src/worker/worker.ts';
import type { WorkerSettings } from '../../src/worker/worker-contract.ts';
import { ManualClock, settle } from '../manual-clock.ts';

const SCORER = scorer();
const SETTINGS: WorkerSettings = {
  topics: ['impressions', 'feedback'],
  unit: (partition) => ({
    namespace: 'test',
    partition,
    partitions: 1,
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
    sources: ['impressions:0', 'feedback:0'],
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
const CLIENT: FlowClient = { pause: () => {}, resume: () => {}, seek: () => {} };

/** A worker that reads partition 0 through the flow of Kafka's source, as the service wires them. */
class Stand {
  readonly clock = new ManualClock(1_760_000_040_000);
  readonly worker: Worker;
  readonly store: MemoryStore;
  readonly #ended: Promise<void>;
  #flow: Flow | undefined;
  #end = (): void => {};

  constructor(onGap: 'skip' | 'stop', bounds: readonly Bounds[], store = new MemoryStore()) {
    this.store = store;
    const source: LogSource = {
      run: (handler) => {
        this.#flow = new Flow({
          topics: SETTINGS.topics,
          handler,
          events: {
            onGap: ({ partition, topic, start }) => this.worker.gap(partition, topic, start, onGap),
            onLostLog: () => {},
            onRefused: () => 'stop',
            onUnpaired: () => {},
            onPartitionCounts: () => {},
          },
          log: () => {},
          bounds: async (_, topic) => bounds[topic],
          sleep: settle,
          fail: (error) => {
            throw error;
          },
        });
        return new Promise<void>((resolve) => {
          this.#end = resolve;
        });
      },
      seek: (...place) => this.#flow?.seek(...place),
      pause: (...place) => this.#flow?.pause(...place),
      resume: (...place) => this.#flow?.resume(...place),
      bounds: async (_, topic) => bounds[topic],
      witness: () => {},
      stop: async () => {
        await this.#flow?.end();
        this.#end();
      },
    };
    let ids = 0;
    this.worker = new Worker(SETTINGS, {
      source,
      store,
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

  /** The group has joined: partition 0 is ours, again or still. */
  async join(): Promise<void> {
    this.#flow?.joined(CLIENT, { impressions: [0], feedback: [0] });
    await this.rest();
  }

  /** A fetch has failed. */
  async doubt(): Promise<void> {
    this.#flow?.doubted();
    await this.rest();
  }

  async rest(): Promise<void> {
    for (let turn = 0; turn < 20; turn++) await settle();
  }

  async end(): Promise<void> {
    await this.worker.stop();
    await this.#ended;
  }

  get counted(): number {
    return this.worker.status().gapRecords;
  }
}

describe('a gap', () => {
  it('that is skipped is counted once, however often the group joins and fetches fail before a record comes', async () => {
    const stand = new Stand('skip', [
      { start: 0, end: 0 },
      { start: 50, end: 50 },
    ]);
    await stand.join();
    const counted = [stand.counted];
    await stand.join();
    counted.push(stand.counted);
    await stand.doubt();
    counted.push(stand.counted);
    expect(counted).toEqual([50, 50, 50]);
    expect(stand.worker.stopped).toEqual([]);
    await stand.end();
    const [fields] = await stand.store.read([unitKey('test', 0)]);
    expect(decodeCheckpoint(fields).join.topics[1].committed).toBe(50);
  });

  it('that stops the unit is counted once, however often the group joins', async () => {
    const stand = new Stand('stop', [
      { start: 0, end: 0 },
      { start: 50, end: 60 },
    ]);
    await stand.join();
    const counted = [stand.counted];
    for (let joins = 0; joins < 3; joins++) {
      await stand.join();
      counted.push(stand.counted);
    }
    expect(counted).toEqual([50, 50, 50, 50]);
    expect(stand.worker.stopped).toEqual([{ partition: 0, cause: 'gap' }]);
    await stand.end();
    // Whoever skips it later begins before it.
    const next = new Stand(
      'skip',
      [
        { start: 0, end: 0 },
        { start: 50, end: 60 },
      ],
      stand.store,
    );
    await next.join();
    expect(next.counted).toBe(50);
    await next.end();
  });

  it('that a later claim finds again, as its skip was not stored, is counted once', async () => {
    const stand = new Stand('skip', [
      { start: 0, end: 0 },
      { start: 50, end: 50 },
    ]);
    const before = stand.store.snapshot();
    await stand.join();
    stand.store.restoreSnapshot(before);
    await stand.clock.advance(60_000);
    await stand.rest();
    expect(stand.worker.status().rewinds).toBeGreaterThan(0);
    expect(stand.worker.status().units[0].replaying).toBe(false);
    expect(stand.counted).toBe(50);
    await stand.end();
  });
});
