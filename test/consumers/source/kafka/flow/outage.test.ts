import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { itWith } from '../../../../services/it-with.ts';
import { sharedKafka } from '../../../../services/kafka-shared.ts';
import { Collector, range, until } from '../collector.ts';
import { client, makeTopics, PATIENT, produce, sourceOver } from '../fixture.ts';
import { Told } from '../told.ts';

const KAFKA = sharedKafka({ own: true });
const CLUSTER = sharedKafka({ brokers: 3 });
/** Far above the timeout of a stop, and below the one of a request. */
const SOON_MS = 20_000;
/** A session longer than this test waits for anything. */
const ENDLESS = { ...PATIENT, sessionTimeout: 1_500_000, rebalanceTimeout: 1_500_000 };
const numbered = (count: number) => range(0, count).map((i) => ({ value: String(i) }));

describe('when brokers fail', () => {
  itWith(
    KAFKA,
    'reading resumes after the only broker was killed and came back, without loss or repetition',
    async (kafka) => {
      const topics = await makeTopics(kafka, 2, 2);
      for (const topic of topics) await produce(kafka, topic, numbered(500));
      const source = sourceOver(kafka, topics);
      const read = new Collector(source);
      await until('the first are read', () => read.offsets(0).length === 500 && read.offsets(1).length === 500);
      await kafka.kill9(1);
      await sleep(3000);
      await kafka.restart(1);
      for (const topic of topics) await produce(kafka, topic, numbered(300));
      await until('the rest is read', () => read.offsets(0).length === 800 && read.offsets(1).length === 800);
      await read.stop();
      for (const topic of [0, 1]) expect(read.offsets(topic)).toEqual(range(0, 800));
    },
  );

  itWith(
    KAFKA,
    'a consumer that was ended by an outage does not hold up the one that replaces it until its session is over',
    async (kafka) => {
      const topics = await makeTopics(kafka, 1, 2);
      const groupId = randomUUID();
      const told = new Told();
      const source = sourceOver(kafka, topics, told, { groupId, times: ENDLESS });
      const read = new Collector(source);
      await until('it has joined', () => read.assignments.length === 1);
      await kafka.kill9(1);
      await until('its consumer has ended', () =>
        told.warnings.some((warning) => warning.includes('the consumer has ended and is replaced')),
      );
      await until('what to do is known', () => /; check kafka\.brokers and the network$/.test(source.trouble ?? ''));
      await kafka.restart(1);
      await until('it has joined again', () => read.assignments.length === 2);
      const admin = client(kafka).admin();
      await admin.connect();
      expect((await admin.describeGroups([groupId])).groups[0].members.length).toBe(1);
      await admin.disconnect();
      await read.stop();
    },
  );

  itWith(KAFKA, 'a source waits for brokers that are not there yet, and stops soon all the same', async (kafka) => {
    const topics = await makeTopics(kafka, 1, 1);
    await produce(kafka, topics[0], numbered(10));
    await kafka.kill9(1);
    const told = new Told();
    const waiting = new Collector(sourceOver(kafka, topics, told));
    const source = sourceOver(kafka, topics);
    const read = new Collector(source);
    const answers = source.answers();
    await sleep(1500);
    const began = performance.now();
    await waiting.stop();
    expect(performance.now() - began).toBeLessThan(SOON_MS);
    expect(await answers).toBe(false);
    await kafka.restart(1);
    await until('it reads', () => read.offsets().length === 10);
    await read.stop();
  });

  itWith(
    KAFKA,
    'a source says that its broker is silent as soon as a fetch has failed, and no more when it answers',
    async (kafka) => {
      const topics = await makeTopics(kafka, 1, 1);
      await produce(kafka, topics[0], numbered(10));
      const source = sourceOver(kafka, topics);
      const read = new Collector(source);
      await until('it reads', () => read.offsets().length === 10);
      expect(source.trouble).toBeUndefined();
      kafka.freeze(1);
      try {
        await until('it says so', () => /: broker 1 does not answer/.test(source.trouble ?? ''));
      } finally {
        kafka.thaw(1);
      }
      await produce(kafka, topics[0], numbered(10));
      await until('it reads again', () => read.offsets().length === 20 && source.trouble === undefined);
      await read.stop();
    },
  );

  itWith(KAFKA, 'a source that reads stops soon while its broker is silent', async (kafka) => {
    const topics = await makeTopics(kafka, 1, 1);
    const read = new Collector(sourceOver(kafka, topics));
    await until('it has joined', () => read.assignments.length === 1);
    kafka.freeze(1);
    await sleep(500);
    const began = performance.now();
    await read.stop();
    expect(performance.now() - began).toBeLessThan(SOON_MS);
    kafka.thaw(1);
  });

  itWith(
    KAFKA,
    'a topic that is deleted ends nothing: its count is 0, and the other topic is left in place',
    async (kafka) => {
      const topics = await makeTopics(kafka, 2, 1);
      for (const topic of topics) await produce(kafka, topic, numbered(10));
      const told = new Told();
      const source = sourceOver(kafka, topics, told, { groupId: randomUUID() });
      const read = new Collector(source);
      await until('both are read', () => read.offsets(0).length + read.offsets(1).length === 20);
      const admin = client(kafka).admin();
      await admin.connect();
      await admin.deleteTopics({ topics: [topics[1]] });
      await admin.disconnect();
      await sleep(8000);
      expect(await source.partitionCounts()).toEqual([1, 0]);
      const isOver = await Promise.race([read.ended.then((error) => error ?? 'over'), sleep(10, 'running')]);
      expect(isOver).toBe('running');
      await read.stop();
    },
  );

  itWith(
    CLUSTER,
    'each of three brokers may be killed in turn, leaders and coordinator too: nothing is lost or read twice',
    async (kafka) => {
      const topics = await makeTopics(kafka, 2, 3);
      const told = new Told();
      const read = new Collector(sourceOver(kafka, topics, told));
      const each = topics.flatMap((_, topic) => [0, 1, 2].map((partition) => ({ topic, partition })));
      let made = 0;
      const isRead = (): boolean => each.every(({ topic, partition }) => read.offsets(topic, partition).length >= made);
      const more = async (): Promise<void> => {
        const producer = client(kafka).producer({ idempotent: true, maxInFlightRequests: 1 });
        await until('the producer is connected', () =>
          producer.connect().then(
            () => true,
            () => false,
          ),
        );
        for (const { topic, partition } of each) {
          await producer.send({
            topic: topics[topic],
            messages: range(0, 100).map((i) => ({ value: String(made + i), partition })),
          });
        }
        await producer.disconnect();
        made += 100;
      };
      await more();
      await until('the first are read', isRead);
      for (const broker of [1, 2, 3]) {
        await kafka.kill9(broker);
        await more();
        await kafka.restart(broker);
        await more();
        await until(`it goes on after broker ${broker}`, isRead);
      }
      await read.stop();
      for (const { topic, partition } of each) {
        expect(read.offsets(topic, partition)).toEqual(range(0, made));
        expect(read.values(topic, partition)).toEqual(range(0, made).map(String));
      }
      expect([...told.gaps, ...told.lost]).toEqual([]);
    },
    900_000,
  );
});
