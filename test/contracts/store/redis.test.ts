import { Redis } from 'ioredis';
import { afterAll } from 'vitest';
import { freePort } from '../../services/ports.ts';
import { anyRedis, startRedis } from '../../services/redis.ts';
import { openRedis, redisIsThere } from './redis-harness.ts';
import { storeContract } from './suite.ts';

if (await redisIsThere()) {
  const server = await anyRedis();
  afterAll(() => server.stop());
  storeContract('RedisStore', () => openRedis(server.url));

  const node = await startRedis({
    config: {
      'cluster-enabled': 'yes',
      'cluster-announce-ip': '127.0.0.1',
      // By itself it would add 10,000 to its own port, and that one may be taken, or be none.
      'cluster-port': String(await freePort()),
    },
  });
  afterAll(() => node.stop());
  const admin = new Redis(node.url);
  await admin.cluster('ADDSLOTSRANGE', 0, 16_383);
  while (!String(await admin.cluster('INFO')).includes('cluster_state:ok'))
    await new Promise((go) => setTimeout(go, 50));
  admin.disconnect();
  storeContract('RedisStore on a cluster', () => openRedis(node.url.replace('redis:', 'redis+cluster:')));
}
