import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { paneKey } from '../../src/accumulators/store/layout.ts';
import { StoreUnavailable } from '../../src/accumulators/store/store-port.ts';
import { MemoryLog } from '../../src/consumers/source/memory-source.ts';
import { NO_PERMISSIONS } from '../../src/unit/resume.ts';
import { Unit } from '../../src/unit/unit.ts';
import { BEGIN, unitDeps, unitSettings } from '../experiment-shop.ts';
import { runs } from '../runs.ts';
import { goingBack } from './claimed-unit.ts';
import { Driver } from './driver.ts';
import { claim, fill, having, LeakyStore, OWNER, PANE, TOTAL, UNIT, USERS } from './lost-histories.ts';

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
      expect(unit.lost).toEqual({ keys: [key], upTo: end, notedUpTo: end });
      fill(log, 300, 330);
      await readOn(log, unit);
      expect(store.checkpoint).toMatchObject({ incompleteBefore: end, lostUpTo: end });
      // It is known for as long as something depends on it, whoever owns the unit.
      await readOn(log, await claim(store));
      expect(store.checkpoint.lostUpTo).toBe(end);
    }
  });

  it.each([
    ['minute', (store: LeakyStore) => store.livePanes.findLast((key) => key.includes(':m:')) ?? ''],
    ['hour', (store: LeakyStore) => store.livePanes.at(-1) ?? ''],
    ['total', () => TOTAL],
  ])(
    'has its commit refused when a %s that it has written, or has read, is gone, and goes on as a claim does',
    async (_, of) => {
      for (const isRead of [false, true]) {
        const { log, store } = isRead ? await having(300) : { log: new MemoryLog(2, 1), store: new LeakyStore() };
        const unit = await claim(store);
        if (!isRead) {
          fill(log, 0, 300);
          await readOn(log, unit);
        }
        const key = of(store);
        expect(store.snapshot().has(key)).toBe(true);
        store.lose(key);
        fill(log, 300, 330);
        new Driver(log, unit).drain();
        expect(await unit.commit()).toBe('CONFLICT');
        expect(store.snapshot().has(key)).toBe(false);
        expect((await claim(store)).lost.keys).toEqual([key]);
      }
    },
  );

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
    ['lacks a row', (store: LeakyStore) => store.loseRow(TOTAL), 2],
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
      { lost: Math.floor(lists / parts), lists: lists + 102 - Math.floor(lists / parts), missing: 0 },
    ]);
    expect(unit.part(0).missing).toBe(Math.floor(lists / parts));
    const next = await claim(store);
    expect(next.lost.keys).toEqual([]);
    expect(next.part(0).missing).toBe(Math.floor(lists / parts));
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

  it.each([
    ['a total of more lists', TOTAL, (store: LeakyStore) => store.alter(TOTAL, /"impressions":/, '"impressions":1')],
    ['a user more', USERS, (store: LeakyStore) => store.put(USERS, '7', '[1,0,0]')],
    ['users at a higher level', USERS, (store: LeakyStore) => store.put(USERS, 'level', '1')],
  ])('is stopped by %s than its checkpoint counts, which is named', async (_, key, harm) => {
    const { store } = await having(300);
    harm(store);
    await expect(claim(store)).rejects.toMatchObject({
      stop: 'damaged',
      message: expect.stringContaining(`${key} is damaged: `),
    });
  });

  it.each([
    ['has seen a variant that is none', (store: LeakyStore) => store.put(USERS, '7', '[7,0,0]')],
    ['has seen no variant', (store: LeakyStore) => store.put(USERS, '7', '[0,0,0]')],
    ['was exposed to another variant than it has seen', (store: LeakyStore) => store.put(USERS, '7', '[1,0,1]')],
    ['has no level', (store: LeakyStore) => store.alterFields(USERS, (fields) => fields.delete('level'))],
  ])('is stopped by a user sample that %s', async (_, harm) => {
    const { store } = await having(300);
    harm(store);
    await expect(claim(store)).rejects.toMatchObject({
      stop: 'damaged',
      message: expect.stringContaining(`${USERS} is damaged: user sample: `),
    });
  });

  it('is counted again from the beginning if its generation is named as damaged, once', async () => {
    const { log, store } = await having(300);
    const whole = store.snapshot();
    store.lose(store.livePanes[0], TOTAL);
    const rebuilding = { ...unitSettings(), permissions: { ...NO_PERMISSIONS, damaged: { generation: '1' } } };
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

  it('is counted again from the beginning if the checkpoint of its last commit cannot be read, once', async () => {
    const { log, store } = await having(300);
    const { cid } = await store.claim(UNIT, 'looks');
    store.alter(UNIT, /"replay":\d+/, '"replay":-1');
    await expect(claim(store)).rejects.toMatchObject({ stop: 'damaged' });
    const begins = { ...unitSettings(), generation: '77' };
    const rebuilding = { ...begins, permissions: { ...NO_PERMISSIONS, damaged: { cid } } };
    const unit = await claim(store, rebuilding);
    expect(unit.isNew).toBe(true);
    await readOn(log, unit);
    expect(store.checkpoint).toMatchObject({ generation: '77', hasGap: false });
    expect((await claim(store, rebuilding)).isNew).toBe(false);
    // What is damaged later is not passed over.
    store.alter(UNIT, /"replay":\d+/, '"replay":-1');
    await expect(claim(store, rebuilding)).rejects.toMatchObject({ stop: 'damaged' });
  });
});
