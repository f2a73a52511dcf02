import { describe, expect, it } from 'vitest';
import { unitKey, usersKey } from '../../src/accumulators/store/layout.ts';
import type { Store } from '../../src/accumulators/store/store-port.ts';
import { ExperimentParts, USERS_PER_READING } from '../../src/experiment/experiment-parts.ts';
import { ShopService } from '../experiment-service.ts';
import { EXPERIMENT, MEASURES, NAMESPACE, nameOfRun } from '../experiment-shop.ts';
import { Driver } from '../unit/driver.ts';
import { claim, fill, having, type LeakyStore, USERS as OTHERS, TOTAL } from '../unit/lost-histories.ts';

const UNIT = unitKey(NAMESPACE, 1);
const USERS = usersKey({ namespace: NAMESPACE, unit: 1, generation: '1' }, EXPERIMENT.name, nameOfRun(EXPERIMENT));

/** A service whose unit 1 holds so many users. */
async function storeOf(users: number): Promise<ShopService['store']> {
  const service = new ShopService();
  const running = await service.start();
  await service.live(100, { A: 1, B: 1 });
  await running.stop();
  const { store } = service;
  const [stored] = await store.read([USERS]);
  const more = Array.from({ length: users - (stored.size - 1) }, (_, n) => [String(n + 1), '[1,0,0]'] as const);
  store.tamper(USERS, Object.fromEntries(more));
  const [unit] = await store.read([UNIT]);
  store.tamper(UNIT, { runs: unit.get('runs')?.replace(/"users":\[0,\d+\]/, `"users":[0,${users}]`) ?? '' });
  return store;
}

/** At which of so many readings, a commit before each, the users were read. */
async function readAt(store: ShopService['store'], readings: number): Promise<readonly number[]> {
  const { inner } = store;
  const parts = new ExperimentParts({ namespace: NAMESPACE, experiments: [EXPERIMENT], measures: MEASURES }, store);
  const at: number[] = [];
  for (let reading = 1; reading <= readings; reading++) {
    store.tamper(UNIT, { seq: String(1000 + reading) });
    store.onRead = (keys) => {
      if (keys.includes(USERS)) at.push(reading);
    };
    const read = await parts.read(1);
    store.onRead = undefined;
    const [held] = await inner.read([USERS]);
    expect(read?.parts[0].sample.size).toBe(held.size - 1);
    expect(read?.parts[0].rows.size).toBe(2);
  }
  return at;
}

describe('a run of which a unit holds more than its state counts', () => {
  const HARMS: readonly (readonly [string, string, (store: LeakyStore) => void])[] = [
    ['lists', TOTAL, (store) => store.alter(TOTAL, /"impressions":/, '"impressions":1')],
    ['users', OTHERS, (store) => store.put(OTHERS, '7', '[1,0,0]')],
    ['levels', OTHERS, (store) => store.put(OTHERS, 'level', '1')],
  ];
  const partsOf = (store: Store) =>
    new ExperimentParts({ namespace: NAMESPACE, experiments: [EXPERIMENT], measures: MEASURES }, store);

  it.each(HARMS)('is damaged: %s', async (_, key, harm) => {
    const { store } = await having(300);
    const [{ lists }] = store.checkpoint.runs;
    harm(store);
    const read = await partsOf(store).read(0);
    expect([...(read?.lost.keys() ?? [])]).toEqual([key]);
    expect(read?.lostLists).toBe(lists);
  });

  it('is whole if there was a commit in between', async () => {
    const { log, store } = await having(200);
    const unit = await claim(store);
    const { read: reading } = store;
    store.read = async (keys) => {
      if (keys.includes(TOTAL)) {
        store.read = reading;
        fill(log, 200, 300);
        new Driver(log, unit).drain();
        await unit.commit();
      }
      return await reading.call(store, keys);
    };
    const before = store.checkpoint.runs[0].lists ?? 0;
    const read = await partsOf(store).read(0);
    expect(store.checkpoint.runs[0].lists).toBeGreaterThan(before);
    expect([read?.lost, read?.lostLists]).toEqual([new Map(), 0]);
  });
});

describe('the users of another unit', () => {
  it.each([
    ['few', USERS_PER_READING, [1, 2, 3, 4, 5, 6, 7]],
    ['more', USERS_PER_READING + 1, [1, 3, 5, 7]],
    ['twice as many', 2 * USERS_PER_READING + 1, [1, 4, 7]],
  ])('are read anew the less often the more they are, with the sums at every reading: %s', async (_, users, at) => {
    expect(await readAt(await storeOf(users), 7)).toEqual(at);
  });
});
