import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { decoders } from '../../bench/stages.ts';
import { makeWorkload } from '../../bench/workload.ts';
import {
  type Commit,
  type CommitAnswer,
  type Store,
  StoreUnavailable,
} from '../../src/accumulators/store/store-port.ts';
import { MemoryLog, MemorySource } from '../../src/consumers/source/memory-source.ts';
import { type Bounds, LogUnavailable, type SourceHandler } from '../../src/consumers/source/source-port.ts';
import { Worker } from '../../src/worker/worker.ts';
import type { WorkerSettings } from '../../src/worker/worker-contract.ts';
import { ManualClock, settle } from '../manual-clock.ts';
import { RestorableStore, type StoreSnapshot } from '../restorable-store.ts';
import { SCORER, settingsFor } from './settings.ts';

const START = 1_760_000_040_000;
const SETTINGS = settingsFor(2);

class FailingStore implements Store {
  readonly inner: RestorableStore;
  failing = false;
  code = 'TIMEOUT';
  /** Why it may be read, but nothing else: what no other try fixes. */
  refusal: Error | undefined;
  commits = 0;
  claims = 0;
  constructor(inner = new RestorableStore()) {
    this.inner = inner;
  }
  #check(): void {
    if (this.failing)
      throw new StoreUnavailable(this.code, 'the store is away', { retriable: true, outcome: 'unknown' });
  }
  #mayChange(): void {
    this.#check();
    if (this.refusal !== undefined) throw this.refusal;
  }
  #held: Promise<void> = Promise.resolve();
  /** Claims are answered only after `go`. */
  holdClaims(): { readonly go: () => void } {
    let go = (): void => {};
    this.#held = new Promise((resolve) => {
      go = resolve;
    });
    return { go: () => go() };
  }
  async claim(unit: string, token: string) {
    this.#mayChange();
    await this.#held;
    this.claims++;
    return this.inner.claim(unit, token);
  }
  async read(keys: readonly string[]) {
    this.#check();
    return this.inner.read(keys);
  }
  async commit(commit: Commit): Promise<CommitAnswer> {
    this.commits++;
    this.#mayChange();
    return this.inner.commit(commit);
  }
}

/** A store on a long line: what it is asked takes a while to arrive, or the answer does. */
class SlowStore extends FailingStore {
  readonly #clock: ManualClock;
  /** Called before a claim is answered. */
  onClaim = (): void => {};
  constructor(clock: ManualClock) {
    super();
    this.#clock = clock;
  }
  override async claim(unit: string, token: string) {
    const claimed = await super.claim(unit, token);
    await this.#clock.sleep(2000);
    this.onClaim();
    return claimed;
  }
  override async read(keys: readonly string[]) {
    await this.#clock.sleep(1000);
    return super.read(keys);
  }
}

/** Waits for nobody whom it calls, as a wall clock does. */
class BusyClock extends ManualClock {
  override every(interval: number, call: () => void | Promise<void>): () => void {
    let isRunning = false;
    return super.every(interval, () => {
      if (isRunning) return;
      isRunning = true;
      void Promise.resolve(call()).finally(() => {
        isRunning = false;
      });
    });
  }
}

let ids = 0;
/** Tells its handler of assignments when the test says so, as a consumer group does. */
class GroupSource extends MemorySource {
  #handler: SourceHandler | undefined;
  /** Topic, offset, and what the log has held. */
  readonly sought: (readonly number[])[] = [];
  override seek(partition: number, topic: number, offset: number, heldUpTo = offset): void {
    this.sought.push([topic, offset, heldUpTo]);
    super.seek(partition, topic, offset);
  }
  override run(handler: SourceHandler): Promise<void> {
    this.#handler = handler;
    return super.run(handler);
  }
  /** A fetch failed: the log may be another one. */
  doubt(): void {
    this.#handler?.doubted?.([0]);
  }
  assign(partitions: readonly number[]): Promise<void> {
    return this.#handler?.assigned(partitions) ?? Promise.resolve();
  }
  /** By topic: records at the end of the log that are in transactions. */
  readonly inTransactions = [0, 0];
  override async bounds(partition: number, topic: number): Promise<Bounds> {
    const { start, end } = await super.bounds(partition, topic);
    const more = this.inTransactions[topic];
    return more === 0 ? { start, end } : { start, end: end + more, openFrom: end };
  }
}

class Bench {
  readonly log: MemoryLog;
  readonly clock: ManualClock;
  readonly store: FailingStore;
  /** Of units of which nothing is stored. */
  startAt: number | 'state_lost' | Error = 0;
  random = 0;
  readonly warnings: string[] = [];
  readonly infos: string[] = [];
  readonly details: object[] = [];
  /** What each unit decodes with: gone when the unit is. */
  readonly decoders: WeakRef<object>[] = [];
  /** Whether the store reports its time; undefined: nobody asks for it. */
  compareClock: (() => Promise<boolean>) | undefined;
  constructor(partitions = 2, store = new FailingStore(), clock = new ManualClock(START)) {
    this.log = new MemoryLog(2, partitions);
    this.store = store;
    this.clock = clock;
  }
  worker(settings: Partial<WorkerSettings> = {}): { worker: Worker; source: GroupSource; ended: Promise<void> } {
    const source = new GroupSource(this.log);
    const worker = new Worker(
      { ...SETTINGS, ...settings },
      {
        source,
        store: this.store,
        decoders: () => {
          const made = decoders();
          this.decoders.push(new WeakRef(made));
          return made;
        },
        scorer: SCORER,
        clock: this.clock,
        compareClock: this.compareClock,
        newId: () => `id${ids++}`,
        random: () => this.random,
        onClaim: () => {},
        startOffset: async () => {
          if (this.startAt instanceof Error) throw this.startAt;
          return this.startAt;
        },
        log: {
          info: (_, message) => {
            this.infos.push(message);
          },
          warn: (details, message) => {
            this.warnings.push(message);
            this.details.push(details);
          },
        },
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

  it('warns of commits without an outcome at once, once a minute and of each other cause, and says when they are over', async () => {
    const bench = new Bench(2);
    await bench.clock.advance(3_600_000);
    bench.fill(50, 1);
    const { worker, ended } = bench.worker();
    await settle();
    bench.store.failing = true;
    await bench.clock.advance(50_000);
    expect(worker.status().commits.unknown).toBeGreaterThan(90);
    const warning = 'the store did not confirm a commit; it is sent again until it does';
    expect(bench.warnings).toEqual([warning]);
    await bench.clock.advance(20_000);
    expect(bench.warnings).toEqual([warning, warning]);
    bench.store.code = 'OOM';
    await bench.clock.advance(10_000);
    expect(bench.warnings).toEqual([warning, warning, warning]);
    expect(bench.infos).not.toContain('the store confirms commits again');
    bench.store.failing = false;
    await bench.clock.advance(2000);
    expect(bench.infos.filter((message) => message === 'the store confirms commits again')).toHaveLength(1);
    await worker.stop();
    await ended;
  });

  it('stops a unit whose state was lost, and says what to do', async () => {
    const bench = new Bench(1);
    bench.startAt = 'state_lost';
    bench.fill(10, 1);
    const { worker, ended } = bench.worker();
    await settle();
    expect(worker.unready).toEqual([]);
    expect(worker.stopped).toEqual([{ partition: 0, cause: 'state_lost' }]);
    expect(bench.warnings).toEqual(['unit stopped']);
    const [{ advice }] = bench.details.map((details): { advice?: unknown } => details);
    for (const words of ['was read before', 'restore', '--rebuild', 'receval doctor', 'redis reload']) {
      expect(advice).toEqual(expect.stringContaining(words));
    }
    await bench.clock.advance(5000);
    expect(worker.status().commits).toMatchObject({ ok: 0 });
    await worker.stop();
    await ended;
  });

  it('stops only the unit whose rows are damaged, names the key, and leaves what is stored as it is', async () => {
    const bench = new Bench(2);
    await bench.clock.advance(3_600_000);
    bench.fill(4000, 10);
    const first = bench.worker();
    await bench.clock.advance(1000);
    await first.worker.stop();
    await first.ended;
    const stored = bench.store.inner.snapshot();
    const key =
      [...stored.keys()]
        .filter((one) => one.startsWith('receval:{test:1}:1:pane:m:'))
        .sort()
        .at(-1) ?? '';
    const altered = [...(stored.get(key) ?? [])].map(
      ([field, text]) => [field, text.replace(/"impressions":\d+/, '"impressions":-3')] as const,
    );
    bench.store.inner.restoreSnapshot(new Map([...stored, [key, new Map(altered)]]));

    const { worker, source, ended } = bench.worker();
    await settle();
    expect(worker.stopped).toEqual([{ partition: 1, cause: 'damaged' }]);
    expect(worker.unready).toEqual([]);
    expect(bench.details.at(-1)).toMatchObject({
      partition: 1,
      cause: 'damaged',
      error: expect.stringContaining(`of ${key} is damaged: row.impressions: -3`),
      advice: expect.stringContaining('--rebuild'),
    });
    const { units } = worker.status();
    expect(units.map(({ partition, stopped }) => [partition, stopped])).toEqual([
      [0, undefined],
      [1, 'damaged'],
    ]);
    const before = bench.store.inner.snapshot().get(key);
    bench.fill(100, 10);
    await bench.clock.advance(60_000);
    expect(sum(worker, 'read')).toBeGreaterThan(1900);
    expect(bench.store.inner.snapshot().get(key)).toEqual(before);
    // Nobody claims it as long as it stays here; elsewhere, it is claimed again when it comes back.
    const warned = bench.warnings.length;
    await source.assign([0, 1]);
    await bench.clock.advance(1000);
    expect(bench.warnings).toHaveLength(warned);
    await source.assign([0]);
    expect(worker.stopped).toEqual([]);
    await source.assign([0, 1]);
    await bench.clock.advance(1000);
    expect(worker.stopped).toEqual([{ partition: 1, cause: 'damaged' }]);
    await worker.stop();
    await ended;
  });

  it.each(['WRONGTYPE', 'BADSTATE'])(
    'stops only the unit whose commit is refused with %s, and sends it no more',
    async (code) => {
      const bench = new Bench(2);
      await bench.clock.advance(3_600_000);
      bench.fill(100, 1);
      const { worker, ended } = bench.worker();
      await bench.clock.advance(1000);
      expect(worker.status().commits.ok).toBe(2);
      const refusal = new StoreUnavailable(code, `Redis could not commit: ${code} (receval:x holds a string)`, {
        retriable: false,
        outcome: 'refused',
      });
      bench.store.refusal = refusal;
      bench.log.append(0, 0, null, START);
      await bench.clock.advance(1000);
      bench.store.refusal = undefined;
      expect(worker.stopped).toEqual([{ partition: 0, cause: 'damaged' }]);
      expect(bench.details.at(-1)).toMatchObject({
        partition: 0,
        error: expect.stringContaining('receval:x holds a string'),
      });
      const { commits } = bench.store;
      bench.log.append(0, 1, null, START);
      await bench.clock.advance(10_000);
      expect(bench.store.commits).toBe(commits + 1);
      expect(worker.status().commits.ok).toBe(3);
      await worker.stop();
      await ended;
      expect(bench.store.commits).toBe(commits + 1);
    },
  );

  it('counts the keys of rows that were gone when it claimed a unit, and goes on', async () => {
    const bench = new Bench(1);
    await bench.clock.advance(3_600_000);
    bench.fill(2000, 10);
    const first = bench.worker();
    await bench.clock.advance(1000);
    await first.worker.stop();
    await first.ended;
    const stored = bench.store.inner.snapshot();
    const [, gone] = [...stored.keys()]
      .filter((one) => one.includes(':pane:m:'))
      .sort()
      .reverse();
    bench.store.inner.restoreSnapshot(new Map([...stored].filter(([key]) => key !== gone)));
    const { worker, ended } = bench.worker();
    await settle();
    expect(worker.status().lostKeys).toBe(1);
    expect(bench.warnings).toEqual(['rows of the unit are gone from Redis']);
    expect(bench.details.at(-1)).toMatchObject({
      partition: 0,
      keys: [gone],
      advice: expect.stringContaining('--rebuild'),
    });
    expect(worker.stopped).toEqual([]);
    await worker.stop();
    await ended;
  });

  it('is ready when all that it has begun is stored: ended before, the next one would begin again', async () => {
    const bench = new Bench(2);
    bench.fill(10, 1);
    const { worker, ended } = bench.worker();
    await settle();
    expect(worker.status().units.map(({ partition }) => partition)).toEqual([0, 1]);
    expect(worker.unready).toEqual(['partition 0 is not stored yet', 'partition 1 is not stored yet']);
    bench.store.failing = true;
    await bench.clock.advance(3000);
    expect(worker.unready).toHaveLength(2);
    bench.store.failing = false;
    await bench.clock.advance(1000);
    expect(worker.status().commits.ok).toBe(2);
    expect(worker.unready).toEqual([]);
    await worker.stop();
    await ended;
  });

  it('is not ready while a partition that is assigned to it waits for its claim', async () => {
    const bench = new Bench();
    await bench.clock.advance(3_600_000);
    const { worker, source, ended } = bench.worker();
    await settle();
    await source.assign([0]);
    await bench.clock.advance(1000);
    expect(worker.unready).toEqual([]);
    const claiming = bench.store.holdClaims();
    const assigned = source.assign([0, 1]);
    await bench.clock.advance(5000);
    expect(worker.unready).toEqual(['partition 1 is not claimed yet']);
    claiming.go();
    await assigned;
    await bench.clock.advance(1000);
    expect(worker.unready).toEqual([]);
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

  const UNIT = 'receval:{test:0}:unit';
  const tokenOf = async (bench: Bench) => (await bench.store.inner.read([UNIT]))[0].get('token');

  /** A worker whose unit somebody else has just taken over. */
  async function fenced(): Promise<Bench & { readonly running: ReturnType<Bench['worker']> }> {
    const bench = new Bench(1);
    await bench.clock.advance(3_600_000);
    bench.fill(40, 1);
    const running = bench.worker();
    await bench.clock.advance(1000);
    await bench.store.claim(UNIT, 'another');
    bench.log.append(0, 0, null, START);
    await bench.clock.advance(1000);
    expect(running.worker.status().commits.fenced).toBe(1);
    return Object.assign(bench, { running });
  }

  /** What an owner that lives does. */
  async function commitAs(bench: Bench, token: string): Promise<void> {
    const { seq, cid, checkpoint } = await bench.store.inner.claim(UNIT, token);
    const commit = { unit: UNIT, token, seq: seq + 1, cid: `${token}-${seq}`, parent: cid };
    const state = { checkpoint: checkpoint ?? new Map(), rows: new Map(), deletes: [] };
    expect(await bench.store.inner.commit({ ...commit, ...state })).toBe('OK');
  }

  it('waits as long as the one who took a unit from it commits, and a session longer', async () => {
    const bench = await fenced();
    for (let i = 0; i < 4; i++) {
      await bench.clock.advance(20_000);
      await commitAs(bench, 'another');
    }
    await bench.clock.advance(30_000);
    expect(await tokenOf(bench)).toBe('another');
    expect(bench.running.worker.status().units).toEqual([]);
    const [reason] = bench.running.worker.unready;
    expect(reason).toMatch(/^partition 0 was claimed by another worker.* namespace and a kafka\.groupId of its own$/);
    expect(bench.warnings).toEqual(['another worker has claimed the unit']);
    await bench.clock.advance(31_000);
    expect(await tokenOf(bench)).not.toBe('another');
    expect(bench.running.worker.status().units).toHaveLength(1);
    expect(bench.running.worker.unready).toEqual([]);
    await bench.running.worker.stop();
    await bench.running.ended;
  });

  it.each([
    ['at once', 1000],
    ['when the wait for another claim is over', 50_000],
  ])('gives back the memory of a unit that was taken from it and is no longer assigned to it: %s', async (_, wait) => {
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    const bench = await fenced();
    const { worker, source, ended } = bench.running;
    expect(bench.decoders).toHaveLength(1);
    await source.assign([]);
    await bench.clock.advance(wait);
    await new Promise((resolve) => setTimeout(resolve, 0));
    collect();
    expect(bench.decoders[0].deref()).toBeUndefined();
    await worker.stop();
    await ended;
  });

  it('waits again when yet another has claimed a unit that was taken from it', async () => {
    const bench = await fenced();
    await bench.clock.advance(20_000);
    await bench.store.claim(UNIT, 'a third');
    await bench.clock.advance(38_000);
    expect(await tokenOf(bench)).toBe('a third');
    await bench.clock.advance(3000);
    expect(await tokenOf(bench)).not.toBe('a third');
    await bench.running.worker.stop();
    await bench.running.ended;
  });

  it('waits by up to a quarter longer, as chance wants it', async () => {
    const bench = await fenced();
    // The first wait has begun; the second one is longer.
    bench.random = 0.96;
    await bench.clock.advance(10_000);
    await commitAs(bench, 'another');
    await bench.clock.advance(20_000 + 36_000 - 1000);
    expect(await tokenOf(bench)).toBe('another');
    await bench.clock.advance(2500);
    expect(await tokenOf(bench)).not.toBe('another');
    await bench.running.worker.stop();
    await bench.running.ended;
  });

  it('does not take a store that does not answer for silence', async () => {
    const bench = await fenced();
    bench.store.failing = true;
    await bench.clock.advance(90_000);
    await commitAs(bench, 'another');
    bench.store.failing = false;
    await bench.clock.advance(29_000);
    expect(await tokenOf(bench)).toBe('another');
    await bench.clock.advance(61_000);
    expect(await tokenOf(bench)).not.toBe('another');
    await bench.running.worker.stop();
    await bench.running.ended;
  });

  it('lets go of a unit that is stopped when another has taken it', async () => {
    const bench = new Bench(1);
    await bench.clock.advance(3_600_000);
    bench.fill(40, 1);
    const { worker, source, ended } = bench.worker();
    await bench.clock.advance(1000);
    worker.stopUnit(0, 'codec');
    await bench.clock.advance(60_000);
    expect(worker.status().units[0].stopped).toBe('codec');
    await bench.store.claim(UNIT, 'another');
    await source.assign([0]);
    await bench.clock.advance(31_000);
    expect(worker.status().units).toEqual([]);
    expect(worker.unready).toEqual([expect.stringMatching(/^partition 0 was claimed by another worker/)]);
    expect(await tokenOf(bench)).toBe('another');
    // The other is silent, and the unit is still ours: it starts again, where the cause may be gone.
    bench.log.append(0, 0, null, START);
    await bench.clock.advance(33_000);
    expect(worker.status().units[0].stopped).toBeUndefined();
    expect(worker.status().units[0].counts[0].impressions.drops.tombstone).toBe(1);
    await worker.stop();
    await ended;
  });

  it('stops every unit that comes when all must stop', async () => {
    const bench = new Bench(2);
    const { worker, source, ended } = bench.worker();
    await settle();
    await source.assign([0]);
    worker.stopAllUnits('partitions', { advice: 'create it again' });
    await source.assign([0, 1]);
    expect(worker.status().units.map(({ stopped }) => stopped)).toEqual(['partitions', 'partitions']);
    expect(bench.details.filter((_, i) => bench.warnings[i] === 'unit stopped')).toEqual(
      [0, 1].map((partition) => ({ partition, cause: 'partitions', advice: 'create it again' })),
    );
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
    // Where it begins, and what came.
    expect(worker.status().commits).toMatchObject({ ok: 2, fenced: 0 });
    await worker.stop();
    await ended;
  });

  it('rejects with what no other try mends, also where nobody waits for it', async () => {
    for (const taken of [false, true]) {
      const bench = new Bench(1);
      await bench.clock.advance(3_600_000);
      bench.fill(40, 1);
      const { worker, ended } = bench.worker();
      const refused = expect(ended).rejects.toThrow('no right to do that');
      await bench.clock.advance(1000);
      if (taken) {
        // It is fenced, and claims the unit again when the other has been silent.
        await bench.store.claim('receval:{test:0}:unit', 'somebody else');
        bench.log.append(0, 0, null, START);
        await bench.clock.advance(1000);
        expect(worker.status().commits.fenced).toBe(1);
      }
      bench.store.refusal = new Error('no right to do that');
      bench.log.append(0, 0, null, START);
      await bench.clock.advance(40_000);
      await refused;
      await worker.stop();
    }
  });

  it('does not keep a unit that was taken away while it was claimed', async () => {
    const bench = new Bench(1);
    await bench.clock.advance(3_600_000);
    bench.fill(40, 1);
    const { worker, source, ended } = bench.worker();
    await bench.clock.advance(1000);
    const claiming = bench.store.holdClaims();
    // The store went back: the worker claims its unit again at once.
    bench.store.inner.restoreSnapshot(new Map());
    bench.log.append(0, 0, null, START);
    await bench.clock.advance(1000);
    expect(worker.status().commits.conflict).toBe(1);
    await source.assign([]);
    claiming.go();
    await bench.clock.advance(5000);
    expect(worker.status().units).toEqual([]);
    expect(worker.unready).toEqual([]);
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

  it.each([true, false])(
    'a clock that stood still while the machine slept is compared before it calls a record future, also if Redis tells the time: %s',
    async (tellsTime) => {
      const bench = new Bench(1);
      await bench.clock.advance(3_600_000);
      let asked = 0;
      bench.compareClock = async () => {
        asked++;
        if (tellsTime) worker.clockIs(-600_000);
        return tellsTime;
      };
      const { worker, ended } = bench.worker();
      await settle();
      const show = (requestId: string, at: number): void => {
        bench.log.append(0, 0, Buffer.from(JSON.stringify({ requestId, ts: at, items: ['a'] })), at);
      };
      const found = (): readonly number[] => {
        const { read, drops } = worker.status().units[0].counts[0].impressions;
        return [asked, read, drops.future];
      };
      show('written meanwhile', bench.clock.now() + 600_000);
      await bench.clock.advance(5000);
      expect(found()).toEqual([1, 0, 0]);
      // It was set, and is compared again.
      await bench.clock.advance(600_000);
      worker.clockIs(0);
      await bench.clock.advance(5000);
      expect(found()).toEqual([1, 1, 0]);
      await worker.stop();
      await ended;
    },
  );

  it('asks for the time at most once a second, whatever records are of the future', async () => {
    const bench = new Bench(1);
    await bench.clock.advance(3_600_000);
    let asked = 0;
    bench.compareClock = async () => {
      asked++;
      worker.clockIs(0);
      return true;
    };
    const { worker, ended } = bench.worker();
    for (let n = 0; n < 40; n++) {
      const at = bench.clock.now() + 3_600_000;
      bench.log.append(0, 0, Buffer.from(JSON.stringify({ requestId: `r${n}`, ts: at, items: ['a'] })), at);
      await bench.clock.advance(100);
    }
    await bench.clock.advance(2000);
    expect(worker.status().units[0].counts[0].impressions).toMatchObject({ read: 40, drops: { future: 40 } });
    expect(asked).toBe(4);
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

  // What was asked minutes ago counts records as waiting that were read since: the watchdog would end a worker that is idle.
  it('knows how far it has read every ten seconds, however long idleAfter is', async () => {
    const bench = new Bench(1);
    bench.fill(20, 1);
    const { worker, ended } = bench.worker({ idleAfter: 3_600_000 });
    await bench.clock.advance(10_000);
    expect(worker.status().units[0]).toMatchObject({ lag: [0, 0], waiting: 0 });
    await worker.stop();
    await ended;
  });

  it('lets no time pass in a topic with an open transaction, reports what waits in it, and goes on when it has ended', async () => {
    const bench = new Bench(1);
    bench.fill(20, 1);
    const { worker, source, ended } = bench.worker();
    source.inTransactions[1] = 3;
    await bench.clock.advance(2 * 3_600_000);
    const { lag, inTransactions, waiting, topicWatermarks, ...unit } = worker.status().units[0];
    expect({ lag, inTransactions, waiting }).toEqual({ lag: [0, 3], inTransactions: [0, 3], waiting: 0 });
    expect(unit).toMatchObject({ openImpressions: 20, closedByIdle: 0 });
    // Time passes in the other one, until it leads too far.
    expect(topicWatermarks[0] - topicWatermarks[1]).toBeGreaterThan(SETTINGS.maxSkew);
    // It was aborted: nothing comes of it.
    source.inTransactions[1] = 0;
    await bench.clock.advance(60_000);
    expect(worker.status().units[0]).toMatchObject({
      openImpressions: 0,
      closedByIdle: 20,
      lag: [0, 0],
      inTransactions: [0, 0],
    });
    await worker.stop();
    await ended;
  });

  it('does not wait in a replay for a transaction to end', async () => {
    const bench = new Bench(1);
    await bench.clock.advance(3 * 3_600_000);
    const records = makeWorkload(3600, 1);
    for (const { topic, at, value } of records) if (topic === 0) bench.log.append(0, 0, value, Math.floor(at));
    const first = bench.worker();
    await bench.clock.advance(10_000);
    await first.worker.stop();
    await first.ended;
    const { worker, source, ended } = bench.worker({ openLimit: 2400, maxSkew: 60_000 });
    source.inTransactions[1] = 3;
    await bench.clock.advance(30_000);
    expect(worker.unready).toEqual([]);
    // From here on the topic that leads does wait, and is not reported as something that could be read.
    expect(worker.status().units[0]).toMatchObject({ inTransactions: [0, 3] });
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

  it('fetches no more of a topic that is ahead, until the others have caught up or have no more', async () => {
    const bench = new Bench(1);
    await bench.clock.advance(3 * 3_600_000);
    const records = makeWorkload(3600, 1);
    const append = (wanted: number, from: number, to: number): void => {
      for (const { topic, at, value } of records) {
        if (topic === wanted && at >= from && at < to) bench.log.append(topic, 0, value, Math.floor(at));
      }
    };
    const begin = records[0].at;
    append(0, begin, begin + 600_000);
    append(1, begin, begin + 600_000);
    const { worker, source, ended } = bench.worker({ maxSkew: 30_000 });
    const fetched: boolean[] = [];
    Object.assign(source, {
      setFetching: (_: number, topic: number, fetching: boolean) => topic === 0 && fetched.push(fetching),
    });
    await bench.clock.advance(1000);
    // A chunk of impressions spans more time than one of feedback.
    expect(fetched).toEqual([true, false, true, false, true, false, true]);
    // Ahead again, of a topic that is read to its end: there is nothing to wait for.
    append(0, begin + 600_000, begin + 3_600_000);
    await bench.clock.advance(30_000);
    expect(worker.status().units[0].counts[0].impressions.read).toBeGreaterThan(3500);
    expect(fetched.slice(7)).toEqual([]);
    await worker.stop();
    await ended;
  });

  it.each([0, 5])(
    'fetches no feedback that is ahead of impressions which can be read, with %d more of these in a transaction',
    async (inTransaction) => {
      const bench = new Bench(1);
      await bench.clock.advance(3 * 3_600_000);
      // So little feedback that a chunk of it spans ten times the time of a chunk of impressions.
      const records = makeWorkload(6000, 100).filter(({ topic }, n) => topic === 0 || n % 15 === 0);
      for (const { topic, at, value } of records) bench.log.append(topic, 0, value, Math.floor(at));
      const { worker, source, ended } = bench.worker({ maxSkew: 3_600_000 });
      source.inTransactions[0] = inTransaction;
      let mostWaiting = 0;
      const fetches: boolean[] = [];
      Object.assign(source, {
        setFetching: (partition: number, topic: number, fetching: boolean) => {
          if (topic === 1) fetches.push(fetching);
          if (fetching) source.resume(partition, topic);
          else source.pause(partition, topic);
          mostWaiting = Math.max(mostWaiting, worker.status().units[0].waitingFeedback);
        },
      });
      await bench.clock.advance(5000);
      const { counts } = worker.status().units[0];
      expect(counts[0].impressions.read).toBe(6000);
      expect(counts[1].feedback.read).toBe(records.length - 6000);
      expect(fetches).toContain(false);
      expect(fetches.at(-1)).toBe(true);
      // Without that it would be all of them but a chunk or two.
      expect(mostWaiting).toBeLessThan(250);
      expect(records.length - 6000).toBeGreaterThan(550);
      await worker.stop();
      await ended;
    },
  );

  it('goes on fetching feedback while both topics are read as they are written, and is a little ahead', async () => {
    const bench = new Bench(1);
    await bench.clock.advance(3 * 3_600_000);
    const records = makeWorkload(600, 10);
    const begin = records[0].at;
    const { worker, source, ended } = bench.worker();
    const fetches: boolean[] = [];
    const bounds = source.bounds.bind(source);
    Object.assign(source, {
      setFetching: (_: number, topic: number, fetching: boolean) => topic === 1 && fetches.push(fetching),
      // Since the last fetch three more lists were shown.
      bounds: async (partition: number, topic: number) => {
        const { start, end } = await bounds(partition, topic);
        return { start, end: topic === 0 ? end + 3 : end };
      },
    });
    await bench.clock.advance(1000);
    for (let at = begin + 2000; at < begin + 60_000; at += 1000) {
      const written = (topic: number, from: number) =>
        records.filter((one) => one.topic === topic && one.at >= from && one.at < from + 1000);
      // Lists are written two seconds after clicks.
      for (const { topic, at: time, value } of [...written(0, at - 2000), ...written(1, at)])
        bench.log.append(topic, 0, value, Math.floor(time));
      await bench.clock.advance(1000);
    }
    const [impressions, feedback] = worker.status().units[0].counts;
    expect(impressions.impressions.read).toBeGreaterThan(500);
    expect(feedback.feedback.read).toBeGreaterThan(100);
    expect(fetches).toEqual([true]);
    await worker.stop();
    await ended;
  });

  it('fetches a topic that is ahead again once the others are read to the end that was reported, without another look', async () => {
    const bench = new Bench(1);
    await bench.clock.advance(3 * 3_600_000);
    const records = makeWorkload(600, 1);
    const begin = records[0].at;
    const some = (wanted: number, from: number, to: number) =>
      records.filter(({ topic, at }) => topic === wanted && at >= begin + from && at < begin + to);
    const append = (wanted: number, from: number, to: number): void => {
      for (const { topic, at, value } of some(wanted, from, to)) bench.log.append(topic, 0, value, Math.floor(at));
    };
    append(0, 0, 600_000);
    append(1, 0, 60_000);
    const { worker, source, ended } = bench.worker({ maxSkew: 120_000 });
    const fetched: string[] = [];
    Object.assign(source, {
      setFetching: (_: number, topic: number, fetching: boolean) => fetched.push(`${topic} ${fetching ? 'on' : 'off'}`),
    });
    // Of the other topic there is more than can be read yet.
    source.inTransactions[1] = some(1, 60_000, 120_000).length;
    await bench.clock.advance(10_000);
    expect(fetched.at(-1)).toBe('0 off');
    source.inTransactions[1] = 0;
    append(1, 60_000, 120_000);
    await bench.clock.advance(1000);
    expect(fetched.at(-1)).toBe('0 on');
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
    expect(worker.unready).toEqual([]);
    expect(worker.stopped).toEqual([{ partition: 0, cause: 'limit' }]);
    await worker.stop();
    await ended;
  });

  /** Lists of about 25 kB each, of one partition, shown within a second. */
  function fillLarge(bench: Bench, partition: number, count: number): void {
    const items = Array.from({ length: 100 }, (_, n) => `${n}-${'x'.repeat(230)}-${String(n).padStart(12, '0')}`);
    const now = bench.clock.now();
    for (let n = 0; n < count; n++) {
      const list = { requestId: `large ${partition} ${n}`, ts: now + n, items };
      bench.log.append(0, partition, Buffer.from(JSON.stringify(list)), now + n);
    }
  }
  const MB = 1_000_000;

  it('lets go of the unit that holds most when bytes are short, says what to raise, and works on at the others', async () => {
    const bench = new Bench();
    await bench.clock.advance(3 * 3_600_000);
    fillLarge(bench, 0, 100);
    fillLarge(bench, 1, 3000);
    const limit = 30 * MB;
    const { worker, ended } = bench.worker({ stateLimit: limit });
    await bench.clock.advance(60_000);
    const [small, large] = worker.status().units;
    expect(small).toMatchObject({ partition: 0, stopped: undefined, openImpressions: 100, lag: [0, 0] });
    expect(large).toMatchObject({ partition: 1, stopped: 'memory', openImpressions: 0, stateBytes: 0 });
    expect(worker.unready).toEqual([]);
    expect(worker.stopped).toEqual([{ partition: 1, cause: 'memory' }]);
    const halt = bench.details[bench.warnings.indexOf('unit stopped')];
    expect(halt).toMatchObject({ partition: 1, cause: 'memory', limit });
    expect(halt).toHaveProperty(
      'held',
      expect.toSatisfy((held: number) => held > 25 * MB && held < 1.35 * limit),
    );
    expect(JSON.stringify(halt)).toMatch(/raise limits\.stateBytes to at least \d{8,}/);
    // It does not fit even alone: however long it waits, it is not read again and again.
    const claims = bench.store.claims;
    await bench.clock.advance(30 * 60_000);
    expect(worker.status().units[1].stopped).toBe('memory');
    expect(bench.store.claims).toBe(claims);
    await worker.stop();
    await ended;
    // Nor does another process fare better: it stops in the same way.
    const next = bench.worker({ stateLimit: limit });
    await bench.clock.advance(60_000);
    expect(next.worker.status().units.map(({ stopped }) => stopped)).toEqual([undefined, 'memory']);
    await next.worker.stop();
    await next.ended;
    // With room it continues where it was, and nothing is missing.
    const roomy = bench.worker({ stateLimit: 100 * MB });
    await bench.clock.advance(60_000);
    expect(sum(roomy.worker, 'accepted')).toBe(3100);
    await roomy.worker.stop();
    await roomy.ended;
  });

  it('takes a unit in again by itself when there is room for it beside the others, and counts all of it', async () => {
    const bench = new Bench();
    await bench.clock.advance(3 * 3_600_000);
    fillLarge(bench, 0, 900);
    fillLarge(bench, 1, 1000);
    const { worker, ended } = bench.worker({ stateLimit: 36 * MB });
    await bench.clock.advance(60_000);
    const stopped = worker.status().units.filter((unit) => unit.stopped === 'memory');
    expect(stopped).toHaveLength(1);
    await bench.clock.advance(60_000);
    expect(worker.status().units.filter((unit) => unit.stopped === 'memory')).toEqual(stopped);
    // What the other holds closes with time.
    await bench.clock.advance(3 * 3_600_000);
    expect(worker.status().units.map((unit) => unit.stopped)).toEqual([undefined, undefined]);
    expect(sum(worker, 'accepted')).toBe(1900);
    expect(worker.unready).toEqual([]);
    await worker.stop();
    await ended;
  });

  it('does not take its own claim of a unit that fits again for that of another worker', async () => {
    const clock = new BusyClock(START);
    const store = new SlowStore(clock);
    const bench = new Bench(2, store, clock);
    await bench.clock.advance(3 * 3_600_000);
    fillLarge(bench, 0, 900);
    fillLarge(bench, 1, 1000);
    const { worker, ended } = bench.worker({ stateLimit: 36 * MB });
    await bench.clock.advance(60_000);
    expect(worker.stopped).toHaveLength(1);
    const unready: (readonly string[])[] = [];
    store.onClaim = () => void unready.push(worker.unready);
    await bench.clock.advance(3 * 3_600_000);
    expect(worker.stopped).toEqual([]);
    expect(unready).toEqual([[]]);
    await worker.stop();
    await ended;
  });

  it('frees the memory of a unit that it lets go', async () => {
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    const outside = (): number => {
      collect();
      return process.memoryUsage().arrayBuffers;
    };
    const bench = new Bench(1);
    await bench.clock.advance(3 * 3_600_000);
    fillLarge(bench, 0, 1500);
    const roomy = bench.worker();
    await bench.clock.advance(60_000);
    const full = outside();
    expect(roomy.worker.status().units[0].stateBytes).toBeGreaterThan(35 * MB);
    await roomy.worker.stop();
    await roomy.ended;
    const { worker, ended } = bench.worker({ stateLimit: 25 * MB });
    await bench.clock.advance(60_000);
    expect(worker.status().units[0].stopped).toBe('memory');
    await settle();
    // It held more than 25 MB; the first worker still holds what it held. What a timer or a promise holds goes with its turn.
    let more = outside() - full;
    for (let turn = 0; turn < 100 && more >= 5 * MB; turn++) {
      await new Promise((done) => setTimeout(done, 50));
      more = outside() - full;
    }
    expect(more).toBeLessThan(5 * MB);
    expect(roomy.worker.status().units[0].stateBytes).toBeGreaterThan(35 * MB);
    await worker.stop();
    await ended;
  });

  it('stops a unit whose log is another one than it has read, and says what to do', async () => {
    const before = new Bench(1);
    await before.clock.advance(3_600_000);
    before.fill(40, 1);
    const first = before.worker();
    await before.clock.advance(1000);
    await first.worker.stop();
    await first.ended;
    const stored = before.store.inner.snapshot();

    const bench = new Bench(1, before.store);
    await bench.clock.advance(3_600_000);
    bench.fill(400, 2);
    const { worker, ended } = bench.worker();
    await bench.clock.advance(5000);
    expect(worker.status().units[0].stopped).toBe('diverged');
    expect(worker.status().commits.ok).toBe(0);
    const [halt] = bench.details;
    expect(halt).toMatchObject({ partition: 0, cause: 'diverged', topic: 'impressions', offset: 39, differs: 'value' });
    expect(JSON.stringify(halt)).toContain('Take another namespace and kafka.groupId');
    await worker.stop();
    await ended;
    const without = (snapshot: StoreSnapshot) =>
      [...snapshot].map(([key, fields]) => [key, [...fields].filter(([field]) => field !== 'token')]);
    expect(without(bench.store.inner.snapshot())).toEqual(without(stored));
  });

  it('reads the last records again after every assignment, before it stores anything', async () => {
    const bench = new Bench(1);
    await bench.clock.advance(3_600_000);
    bench.fill(40, 1);
    const { worker, source, ended } = bench.worker();
    await bench.clock.advance(1000);
    source.sought.length = 0;
    source.pause(0, 0);
    await source.assign([0]);
    bench.log.append(0, 0, null, START);
    const [impressions, feedback] = [40, bench.log.bounds(0, 1).end];
    expect(source.sought).toEqual([
      [0, impressions - 1, impressions],
      [1, feedback - 1, feedback],
    ]);
    await bench.clock.advance(3000);
    expect(worker.unready).toEqual(['partition 0 is replaying']);
    expect(worker.status().commits.ok).toBe(1);
    source.resume(0, 0);
    await bench.clock.advance(1000);
    expect(worker.unready).toEqual([]);
    expect(worker.status().commits.ok).toBe(2);
    expect(worker.status().units[0].counts[0].impressions).toMatchObject({ read: 41, drops: { duplicate: 0 } });
    await worker.stop();
    await ended;
  });

  it('reads the last records again when its source is in doubt, and claims nothing by it', async () => {
    const bench = await fenced();
    const { source, worker, ended } = bench.running;
    source.doubt();
    await bench.clock.advance(1000);
    expect(worker.status().units).toEqual([]);
    await source.assign([0]);
    await bench.clock.advance(1000);
    source.sought.length = 0;
    source.doubt();
    expect(source.sought.map(([topic, offset, held]) => [topic, held - offset])).toEqual([
      [0, 1],
      [1, 1],
    ]);
    await bench.clock.advance(1000);
    expect(worker.unready).toEqual([]);
    await worker.stop();
    await ended;
  });

  it('does not hold a topic back that must read its last record again', async () => {
    const bench = new Bench(1);
    await bench.clock.advance(3 * 3_600_000);
    const records = makeWorkload(3600, 1);
    for (const { topic, at, value } of records) if (topic === 0) bench.log.append(0, 0, value, Math.floor(at));
    const { worker, source, ended } = bench.worker({ openLimit: 2400, maxSkew: 60_000 });
    await bench.clock.advance(1000);
    const { ok } = worker.status().commits;
    const { read } = worker.status().units[0].counts[0].impressions;
    expect(read).toBeLessThan(3600);
    await source.assign([0]);
    await bench.clock.advance(2000);
    expect(worker.unready).toEqual([]);
    expect(worker.status().commits.ok).toBeGreaterThan(ok);
    // The chunk that brought the last record again brought a few more; then the topic is held back again.
    expect(worker.status().units[0].counts[0].impressions.read - read).toBeLessThanOrEqual(200);
    await worker.stop();
    await ended;
  });

  it('waits with the start of a new unit until Kafka reports where it begins, and ends with any other error', async () => {
    const bench = new Bench(1);
    bench.startAt = new LogUnavailable('no broker responds');
    const { worker, ended } = bench.worker();
    await bench.clock.advance(20_000);
    expect(worker.status().units).toEqual([]);
    expect(new Set(bench.warnings)).toEqual(new Set(['Kafka did not say where a new unit begins']));
    // The unit stays claimed meanwhile.
    expect(bench.store.claims).toBe(1);
    bench.startAt = 7;
    await bench.clock.advance(10_000);
    expect(worker.status().units.map(({ partition }) => partition)).toEqual([0]);
    await worker.stop();
    await ended;

    const other = new Bench(1);
    other.startAt = new Error('a defect');
    const failing = other.worker();
    await expect(Promise.all([failing.ended, other.clock.advance(1000)])).rejects.toThrow('a defect');
  });

  it('takes for a gap only what it never read', async () => {
    const bench = new Bench(1);
    await bench.clock.advance(3_600_000);
    bench.fill(40, 1);
    const { worker, source, ended } = bench.worker();
    await bench.clock.advance(1000);
    // The last record is to be read again.
    source.pause(0, 0);
    await source.assign([0]);
    expect(worker.gap(0, 0, 40, 'skip')).toBe('not needed');
    expect(worker.status().gapRecords).toBe(0);
    expect(worker.gap(0, 0, 43, 'skip')).toBe('skip');
    expect(worker.status().gapRecords).toBe(3);
    await worker.stop();
    await ended;
  });

  it('reports how long what a replay needs will still be in the log', async () => {
    const bench = new Bench(1);
    // A list and a minute later another, which a replay needs both.
    const [list] = makeWorkload(1, 1).filter(({ topic }) => topic === 0);
    const again = (id: string) => Buffer.from(list.value.toString().replace(/"requestId":"../, `"requestId":"${id}`));
    const at = Math.floor(list.at);
    await bench.clock.advance(at + 1000 - bench.clock.now());
    bench.log.append(0, 0, again('aa'), at);
    const { worker, ended } = bench.worker();
    const headroom = () => worker.status().units[0].retentionHeadroom;
    await bench.clock.advance(1000);
    expect(headroom()).toEqual([undefined, undefined]);
    worker.retentionIs([3_600_000, undefined]);
    expect(headroom()).toEqual([3_600_000 - (bench.clock.now() - at), undefined]);
    worker.retentionIs([undefined, 7_200_000]);
    await bench.clock.advance(60_000);
    // Nothing of the other topic is needed, and it was read to its end.
    expect(headroom()).toEqual([undefined, 7_200_000]);
    worker.retentionIs([3_600_000, 7_200_000]);
    const before = bench.clock.now() - at;
    expect(headroom()).toEqual([3_600_000 - before, 7_200_000]);
    // The unit is stopped: time continues.
    worker.stopUnit(0, 'limit');
    bench.log.append(0, 0, again('bb'), bench.clock.now());
    await bench.clock.advance(3 * 3_600_000);
    expect(headroom()[0]).toBe(3_600_000 - before - 3 * 3_600_000);
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
