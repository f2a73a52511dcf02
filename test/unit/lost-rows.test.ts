import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { liveKeys } from '../../src/accumulators/panes-settings.ts';
import { decodeCheckpoint, type UnitCheckpoint } from '../../src/accumulators/store/checkpoint-codec.ts';
import { paneKey, totalKey, unitKey } from '../../src/accumulators/store/layout.ts';
import { StoreUnavailable } from '../../src/accumulators/store/store-port.ts';
import { MemoryLog } from '../../src/consumers/source/memory-source.ts';
import { NO_PERMISSIONS } from '../../src/unit/resume.ts';
import { Unit } from '../../src/unit/unit.ts';
import type { UnitSettings } from '../../src/unit/unit-contract.ts';
import { append, BEGIN, EXPERIMENT, NAMESPACE, nameOfRun, unitDeps, unitSettings } from '../experiment-shop.ts';
import { RestorableStore } from '../restorable-store.ts';
import { runs } from '../runs.ts';
import { goingBack } from './claimed-unit.ts';
import { Driver } from './driver.ts';

const UNIT = unitKey(NAMESPACE, 0);
const OWNER = { namespace: NAMESPACE, unit: 0, generation: '1' };
const TOTAL = totalKey(OWNER, EXPERIMENT.name, nameOfRun(EXPERIMENT));
const PANE = unitSettings().panes.paneSize;

/** A store in which keys can be lost. */
class LeakyStore extends RestorableStore {
  get checkpoint(): UnitCheckpoint {
    return decodeCheckpoint(this.snapshot().get(UNIT) ?? new Map());
  }

  lose(...keys: readonly string[]): void {
    this.restoreSnapshot(new Map([...this.snapshot()].filter(([key]) => !keys.includes(key))));
  }

  alter(key: string, from: RegExp, to: string): void {
    this.restoreSnapshot(
      new Map(
        [...this.snapshot()].map(([one, fields]) => [
          one,
          one === key ? new Map([...fields].map(([field, text]) => [field, text.replace(from, to)])) : fields,
        ]),
      ),
    );
  }

  /** What a claim reads of panes that can still change, minutes and hours. */
  get livePanes(): readonly string[] {
    const { panes, join } = this.checkpoint;
    const settings = { ...unitSettings().panes, owner: OWNER, closedUpTo: join.watermark };
    return liveKeys(settings, panes, join.watermark).filter((key) => key.includes(':pane:'));
  }
}

async function claim(store: LeakyStore, settings: UnitSettings = unitSettings()): Promise<Unit> {
  return await Unit.claim(settings, unitDeps(store));
}

/** A list a second, from turn to turn in A and B; each third one is clicked. */
function fill(log: MemoryLog, from: number, to: number): void {
  for (let n = from; n < to; n++) {
    const shown = { ts: BEGIN + 1000 * n, variant: n % 2 === 0 ? 'A' : 'B', user: `u${n}` };
    append(log, 0, n % 3 === 0 ? { ...shown, click: 1 } : shown);
  }
}

/** A unit has read and committed so many lists, and its owner is gone. */
async function having(lists: number): Promise<{ readonly log: MemoryLog; readonly store: LeakyStore }> {
  const log = new MemoryLog(2, 1);
  const store = new LeakyStore();
  fill(log, 0, lists);
  const unit = await claim(store);
  new Driver(log, unit).drain();
  expect(await unit.commit()).toBe('OK');
  return { log, store };
}

async function readOn(log: MemoryLog, unit: Unit): Promise<void> {
  new Driver(log, unit).drain();
  expect(['OK', 'NOTHING_NEW']).toContain(await unit.commit());
}

describe('a unit whose owner changes', () => {
  it('has lost nothing, however often it commits and changes hands', async () => {
    let claims = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 150 }), { maxLength: 12 }), async (steps) => {
        const log = new MemoryLog(2, 1);
        const store = new LeakyStore();
        let read = 0;
        for (const lists of steps) {
          const unit = await claim(store);
          expect(unit.lost.keys).toEqual([]);
          fill(log, read, read + lists);
          read += lists;
          await readOn(log, unit);
          if (lists > 0) expect(store.checkpoint.lostUpTo).toBe(Number.NEGATIVE_INFINITY);
          claims++;
        }
      }),
      { numRuns: runs(60) },
    );
    expect(claims).toBeGreaterThan(100);
  });

  it('finds every pane that it needs and that is gone, says so in its checkpoint, and calls nothing before its end complete', async () => {
    const all = (await having(300)).store.livePanes;
    expect(all.length).toBeGreaterThan(4);
    for (const key of all) {
      const { log, store } = await having(300);
      store.lose(key);
      const unit = await claim(store);
      const end = Number(key.split(':').at(-1)) + (key.includes(':m:') ? PANE : unitSettings().panes.hour);
      expect(unit.lost).toEqual({ keys: [key], upTo: end });
      fill(log, 300, 330);
      await readOn(log, unit);
      expect(store.checkpoint).toMatchObject({ incompleteBefore: end, lostUpTo: end });
      // It is known for as long as something depends on it, whoever owns the unit.
      await readOn(log, await claim(store));
      expect(store.checkpoint.lostUpTo).toBe(end);
    }
  });

  it('does not miss a pane that event time has passed: only its readers need that', async () => {
    const { store } = await having(300);
    const sealed = paneKey(OWNER, 'm', Math.floor(BEGIN / PANE) * PANE);
    expect(store.snapshot().has(sealed)).toBe(true);
    expect(store.livePanes).not.toContain(sealed);
    store.lose(sealed);
    expect((await claim(store)).lost.keys).toEqual([]);
  });

  it.each([
    ['is gone', (store: LeakyStore) => store.lose(TOTAL), 1],
    [
      'lacks a row',
      (store: LeakyStore) => {
        const rows = new Map(store.snapshot().get(TOTAL));
        rows.delete([...rows.keys()][0]);
        store.restoreSnapshot(new Map([...store.snapshot(), [TOTAL, rows]]));
      },
      2,
    ],
  ])('counts the lists of a run whose total %s as lost, and goes on from what is left', async (_, harm, parts) => {
    const { log, store } = await having(302);
    const [{ lists = 0 }] = store.checkpoint.runs;
    expect(lists).toBeGreaterThan(200);
    harm(store);
    const unit = await claim(store);
    expect(unit.lost.keys).toEqual([TOTAL]);
    fill(log, 302, 404);
    await readOn(log, unit);
    expect(store.checkpoint.runs).toMatchObject([
      { lost: Math.ceil(lists / parts), lists: lists + 102 - Math.ceil(lists / parts), missing: 0 },
    ]);
    expect(unit.part(0).missing).toBe(Math.ceil(lists / parts));
    const next = await claim(store);
    expect(next.lost.keys).toEqual([]);
    expect(next.part(0).missing).toBe(Math.ceil(lists / parts));
  });

  it('does not take an empty total for a lost one before a list of the run has closed', async () => {
    const { store } = await having(30);
    expect(store.checkpoint.runs).toMatchObject([{ lists: 0 }]);
    expect(store.snapshot().has(TOTAL)).toBe(false);
    expect((await claim(store)).lost.keys).toEqual([]);
  });

  it('asks whether it is still the owner before it takes anything for lost: a store that went back lacks rows, too', async () => {
    const { log, store } = await having(200);
    const before = store.snapshot();
    const unit = await claim(store);
    fill(log, 200, 300);
    await readOn(log, unit);
    await expect(Unit.claim(unitSettings(), unitDeps(goingBack(store, before)))).rejects.toBeInstanceOf(
      StoreUnavailable,
    );
  });

  it.each(['positives', 'userless'])('is stopped by a row with more %s than lists, which is named', async (part) => {
    const { store } = await having(300);
    const [key] = store.livePanes;
    store.alter(key, new RegExp(`"${part}":\\d+`), `"${part}":931`);
    await expect(claim(store)).rejects.toMatchObject({
      name: 'CheckpointError',
      stop: 'damaged',
      message: expect.stringContaining(`of ${key} is damaged: row.${part}: 931 of`),
    });
  });

  it('is counted again from the beginning if its generation is told to be damaged, once', async () => {
    const { log, store } = await having(300);
    const whole = store.snapshot();
    store.lose(store.livePanes[0], TOTAL);
    const rebuilding = { ...unitSettings(), permissions: { ...NO_PERMISSIONS, damaged: '1' } };
    const unit = await claim(store, rebuilding);
    expect([unit.isNew, unit.lost.keys]).toEqual([true, []]);
    await readOn(log, unit);
    const { generation, incompleteBefore, lostUpTo, runs: states } = store.checkpoint;
    expect({ generation, incompleteBefore, lostUpTo }).toEqual({
      generation: '2',
      incompleteBefore: BEGIN,
      lostUpTo: Number.NEGATIVE_INFINITY,
    });
    expect(states.map(({ lists, ended }) => [lists, ended?.generation])).toEqual([
      [store.checkpoint.runs[0].lists, undefined],
      [store.checkpoint.runs[0].lists, '1'],
    ]);
    const rowsIn = (of: Iterable<readonly [string, ReadonlyMap<string, string>]>, generation: string) =>
      [...of]
        .filter(([key]) => key.includes(`:${generation}:pane:`))
        .map(([key, rows]) => [key.split('pane:')[1], [...rows]]);
    expect(rowsIn(store.snapshot(), '2').sort()).toEqual(rowsIn(whole, '1').sort());
    expect(rowsIn(store.snapshot(), '1')).toEqual([]);
    expect((await claim(store, rebuilding)).isNew).toBe(false);
  });
});
