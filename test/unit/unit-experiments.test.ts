import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shapeOf } from '../../src/accumulators/row.ts';
import { decodeCheckpoint } from '../../src/accumulators/store/checkpoint-codec.ts';
import { looksKey, type RowOwner, totalKey, unitKey, usersKey } from '../../src/accumulators/store/layout.ts';
import type { Store } from '../../src/accumulators/store/store-port.ts';
import type { ExperimentSettings } from '../../src/config/settings.ts';
import { MemoryLog } from '../../src/consumers/source/memory-source.ts';
import { stateOfUnits } from '../../src/experiment/units.ts';
import { compile } from '../../src/measures/scorer.ts';
import { MOST_GONE, SAMPLE_CAPACITY } from '../../src/statistics/user-sample.ts';
import { NO_PERMISSIONS } from '../../src/unit/resume.ts';
import { Unit } from '../../src/unit/unit.ts';
import type { UnitDeps, UnitSettings } from '../../src/unit/unit-contract.ts';
import { sampleKey } from '../../src/vocabulary/user-words.ts';
import {
  append,
  BEGIN,
  EXPERIMENT,
  GRADING,
  HORIZONS,
  MEASURES,
  NAMESPACE,
  nameOfRun,
  RAMPED,
  type Shown,
  unitDeps,
  unitSettings,
} from '../experiment-shop.ts';
import { RestorableStore } from '../restorable-store.ts';
import { runs } from '../runs.ts';
import { readSample } from '../statistics/read-sample.ts';
import { Driver } from './driver.ts';

const UNIT = unitKey(NAMESPACE, 0);
const [SHORTEST, LONGEST] = HORIZONS.map(({ ms }) => ms);

function owner(generation = '1'): RowOwner {
  return { namespace: NAMESPACE, unit: 0, generation };
}

/** Everything that is kept of a run: total, users, looks. */
function keysOf(experiment: ExperimentSettings, generation?: string): readonly string[] {
  return [totalKey, usersKey, looksKey].map((of) => of(owner(generation), experiment.name, nameOfRun(experiment)));
}

/** Reads a log into one unit, which may be killed. */
class Reader extends Driver {
  readonly store: Store;
  settings: UnitSettings;

  private constructor(log: MemoryLog, store: Store, settings: UnitSettings, unit: Unit) {
    super(log, unit, 20);
    this.store = store;
    this.settings = settings;
  }

  static async claim(
    log: MemoryLog,
    store: Store,
    settings = unitSettings(),
    deps: Partial<UnitDeps> = {},
  ): Promise<Reader> {
    return new Reader(log, store, settings, await Unit.claim(settings, { ...unitDeps(store), ...deps }));
  }

  async restart(settings = this.settings, deps: Partial<UnitDeps> = {}): Promise<void> {
    this.settings = settings;
    this.unit = await Unit.claim(settings, { ...unitDeps(this.store), ...deps });
    this.positions = [this.unit.reading.from(0), this.unit.reading.from(1)];
  }

  async end(): Promise<void> {
    this.drain();
    this.unit.finish();
    expect(['OK', 'NOTHING_NEW']).toContain(await this.unit.commit());
  }

  /** Reads on and commits. */
  async commit(): Promise<void> {
    this.drain();
    expect(await this.unit.commit()).toBe('OK');
  }

  /** Lists of each variant in the stored total of a run; 0: there is none. */
  async counted(experiment: ExperimentSettings, generation?: string): Promise<Readonly<Record<string, number>>> {
    const [total] = await this.store.read(keysOf(experiment, generation));
    const rows = [...total].map(([field, text]) => [field.split('|')[2], JSON.parse(text).impressions] as const);
    return Object.fromEntries(rows);
  }
}

/** Settings that may end runs. */
function restarting(experiments: readonly ExperimentSettings[]): UnitSettings {
  return { ...unitSettings(experiments), permissions: { ...NO_PERMISSIONS, restartExperiments: true } };
}

/** One list a second, from turn to turn in A and B, by a user of its own; each third one is clicked. */
function fill(log: MemoryLog, from: number, to: number): void {
  for (let n = from; n < to; n++) {
    const shown = { ts: BEGIN + 1000 * n, variant: n % 2 === 0 ? 'A' : 'B', user: `u${n}` };
    append(log, 0, n % 3 === 0 ? { ...shown, click: 1 + (n % 4) } : shown);
  }
}

describe('a run of an experiment', () => {
  it('that is changed begins at zero, and counts only what is read from then on', async () => {
    const log = new MemoryLog(2, 1);
    fill(log, 0, 200);
    const reader = await Reader.claim(log, new RestorableStore());
    await reader.commit();
    const before = await reader.counted(EXPERIMENT);
    // The last minute, and what may come out of order, is still open.
    expect(before['A'] + before['B']).toBeLessThan(200 - LONGEST / 1000);
    expect(before['A']).toBeGreaterThan(50);

    await expect(reader.restart(unitSettings([RAMPED]))).rejects.toThrow('ends the run of the experiment default');
    await reader.restart(restarting([RAMPED]));
    await reader.commit();
    expect(await reader.counted(RAMPED)).toEqual({});
    fill(log, 200, 300);
    await reader.end();
    expect(await reader.counted(RAMPED)).toEqual({ A: 50, B: 50 });
    const [, users] = await reader.store.read(keysOf(RAMPED));
    expect([...users.keys()].sort()).toEqual(
      ['level', ...Array.from({ length: 100 }, (_, n) => String(sampleKey(`u${200 + n}`)))].sort(),
    );
  });

  it('that is changed and killed at any time goes on where it began', async () => {
    const log = new MemoryLog(2, 1);
    fill(log, 0, 100);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(1), fc.integer({ min: 1, max: 60 }), fc.constantFrom('go', 'commit', 'kill')), {
          maxLength: 20,
        }),
        async (steps) => {
          const reader = await Reader.claim(log, new RestorableStore());
          reader.feed(0, 60);
          reader.feed(1, 15);
          expect(await reader.unit.commit()).toBe('OK');
          const [begin] = reader.unit.committed.offsets;
          await reader.restart(restarting([RAMPED]));
          for (const [topic, limit, what] of steps) {
            reader.feed(topic, limit);
            if (what === 'commit') expect(['OK', 'REPLAYING', 'NOTHING_NEW']).toContain(await reader.unit.commit());
            if (what === 'kill') await reader.restart();
          }
          await reader.end();
          expect(begin).toBe(60);
          expect(await reader.counted(RAMPED)).toEqual({ A: 20, B: 20 });
          // What the run before it had counted is kept.
          const kept = await reader.counted(EXPERIMENT);
          expect((kept['A'] ?? 0) + (kept['B'] ?? 0)).toBeLessThanOrEqual(60);
        },
      ),
      { numRuns: runs(20) },
    );
  });

  it('that has ended is kept, and deleted by the first commit of a claim a week later', async () => {
    const log = new MemoryLog(2, 1);
    fill(log, 0, 200);
    const store = new RestorableStore();
    const reader = await Reader.claim(log, store);
    await reader.commit();
    reader.unit.look(0, stateOfUnits(EXPERIMENT, MEASURES, [reader.unit.part(0)], BEGIN + 60_000));
    expect(await reader.unit.commit()).toBe('OK');
    const held = async () => (await store.read(keysOf(EXPERIMENT))).map(({ size }) => size > 0);
    expect(await held()).toEqual([true, true, true]);

    const other = { ...EXPERIMENT, name: 'second' };
    await reader.restart(restarting([RAMPED, other]));
    await reader.restart(restarting([other]));
    const names = async () =>
      decodeCheckpoint((await store.read([UNIT]))[0]).runs.map(({ name, ended }) => [name, ended !== undefined]);
    await reader.commit();
    expect(await held()).toEqual([true, true, true]);
    expect(await names()).toEqual([
      ['second', false],
      ['default', true],
    ]);

    const week = 7 * 86_400;
    fill(log, 200 + week, 400 + week);
    await reader.restart();
    await reader.commit();
    expect(await held()).toEqual([true, true, true]);
    await reader.restart();
    fill(log, 400 + week, 401 + week);
    await reader.commit();
    expect(await held()).toEqual([false, false, false]);
    expect(await names()).toEqual([['second', false]]);
  });

  it('that has ended by mistake goes on when its settings are back, without what was read meanwhile', async () => {
    const log = new MemoryLog(2, 1);
    fill(log, 0, 200);
    const reader = await Reader.claim(log, new RestorableStore());
    await reader.commit();
    const before = await reader.counted(EXPERIMENT);
    await reader.restart(restarting([RAMPED]));
    fill(log, 200, 300);
    await reader.commit();
    await reader.restart(restarting([EXPERIMENT]));
    fill(log, 300, 400);
    await reader.end();
    expect(await reader.counted(EXPERIMENT)).toEqual({ A: before['A'] + 50, B: before['B'] + 50 });
  });

  it('goes on when measures come and go, each with its own beginning', async () => {
    const log = new MemoryLog(2, 1);
    fill(log, 0, 200);
    const store = new RestorableStore();
    const of = (...measures: readonly number[]): UnitSettings => {
      const settings = unitSettings();
      return { ...settings, panes: { ...settings.panes, shape: shapeOf(measures.map((m) => MEASURES[m])) } };
    };
    const scoring = (...measures: readonly number[]) => ({
      scorer: compile(
        measures.map((m) => MEASURES[m]),
        GRADING,
      ),
    });
    const sums = async (name: string): Promise<number> => {
      const [total] = await store.read(keysOf(EXPERIMENT));
      const rows = [...total.values()].map((text) => JSON.parse(text));
      return rows.reduce((sum, { measures }) => sum + (measures[name]?.[0] ?? 0), 0);
    };
    const reader = await Reader.claim(log, store, of(0), scoring(0));
    await reader.commit();
    const [first, second] = MEASURES.map(({ canonical }) => canonical);
    const early = Object.values(await reader.counted(EXPERIMENT)).reduce((a, b) => a + b, 0);
    expect([await sums(first), await sums(second)]).toEqual([early, 0]);

    await reader.restart(of(0, 1), scoring(0, 1));
    fill(log, 200, 300);
    await reader.commit();
    const part = () => reader.unit.part(0).since;
    const since = part()?.[second] ?? 0;
    expect(part()).toEqual({ [first]: Number.NEGATIVE_INFINITY, [second]: since });
    expect(since).toBeGreaterThan(BEGIN);
    expect(await sums(first)).toBe((await sums(second)) + early);

    // Gone and back: what it had before means nothing.
    await reader.restart(of(0), scoring(0));
    fill(log, 300, 301);
    await reader.commit();
    const between = await sums(first);
    await reader.restart(of(0, 1), scoring(0, 1));
    fill(log, 301, 400);
    await reader.end();
    expect(part()?.[second]).toBeGreaterThan(since);
    expect([await sums(first), await sums(second)]).toEqual([400, 400 - between]);
  });

  it('starts over with a new generation, without lists that are read again, and what the old one had is kept', async () => {
    const log = new MemoryLog(2, 1);
    fill(log, 0, 200);
    const store = new RestorableStore();
    const reader = await Reader.claim(log, store);
    await reader.commit();
    reader.unit.look(0, stateOfUnits(EXPERIMENT, MEASURES, [reader.unit.part(0)], BEGIN + 60_000));
    expect(await reader.unit.commit()).toBe('OK');
    const [replayFrom] = reader.unit.committed.replayOffsets;
    expect(replayFrom).toBeGreaterThan(0);
    const next = { ...unitSettings(), fingerprint: { shape: '{"paneSize":1}', additive: '[]' } };
    await reader.restart({ ...next, permissions: { ...NO_PERMISSIONS, newGeneration: true } });
    fill(log, 200, 230);
    await reader.end();
    expect((await store.read(keysOf(EXPERIMENT, '1'))).map(({ size }) => size > 0)).toEqual([true, true, true]);
    const old = [...store.snapshot().keys()].filter((key) => key.includes('}:1:'));
    expect(old.sort()).toEqual([...keysOf(EXPERIMENT, '1')].sort());
    expect(reader.unit.join.counts[0].impressions.read).toBeGreaterThan(230 - replayFrom);
    expect(await reader.counted(EXPERIMENT, '2')).toEqual({ A: 15, B: 15 });
  });

  it('begins when the stored checkpoint is from before there were experiments', async () => {
    const log = new MemoryLog(2, 1);
    fill(log, 0, 100);
    const store = new RestorableStore();
    const reader = await Reader.claim(log, store, unitSettings([]));
    await reader.commit();
    const before = new Map([...store.snapshot()].map(([key, fields]) => [key, new Map(fields)] as const));
    before.get(UNIT)?.delete('runs');
    store.restoreSnapshot(before);

    await reader.restart(unitSettings());
    fill(log, 100, 130);
    await reader.end();
    expect(await reader.counted(EXPERIMENT)).toEqual({ A: 15, B: 15 });
    const [fields] = await store.read([UNIT]);
    expect(decodeCheckpoint(fields).runs).toEqual([
      {
        name: 'default',
        run: nameOfRun(EXPERIMENT),
        begins: [100, 34],
        missing: 0,
        lists: 30,
        users: [0, 30],
        since: Object.fromEntries(MEASURES.map(({ canonical }) => [canonical, Number.NEGATIVE_INFINITY])),
      },
    ]);
  });

  it('counts from its start on, and other values of its dimension together', async () => {
    const log = new MemoryLog(2, 1);
    fill(log, 0, 100);
    append(log, 0, { ts: BEGIN + 100_000, variant: 'C', user: 'u-c' });
    append(log, 0, { ts: BEGIN + 100_000, variant: 'D', user: 'u-d' });
    const late = { ...EXPERIMENT, start: BEGIN + 50_000 };
    const reader = await Reader.claim(log, new RestorableStore(), unitSettings([late]));
    await reader.end();
    expect(await reader.counted(late)).toEqual({ A: 25, B: 25, __other__: 2 });
    const [, users] = await reader.store.read(keysOf(late));
    expect(users.size).toBe(51);
  });

  it('remembers how many records gaps have lost since it began', async () => {
    const log = new MemoryLog(2, 1);
    fill(log, 0, 100);
    const reader = await Reader.claim(log, new RestorableStore());
    reader.unit.skipGap(0, 7);
    reader.positions[0] = 7;
    await reader.commit();
    await reader.restart();
    expect(reader.unit.part(0).missing).toBe(7);
    await reader.restart(unitSettings([EXPERIMENT, { ...EXPERIMENT, name: 'second' }]));
    reader.drain();
    reader.unit.skipGap(1, reader.positions[1] + 2);
    expect([0, 1].map((run) => reader.unit.part(run).missing)).toEqual([9, 2]);
  });
});

const anyShown: fc.Arbitrary<Shown> = fc.record({
  ts: fc.integer({ min: 0, max: 4000 }),
  variant: fc.constantFrom('A', 'A', 'B', 'C'),
  user: fc.option(
    fc.nat(12).map((n) => `u${n}`),
    { freq: 6, nil: undefined },
  ),
});

/** Lists at about one a second, some of them late, some sent twice; the same in every order of reading. */
function logOf(lists: readonly Shown[]): MemoryLog {
  const log = new MemoryLog(2, 1);
  for (const [n, shown] of lists.entries()) {
    const at = { ...shown, ts: BEGIN + 1000 * n - (n % 11 === 5 ? 15 * shown.ts : shown.ts), click: 1 };
    append(log, 0, at, `n${n}`);
    if (n % 7 === 3) append(log, 0, { ...at, click: undefined }, `n${n}`);
  }
  return log;
}

/** What a plain set of the accepted exposures that have closed at the shortest horizon would be stored as. */
function plainUsers(accepted: readonly Shown[], watermark: number): ReadonlyMap<string, string> {
  const closed = accepted.filter(({ ts }) => ts + SHORTEST <= watermark);
  const known = closed.filter(({ user, variant }) => user !== undefined && 'AB'.includes(variant));
  const fields = new Map<string, string>(known.length === 0 ? [] : [['level', '0']]);
  for (const user of new Set(known.map((one) => one.user ?? ''))) {
    const own = known.filter((one) => one.user === user);
    const bits = [...new Set(own.map(({ variant }) => 'AB'.indexOf(variant)))].reduce((sum, v) => sum + 2 ** v, 0);
    const first = own.reduce((a, b) => (b.ts < a.ts || (b.ts === a.ts && b.variant < a.variant) ? b : a));
    fields.set(String(sampleKey(user)), `[${bits},${first.ts},${'AB'.indexOf(first.variant)}]`);
  }
  return fields;
}

describe('the users of a run', () => {
  it('are at every commit a plain set of who was exposed, however often the unit is killed', async () => {
    const seen = { commits: 0, kills: 0, crossed: 0 };
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyShown, { minLength: 30, maxLength: 90, size: 'max' }),
        fc.array(
          fc.tuple(fc.nat(1), fc.integer({ min: 1, max: 20 }), fc.constantFrom('go', 'commit', 'commit', 'kill')),
          { minLength: 5, maxLength: 40, size: 'max' },
        ),
        async (lists, steps) => {
          const log = logOf(lists);
          const reader = await Reader.claim(log, new RestorableStore());
          const [, key] = keysOf(EXPERIMENT);
          const check = async (): Promise<void> => {
            // Another unit that reads as far and was never killed says what is accepted.
            const accepted: Shown[] = [];
            const fresh = new RestorableStore();
            const deps = unitDeps(fresh);
            const unit = await Unit.claim(unitSettings(), {
              ...deps,
              hooks: {
                accepted: (impression) => {
                  const list = lists[Number(/\d+/.exec(impression.requestId)?.[0])];
                  accepted.push({ ts: impression.ts, variant: impression.dimensions[0], user: list.user });
                },
              },
            });
            for (const [topic, next] of reader.unit.committed.offsets.entries()) {
              const records = log.read(0, topic, 0, next);
              if (next > 0) unit.feed({ partition: 0, topic, records, next });
            }
            const [found] = await reader.store.read([key]);
            expect(found).toEqual(plainUsers(accepted, unit.join.watermark));
            seen.commits++;
            if ([...found.values()].some((text) => text.startsWith('[3,'))) seen.crossed++;
          };
          for (const [topic, limit, what] of steps) {
            reader.feed(topic, limit);
            if (what === 'commit' && (await reader.unit.commit()) === 'OK') await check();
            if (what === 'kill') {
              await reader.restart();
              seen.kills++;
            }
          }
          reader.drain();
          if ((await reader.unit.commit()) === 'OK') await check();
        },
      ),
      { numRuns: runs(30) },
    );
    expect(Math.min(seen.commits, seen.kills, seen.crossed)).toBeGreaterThan(6);
  });

  it('lose half of them piece by piece when they become too many, and at once for whoever reads', async () => {
    const log = new MemoryLog(2, 1);
    append(log, 0, { ts: BEGIN, variant: 'A', user: 'first', click: 1 });
    const store = new RestorableStore();
    const reader = await Reader.claim(log, store);
    await reader.end();
    // As after many commits: the sample is full. Keys ascend in steps that fill all of their range.
    const [, key] = keysOf(EXPERIMENT);
    const full = new Map([...store.snapshot()].map(([name, fields]) => [name, new Map(fields)] as const));
    const stored = new Map([['level', '0']]);
    for (let n = 0; n < SAMPLE_CAPACITY; n++)
      stored.set(String(n * (2 ** 53 / SAMPLE_CAPACITY) + ((n * 7919) % 2 ** 21)), `[1,${BEGIN},0]`);
    full.set(key, stored);
    const unit = full.get(UNIT);
    unit?.set('runs', unit.get('runs')?.replace('"users":[0,1]', `"users":[0,${SAMPLE_CAPACITY}]`) ?? '');
    store.restoreSnapshot(full);

    await reader.restart();
    append(log, 0, { ts: BEGIN + 200_000, variant: 'B', user: 'one more', click: 1 });
    await reader.end();
    const isMore = sampleKey('one more') < 2 ** 52 ? 1 : 0;
    const size = SAMPLE_CAPACITY / 2 + isMore;
    const isOut = (field: string) => Number(field) >= 2 ** 52;
    const [halved] = await store.read([key]);
    expect(halved.get('level')).toBe('1');
    expect(halved.size).toBe(1 + SAMPLE_CAPACITY - MOST_GONE + isMore);
    expect(readSample(halved)).toMatchObject({ level: 1, size });
    expect(reader.unit.part(0).sample).toMatchObject({ level: 1, size });

    // Whoever takes over, and whoever continues, removes the next ones with what it has to commit.
    for (const [n, goesOn] of [false, true].entries()) {
      if (!goesOn) await reader.restart();
      append(log, 0, { ts: BEGIN + 400_000 * (n + 1), variant: 'B', user: 'one more', click: 1 });
      await reader.end();
      const [users] = await store.read([key]);
      expect([...halved.keys()].filter((field) => !users.has(field)).every(isOut)).toBe(true);
      expect(users.size).toBe(halved.size - MOST_GONE * (n + 1));
      expect(readSample(users)).toMatchObject({ level: 1, size });
      expect(reader.unit.part(0).sample).toMatchObject({ level: 1, size });
    }
  });
});
