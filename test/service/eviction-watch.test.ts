import { Redis } from 'ioredis';
import { expect } from 'vitest';
import { RedisStore } from '../../src/accumulators/store/redis-store.ts';
import { EvictionWatch } from '../../src/service/start-watch.ts';
import { itWith, type Service } from '../services/it-with.ts';
import { type RunningRedis, startRedis } from '../services/redis.ts';

const REDIS: Service<RunningRedis> = { name: 'redis-server', get: () => startRedis() };
const MINUTE = 60_000;

itWith(REDIS, 'a policy that evicts keys is reported at once, every hour, and when it is over', async (server) => {
  const store = await RedisStore.connect({ url: server.url });
  const admin = new Redis(server.url);
  const told: string[] = [];
  const tell = (level: string) => (details: object, message: string) => {
    told.push(`${level} ${message} ${JSON.stringify(details)}`);
  };
  const watch = new EvictionWatch({ info: tell('info'), warn: tell('warn') });
  const look = async (minute: number): Promise<number> => {
    watch.look((await store.usage()).evictionPolicy, minute * MINUTE);
    return told.length;
  };
  expect(await look(0)).toBe(0);
  await admin.config('SET', 'maxmemory-policy', 'allkeys-lru');
  expect(await look(1)).toBe(1);
  expect(told[0]).toMatch(
    /^warn maxmemory-policy of Redis is not noeviction any more .*allkeys-lru.*set it to noeviction/,
  );
  expect(await look(60)).toBe(1);
  expect(await look(61)).toBe(2);
  await admin.config('SET', 'maxmemory-policy', 'noeviction');
  expect(await look(62)).toBe(3);
  expect(await look(63)).toBe(3);
  expect(told[2]).toMatch(/^info .* is noeviction again/);
  admin.disconnect();
  await store.close();
  await server.stop();
});
