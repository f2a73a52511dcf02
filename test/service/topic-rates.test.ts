import { expect } from 'vitest';
import { KafkaAdmin } from '../../src/consumers/source/kafka/access/admin.ts';
import { topicRates } from '../../src/service/topic-sample.ts';
import { makeTopics, produce } from '../consumers/source/kafka/fixture.ts';
import { itWith } from '../services/it-with.ts';
import { sharedServers } from './stand.ts';

const NOW = Date.now();
const SECOND = 1000;

/** Records that begin so long ago, one each second, up to now. */
function everySecond(seconds: number, partition = 0) {
  return Array.from({ length: seconds }, (_, n) => ({
    value: 'x',
    partition,
    timestamp: NOW - (seconds - n) * SECOND,
  }));
}

itWith(
  sharedServers(),
  'traffic is measured since it began, for half a minute at least and ten minutes at most',
  async ({ kafka }) => {
    const [fresh, steady, again, burst, empty] = await makeTopics(kafka, 5, 2);
    await produce(kafka, fresh, [...everySecond(60), ...everySecond(30, 1)]);
    await produce(kafka, steady, everySecond(1200));
    // Somebody tried it an hour ago.
    await produce(kafka, again, [{ value: 'x', timestamp: NOW - 3_600_000 }, ...everySecond(60)]);
    await produce(kafka, burst, Array(60).fill({ value: 'x', timestamp: NOW - 10 }));
    const names = [fresh, steady, again, burst, empty];
    const admin = new KafkaAdmin({ brokers: kafka.brokers, clientId: 'test', topics: names });
    const bounds = await Promise.all(
      names.map((_, topic) => Promise.all([0, 1].map((partition) => admin.questions.bounds(partition, topic)))),
    );
    expect(await topicRates(admin, names, bounds, NOW)).toEqual([
      { perSecond: [1, 0.5], span: 60 * SECOND, age: 60 * SECOND },
      { perSecond: [1, 0], span: 600 * SECOND, age: 600 * SECOND },
      { perSecond: [1, 0], span: 60 * SECOND, age: 60 * SECOND },
      { perSecond: [2, 0], span: 30 * SECOND, age: 10 },
      { perSecond: [0, 0], span: 600 * SECOND, age: undefined },
    ]);
    await admin.close();
  },
);
