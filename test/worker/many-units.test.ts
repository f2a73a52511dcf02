import { describe, expect, it } from 'vitest';
import { makeWorkload } from '../../bench/workload.ts';
import { type Commit, type CommitAnswer, StoreUnavailable } from '../../src/accumulators/store/store-port.ts';
import { type AdminClient, Brokers } from '../../src/consumers/source/kafka/flow/brokers.ts';
import { MemoryLog, MemorySource } from '../../src/consumers/source/memory-source.ts';
import type { Bounds } from '../../src/consumers/source/source-port.ts';
import type { Ending } from '../../src/vocabulary/clock.ts';
import { BUSY_RECORDS, turnsOf } from '../../src/worker/owned.ts';
import { Worker } from '../../src/worker/worker.ts';
import type { WorkerDeps, WorkerSettings } from '../../src/worker/worker-contract.ts';
import { ManualClock, settle } from '../manual-clock.ts';
import { RestorableStore } from '../restorable-store.ts';
import { warningsOf } from '../warnings.ts';
import { quietDeps, settingsFor, TOPICS } from './settings.ts';

const START = 1_760_000_040_000;
/** Tells how many turns were taken. */
class TurningClock extends ManualClock {
  turns = 0;
  override sleep(duration: number, ending?: Ending): Promise<void> {
    if (duration === 0) this.turns++;
    return super.sleep(duration, ending);
  }
}

const AWAY = new StoreUnavailable('TIMEOUT', 'not now', { retriable: true, outcome: 'unknown' });

/** Tells what was asked of it, and when. */
class WatchedStore extends RestorableStore {
  readonly #clock: TurningClock;
  readonly commits: { readonly turn: string; readonly unit: string; readonly rows: number }[] = [];
  claiming = 0;
  mostClaiming = 0;
  /** The unit whose commits are never answered. */
  silent: string | undefined;
  /** The unit whose commits are refused for now. */
  refuses: string | undefined;

  constructor(clock: TurningClock) {
    super();
    this.#clock = clock;
  }

  /** It answers nobody. */
  isAway = false;

  override async claim(unit: string, token: string) {
    if (this.isAway) throw AWAY;
    this.mostClaiming = Math.max(this.mostClaiming, ++this.claiming);
    await settle();
    this.claiming--;
    return super.claim(unit, token);
  }

  override commit(commit: Commit): Promise<CommitAnswer> {
    const { unit } = commit;
    const rows = [...commit.rows.values()].reduce((sum, fields) => sum + fields.size, 0);
    this.commits.push({ turn: `${this.#clock.now()} ${this.#clock.turns}`, unit, rows });
    if (unit === this.refuses) return Promise.reject(AWAY);
    return unit === this.silent ? new Promise(() => {}) : super.commit(commit);
  }
}

/** Learns the ends of its logs as the source for Kafka does. */
class BrokersSource extends MemorySource {
  readonly #brokers: Brokers;
  constructor(log: MemoryLog, brokers: Brokers) {
    super(log);
    this.#brokers = brokers;
  }
  override bounds(partition: number, topic: number): Promise<Bounds> {
    return this.#brokers.bounds(partition, topic);
  }
}

class Many {
  readonly clock = new TurningClock(START);
  readonly store = new WatchedStore(this.clock);
  readonly log: MemoryLog;
  /** Names of topics whose ends the brokers were asked for. */
  readonly asked: string[] = [];
  readonly partitions: number;
  readonly #quiet = quietDeps();

  constructor(partitions: number) {
    this.partitions = partitions;
    this.log = new MemoryLog(TOPICS.length, partitions);
  }

  fill(impressions: number): void {
    for (const { topic, at, value, requestId } of makeWorkload(impressions, 1)) {
      this.log.append(topic, Number.parseInt(requestId.slice(0, 4), 16) % this.partitions, value, Math.floor(at));
    }
  }

  start(settings: Partial<WorkerSettings> = {}): { readonly worker: Worker; readonly end: () => Promise<void> } {
    const deps: WorkerDeps = {
      ...this.#quiet,
      source: new BrokersSource(this.log, new Brokers(() => this.#admin(), TOPICS)),
      store: this.store,
      clock: this.clock,
    };
    const worker = new Worker({ ...settingsFor(this.partitions), ...settings }, deps);
    const ended = worker.run();
    return {
      worker,
      end: async () => {
        await worker.stop();
        await ended;
      },
    };
  }

  #admin(): AdminClient {
    const offsets = (name: string) =>
      Array.from({ length: this.partitions }, (_, partition) => {
        const { start, end } = this.log.bounds(partition, TOPICS.indexOf(name));
        return { partition, offset: String(end), low: String(start), high: String(end) };
      });
    return {
      connect: async () => {},
      disconnect: async () => {},
      fetchTopicOffsets: async (name) => {
        this.asked.push(name);
        await settle();
        return offsets(name);
      },
      fetchStableOffsets: async (name) => offsets(name),
      fetchTopicOffsetsByTimestamp: async () => [],
      fetchTopicMetadata: async () => ({ topics: [] }),
      fetchOffsets: async () => [],
      mayRead: async () => true,
      mayJoin: async () => true,
    };
  }
}

describe('a worker of many units', () => {
  it.each([1, 24])('asks for the ends of each topic once in a round, with %d partitions', async (partitions) => {
    const many = new Many(partitions);
    many.fill(partitions);
    const { worker, end } = many.start();
    await many.clock.advance(1000);
    expect([[], TOPICS]).toContainEqual(many.asked);
    await many.clock.advance(4 * 7500);
    expect(many.asked).toEqual([TOPICS, TOPICS, TOPICS, TOPICS, TOPICS].flat());
    expect(worker.status().units.map(({ lag }) => lag)).toEqual(Array.from({ length: partitions }, () => [0, 0]));
    await end();
  });

  it('prepares the commits of no two units in one turn, and takes no turn for those with nothing to store', async () => {
    const many = new Many(12);
    const { end } = many.start();
    await many.clock.advance(2500);
    // A unit that was just claimed stores where it begins.
    expect(new Set(many.store.commits.map(({ turn }) => turn)).size).toBe(12);
    expect(many.store.commits).toHaveLength(12);
    const { turns } = many.clock;
    await many.clock.advance(3000);
    expect(many.clock.turns).toBe(turns);
    many.fill(200);
    await many.clock.advance(1000);
    const { commits } = many.store;
    expect(commits).toHaveLength(24);
    expect(new Set(commits.map(({ turn }) => turn)).size).toBe(24);
    expect(new Set(commits.map(({ unit }) => unit)).size).toBe(12);
    await end();
  });

  it('lets silence pass in no two units that have something to close in one turn', async () => {
    const many = new Many(6);
    many.fill(60);
    const { worker, end } = many.start();
    await many.clock.advance(20_000);
    const closed = (): readonly number[] => worker.status().units.map(({ closedByIdle }) => closedByIdle);
    expect(closed()).toEqual([0, 0, 0, 0, 0, 0]);
    const { turns } = many.clock;
    await many.clock.advance(2 * 3_600_000);
    expect(Math.min(...closed())).toBeGreaterThan(0);
    expect(many.clock.turns - turns).toBeGreaterThanOrEqual(6);
    await end();
  });

  it('stores what the others have while the store owes one of them an answer', async () => {
    const many = new Many(3);
    const { worker } = many.start();
    many.store.silent = 'receval:{test:1}:unit';
    await many.clock.advance(1500);
    many.fill(300);
    await many.clock.advance(2000);
    expect(worker.status().units.map(({ counts }) => counts[0].impressions.read > 0)).toEqual([true, false, true]);
    expect(many.store.commits.filter(({ unit }) => unit === many.store.silent)).toHaveLength(1);
  });

  it('claims several at a time, and never more than eight', async () => {
    const many = new Many(20);
    const { worker, end } = many.start();
    for (let i = 0; i < 40; i++) await settle();
    expect(worker.status().units.map(({ partition }) => partition)).toEqual([...Array(20).keys()]);
    expect(many.store.mostClaiming).toBe(8);
    await end();
  });

  it('waits for all of its units at once when others have taken them, or the store is away, without a warning', async () => {
    const many = new Many(20);
    const warnings = await warningsOf(async () => {
      const { worker, end } = many.start();
      await many.clock.advance(2500);
      for (let partition = 0; partition < 20; partition++) {
        await many.store.claim(`receval:{test:${partition}}:unit`, 'another');
      }
      many.fill(400);
      await many.clock.advance(2000);
      expect(worker.status().units).toEqual([]);
      many.store.isAway = true;
      await many.clock.advance(90_000);
      many.store.isAway = false;
      await many.clock.advance(90_000);
      expect(worker.status().units).toHaveLength(20);
      await end();
    });
    expect(warnings).toEqual([]);
  });

  it('lets units with little to store take turns, those that waited longest first', async () => {
    const many = new Many(12);
    const { end } = many.start({ commitsPerSecond: 4 });
    const tick = async (): Promise<readonly string[]> => {
      many.fill(60);
      const before = many.store.commits.length;
      await many.clock.advance(1000);
      return many.store.commits.slice(before).map(({ unit }) => unit);
    };
    await many.clock.advance(500);
    const ticks = [await tick(), await tick(), await tick(), await tick(), await tick(), await tick()];
    expect(ticks.map((units) => units.length)).toEqual([4, 4, 4, 4, 4, 4]);
    expect(new Set(ticks.slice(0, 3).flat()).size).toBe(12);
    expect(ticks.slice(3)).toEqual(ticks.slice(0, 3));
    const before = many.store.commits.length;
    await end();
    // Those that committed last have read nothing since.
    expect(many.store.commits.length - before).toBeGreaterThanOrEqual(8);
  });

  it.each([
    [BUSY_RECORDS - 1, 1],
    [BUSY_RECORDS, 2],
    [BUSY_RECORDS + 1, 2],
  ])(
    'commits a unit that has read %d records beside the one whose turn it is: %d commits',
    async (records, commits) => {
      const many = new Many(3);
      const { end } = many.start({ commitsPerSecond: 1 });
      await many.clock.advance(3500);
      const before = many.store.commits.length;
      for (const partition of [0, 1]) many.log.append(0, partition, null, START);
      for (let i = 0; i < records; i++) many.log.append(1, 2, null, START);
      await many.clock.advance(1000);
      const units = many.store.commits.slice(before).map(({ unit }) => unit);
      expect(units).toEqual(['receval:{test:0}:unit', 'receval:{test:2}:unit'].slice(0, commits));
      await end();
    },
  );

  it.each([
    { units: 4, perSecond: 32, interval: 1000, turns: 32 },
    { units: 256, perSecond: 32, interval: 1000, turns: 32 },
    { units: 320, perSecond: 32, interval: 1000, turns: 32 },
    { units: 321, perSecond: 32, interval: 1000, turns: 33 },
    { units: 256, perSecond: 32, interval: 250, turns: 8 },
    { units: 2, perSecond: 1, interval: 100, turns: 1 },
    { units: 256, perSecond: 1, interval: 10_000, turns: 256 },
    { units: 256, perSecond: 1, interval: 60_000, turns: 1536 },
    { units: 256, perSecond: undefined, interval: 1000, turns: 256 },
  ])(
    '$units units at $perSecond a second, every $interval ms: $turns turns',
    ({ units, perSecond, interval, turns }) => {
      expect(turnsOf(units, { commitInterval: interval, commitsPerSecond: perSecond })).toBe(turns);
    },
  );

  it('sends a commit without an answer again whosever turn it is', async () => {
    const many = new Many(4);
    const { end } = many.start({ commitsPerSecond: 1 });
    await many.clock.advance(4500);
    many.store.refuses = 'receval:{test:3}:unit';
    for (let round = 0; round < 4; round++) {
      for (let partition = 0; partition < 4; partition++) many.log.append(0, partition, null, START);
      await many.clock.advance(1000);
    }
    const before = many.store.commits.length;
    for (let partition = 0; partition < 4; partition++) many.log.append(0, partition, null, START);
    await many.clock.advance(1000);
    const units = many.store.commits.slice(before).map(({ unit }) => unit);
    expect(units).toHaveLength(2);
    expect(units).toContain('receval:{test:3}:unit');
    many.store.refuses = undefined;
    await end();
  });

  it('stores what a catch-up changes in commits that are bounded, and the same in the end', async () => {
    const ends = [];
    const largest = [];
    for (const commitBytes of [Number.POSITIVE_INFINITY, 20_000]) {
      const many = new Many(1);
      await many.clock.advance(3 * 3_600_000);
      many.fill(6000);
      const { end } = many.start({ commitBytes });
      await many.clock.advance(2000);
      await end();
      largest.push(Math.max(...many.store.commits.map(({ rows }) => rows)));
      const guards = new Set(['token', 'seq', 'cid']);
      ends.push(
        new Map(
          [...many.store.snapshot()].map(([key, fields]) => [
            key,
            new Map([...fields].filter(([field]) => !guards.has(field)).sort()),
          ]),
        ),
      );
    }
    expect(largest[0]).toBeGreaterThan(1000);
    expect(largest[1]).toBeLessThan(300);
    expect(ends[1]).toEqual(ends[0]);
  });
});
