/**
 * Records what this version of receval stores of the first half of the history, in a Redis of its own:
 *
 *   node --import tsx test/stored-format/record.ts <format> > test/stored-format/state-<format>.json
 *
 * To be run once for each format version, by the last version of receval that writes it. What is recorded stays as it is.
 */
import { Redis } from 'ioredis';
import { RedisStore } from '../../src/accumulators/store/redis-store.ts';
import { startRedis } from '../services/redis.ts';
import { startRecorded } from './history.ts';

const server = await startRedis();
const store = await RedisStore.connect({ url: server.url, rowTtl: 3_600_000 });
const format = Number(process.argv[2]);
await startRecorded(store, format, 0.5);
await store.close();
const client = new Redis(server.port, '127.0.0.1');
const keys = (await client.keys('receval:{recorded:*')).sort();
const hashes: Record<string, Record<string, string>> = {};
for (const key of keys) {
  const fields = await client.hgetallBuffer(key);
  hashes[key] = Object.fromEntries(
    Object.entries(fields)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([field, value]) => [field, value.toString('base64')]),
  );
}
client.disconnect();
await server.stop();
process.stdout.write(`${JSON.stringify(hashes, undefined, 1)}\n`);
