import { describe } from 'vitest';
import { itWith } from '../services/it-with.ts';
import { kafkaJars } from '../services/kafka-jars.ts';
import { REDIS } from '../services/redis.ts';
import { expectExact, PATIENCE_MS } from './expect-exact.ts';
import { NAMESPACES_AND_PYTHON } from './network.ts';

const SERVERS = {
  name: 'Kafka, Redis, network namespaces and Python',
  get: async (): Promise<void> => {
    await NAMESPACES_AND_PYTHON.get();
    await REDIS.get();
    await kafkaJars('4.3.1');
  },
};

describe('three brokers, Redis and two workers, each a machine of its own', () => {
  itWith(
    SERVERS,
    'lose nothing and count nothing twice, whichever fails, is cut off, or has a bad line',
    () => expectExact('brokers', ['F10a', 'F48', 'F47', 'F50', 'F14c']),
    PATIENCE_MS,
  );
});
