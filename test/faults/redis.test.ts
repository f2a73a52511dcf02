import { describe } from 'vitest';
import { itWith } from '../services/it-with.ts';
import { kafkaJars } from '../services/kafka-jars.ts';
import { REDIS } from '../services/redis.ts';
import { expectExact, PATIENCE_MS } from './expect-exact.ts';
import { NAMESPACES } from './network.ts';

const SERVERS = {
  name: 'Kafka and Redis',
  get: async (): Promise<void> => {
    await REDIS.get();
    await kafkaJars('4.3.1');
  },
};
const MACHINES = {
  name: 'Kafka, Redis and network namespaces',
  get: async (): Promise<void> => {
    await NAMESPACES.get();
    await SERVERS.get();
  },
};

describe('workers lose nothing and count nothing twice', () => {
  itWith(
    SERVERS,
    'when Redis is killed, stopped, read-only, busy, or forgets its scripts',
    () => expectExact('redis', ['F23', 'F28', 'F29', 'F31', 'F32']),
    PATIENCE_MS,
  );

  itWith(SERVERS, 'when Redis comes back with an old snapshot', () => expectExact('snapshots', ['F55']), PATIENCE_MS);

  itWith(
    MACHINES,
    'when sentinels put a replica in the place of the primary, and it lacks writes',
    () => expectExact('sentinel', ['F27', 'F26']),
    PATIENCE_MS,
  );
});
