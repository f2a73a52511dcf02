import { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import { fromStored } from '../../../src/accumulators/store/checksums.ts';
import { RedisStore, type RedisStoreOptions } from '../../../src/accumulators/store/redis-store.ts';
import type { StoreSnapshot } from '../../restorable-store.ts';
import { ServiceMissing } from '../../services/debian.ts';
import { tryToGet } from '../../services/it-with.ts';
import { REDIS } from '../../services/redis.ts';
import type { StoreHarness } from './suite.ts';

/** Whether a server can be had; if not, one test that counts as skipped says why, and with CI=true fails. */
export async function redisIsThere(): Promise<boolean> {
  if ((process.env['REDIS_URL'] ?? '') !== '') return true;
  const found = await tryToGet(REDIS);
  if (!(found instanceof ServiceMissing)) return true;
  it('needs a Redis server', (context) => {
    if (process.env['CI'] === 'true') throw found;
    context.skip(found.message);
  });
  return false;
}

export interface RedisHarness extends StoreHarness {
  readonly store: RedisStore;
  /** Another client, which does as asked. */
  readonly admin: Redis;
  /** All hashes of these tests as commits gave them, whoever wrote them. */
  snapshot(): Promise<StoreSnapshot>;
}

/** A store on a server that others may use too: it touches only keys of namespaces that begin with `contract`. */
export async function openRedis(url: string, options: Partial<RedisStoreOptions> = {}): Promise<RedisHarness> {
  const admin = new Redis(url.replace('redis+cluster:', 'redis:'));
  const keys = (): Promise<string[]> => admin.keys('receval:{contract*');
  const wipe = async (): Promise<void> => {
    const all = await keys();
    if (all.length > 0) await Promise.all(all.map((key) => admin.del(key)));
  };
  await wipe();
  const store = await RedisStore.connect({ url, ...options });
  return {
    store,
    admin,
    wipe,
    async backup() {
      const dumps = await Promise.all((await keys()).map(async (key) => [key, await admin.dumpBuffer(key)] as const));
      return async () => {
        await wipe();
        await Promise.all(dumps.map(([key, dump]) => admin.restore(key, 0, dump)));
      };
    },
    async snapshot() {
      const all = (await keys()).sort();
      return new Map(
        await Promise.all(
          all.map(async (key) => [key, fromStored(key, new Map(Object.entries(await admin.hgetall(key))))] as const),
        ),
      );
    },
    async close() {
      await wipe();
      await store.close();
      admin.disconnect();
    },
  };
}

/** A snapshot whose order does not count. */
export function sorted(
  snapshot: StoreSnapshot,
): readonly (readonly [string, readonly (readonly [string, string])[]])[] {
  return [...snapshot].map(([key, fields]) => [key, [...fields].sort()] as const).sort(([a], [b]) => (a < b ? -1 : 1));
}

export function expectSame(found: StoreSnapshot, expected: StoreSnapshot): void {
  expect(sorted(found)).toEqual(sorted(expected));
}
