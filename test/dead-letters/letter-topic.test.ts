import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { LetterQueue } from '../../src/dead-letters/letter-queue.ts';
import { LetterTopic } from '../../src/dead-letters/letter-topic.ts';
import { WallClock } from '../../src/vocabulary/clock.ts';
import { until } from '../consumers/source/kafka/collector.ts';
import { makeTopics } from '../consumers/source/kafka/fixture.ts';
import { itWith } from '../services/it-with.ts';
import { sharedKafka } from '../services/kafka-shared.ts';
import { header, lettersIn } from './letter-log.ts';
import { letter } from './letters.ts';

const KAFKA = sharedKafka({ own: true });

itWith(
  KAFKA,
  'letters wait for a broker that is away, one that is too large does not hold up others, and all are counted',
  async (kafka) => {
    const [topic] = await makeTopics(kafka, 1, 1, { 'max.message.bytes': '10000' });
    const clock = new WallClock();
    const said: string[] = [];
    const say = (_: object, message: string): void => void said.push(message);
    const connection = { brokers: kafka.brokers, clientId: randomUUID() };
    const writer = new LetterTopic(topic, connection, clock);
    const queue = new LetterQueue({ writer, clock, log: { info: say, warn: say } });
    queue.take(letter(0));
    await until('the first is written', () => queue.counts.written === 1);
    await kafka.kill9(1);
    for (let n = 1; n < 5; n++) queue.take(letter(n));
    await until('it is said', () => said.length === 1);
    expect(queue.counts).toEqual({ written: 1, failed: 0, dropped: 0 });
    await kafka.restart(1);
    await until('the others are written', () => queue.counts.written === 5);
    for (const one of [letter(5), letter(6, 'x'.repeat(20_000)), letter(7)]) queue.take(one);
    await until('all are counted', () => queue.counts.written + queue.counts.failed === 8);
    expect(queue.counts).toEqual({ written: 7, failed: 1, dropped: 0 });
    await queue.close(1000);
    const offsets = (await lettersIn(kafka, topic, 7)).map((one) => header(one, '__receval.errors.offset'));
    // Whatever was written in a request whose answer was lost appears twice.
    expect([...new Set(offsets)].sort()).toEqual(['0', '1', '2', '3', '4', '5', '7']);
  },
);
