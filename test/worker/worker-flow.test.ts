import { describe, expect, it, vi } from 'vitest';
import { unitKey } from '../../src/accumulators/store/layout.ts';
import { MemoryStore } from '../../src/accumulators/store/memory-store.ts';
import type { FlowClient } from '../../src/consumers/source/kafka/flow/placement.ts';
import { Unit } from '../../src/unit/unit.ts';
import { Worker } from '../../src/worker/worker.ts';
import { ManualClock } from '../manual-clock.ts';
import { FlowSource, rest } from './flow-source.ts';
import { quietDeps, settingsFor } from './settings.ts';

const TOPICS = ['a', 'b'];

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
  /** Units, in the order of their claims. */
  readonly claimed: string[] = [];
  holdClaims(): () => void {
    let go = (): void => {};
    this.#held = new Promise((resolve) => {
      go = resolve;
    });
    return go;
  }
  override async claim(unit: string, token: string) {
    this.claimed.push(unit);
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
  readonly #source = new FlowSource(TOPICS, [
    { start: 0, end: 100 },
    { start: 0, end: 0 },
  ]);

  constructor(partitions = 2) {
    const deps = { ...quietDeps(), source: this.#source, store: this.store, clock: this.clock };
    this.worker = new Worker({ ...settingsFor(partitions), topics: TOPICS }, deps);
    this.#ended = this.worker.run();
  }

  join(partitions: number[]): void {
    this.#source.join(this.client, partitions);
  }

  /** Partitions that the worker owns. */
  get owned(): readonly number[] {
    return this.worker.status().units.map(({ partition }) => partition);
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

describe('a worker that joins again while it claims', () => {
  const ALL = Array.from({ length: 40 }, (_, partition) => partition);
  const HALF = ALL.filter((partition) => partition % 2 === 1);

  async function claiming(): Promise<{ bench: Bench; go: () => void; before: number }> {
    const bench = new Bench(ALL.length);
    const go = bench.store.holdClaims();
    bench.join(ALL);
    await rest();
    const before = bench.store.claimed.length;
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThan(HALF.length);
    return { bench, go, before };
  }

  /** What it has claimed since, of what it was not given. */
  function strayClaims({ store }: Bench, before: number): readonly string[] {
    const given = HALF.map((partition) => unitKey('test', partition));
    return store.claimed.slice(before).filter((unit) => !given.includes(unit));
  }

  it('claims nothing more of what it is no longer given, and all that it is', async () => {
    const { bench, go, before } = await claiming();
    const released = vi.spyOn(Unit.prototype, 'release');
    bench.join(HALF);
    go();
    await rest();
    // The memory of those that were under way and are not wanted any more is given back: of every other one.
    expect(released).toHaveBeenCalledTimes(before / 2);
    released.mockRestore();
    expect(strayClaims(bench, before)).toEqual([]);
    expect(bench.owned).toEqual(HALF);
    await bench.stop();
  });
});
