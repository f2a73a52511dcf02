import { describe, expect, it } from 'vitest';
import { decodeCheckpoint } from '../../src/accumulators/store/checkpoint-codec.ts';
import { unitKey } from '../../src/accumulators/store/layout.ts';
import type { FlowClient } from '../../src/consumers/source/kafka/flow/placement.ts';
import type { Bounds } from '../../src/consumers/source/source-port.ts';
import { Worker } from '../../src/worker/worker.ts';
import { ManualClock } from '../manual-clock.ts';
import { RestorableStore } from '../restorable-store.ts';
import { FlowSource, rest } from './flow-source.ts';
import { quietDeps, settingsFor, TOPICS } from './settings.ts';

const CLIENT: FlowClient = { pause: () => {}, resume: () => {}, seek: () => {} };

/** A worker that reads partition 0 through the flow of Kafka's source, as the service wires them. */
class Stand {
  readonly clock = new ManualClock(1_760_000_040_000);
  readonly worker: Worker;
  readonly store: RestorableStore;
  readonly #ended: Promise<void>;
  readonly #source: FlowSource;

  constructor(onGap: 'skip' | 'stop', bounds: readonly Bounds[], store = new RestorableStore()) {
    this.store = store;
    this.#source = new FlowSource(TOPICS, bounds, ({ partition, topic, start }) =>
      this.worker.gap(partition, topic, start, onGap),
    );
    const deps = { ...quietDeps(), source: this.#source, store, clock: this.clock };
    this.worker = new Worker(settingsFor(1), deps);
    this.#ended = this.worker.run();
  }

  /** The group has joined: partition 0 is ours, again or still. */
  async join(): Promise<void> {
    this.#source.join(CLIENT, [0]);
    await rest();
  }

  /** A fetch has failed. */
  async doubt(): Promise<void> {
    this.#source.doubt();
    await rest();
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
    await rest();
    expect(stand.worker.status().rewinds).toBeGreaterThan(0);
    expect(stand.worker.status().units[0].replaying).toBe(false);
    expect(stand.counted).toBe(50);
    await stand.end();
  });
});
