import { describe, expect } from 'vitest';
import { itWith } from '../../../../services/it-with.ts';
import type { RunningKafka } from '../../../../services/kafka.ts';
import { sharedKafka } from '../../../../services/kafka-shared.ts';
import { Collector, range, until } from '../collector.ts';
import { makeTopics, sourceOver } from '../fixture.ts';
import { Told } from '../told.ts';

const KAFKA = sharedKafka();
const CODECS = ['gzip', 'snappy', 'lz4', 'zstd'];

/** Writes lines with Kafka's own producer, in as few batches as it likes. */
async function write(kafka: RunningKafka, topic: string, codec: string, lines: readonly string[]): Promise<void> {
  const large = ['max.request.size=200000000', 'buffer.memory=200000000', 'batch.size=500000'];
  await kafka.tool(
    'org.apache.kafka.tools.ConsoleProducer',
    [
      '--bootstrap-server',
      kafka.brokers.join(','),
      '--topic',
      topic,
      `--compression-codec=${codec}`,
      ...large.flatMap((property) => ['--command-property', property]),
    ],
    lines.map((line) => `${line}\n`).join(''),
  );
}

describe('batches that real producers compressed', () => {
  itWith(KAFKA, 'are read as they were written, with every codec', async (kafka) => {
    // Some that repeat, some that do not, one that is longer than any window of 64 KiB.
    const lines = range(0, 3000).map((i) => `{"n":${i},"text":"${'ab'.repeat(i % 40)}${Math.sin(i)}"}`);
    lines.push('x'.repeat(300_000));
    const topics = await makeTopics(kafka, 4, 1);
    for (let i = 0; i < 4; i++) await write(kafka, topics[i], CODECS[i], lines);
    const source = sourceOver(kafka, topics);
    const read = new Collector(source);
    await until('all is read', () => range(0, 4).every((topic) => read.offsets(topic).length === lines.length));
    await read.stop();
    for (const topic of range(0, 4)) expect(read.values(topic)).toEqual(lines);
  });

  itWith(
    KAFKA,
    'stop their own topic when they are bombs; others go on, memory stays, and a seek skips them',
    async (kafka) => {
      const topics = await makeTopics(kafka, 5, 1, { 'max.message.bytes': String(8 * 2 ** 20) });
      // Too large to share a batch with its neighbours.
      const bomb = '0'.repeat(33 * 2 ** 20);
      for (let i = 0; i < 4; i++) await write(kafka, topics[i], CODECS[i], ['before', bomb, 'behind']);
      await write(kafka, topics[4], 'lz4', ['other']);
      const told = new Told();
      const source = sourceOver(kafka, topics, told);
      const read = new Collector(source);
      const before = process.memoryUsage.rss();
      await until('all bombs are refused', () => told.refused.length === 4 && read.values(4).length === 1);
      expect(process.memoryUsage.rss() - before).toBeLessThan(200 * 2 ** 20);
      for (const { topic, from, to, reason } of told.refused) {
        expect([from, to]).toEqual([1, 2]);
        expect(reason).toMatch(new RegExp(CODECS[topic]));
        expect(read.values(topic)).toEqual(['before']);
        source.seek(0, topic, to);
      }
      await until('what is behind them is read', () => range(0, 4).every((topic) => read.values(topic).length === 2));
      await read.stop();
      for (const topic of range(0, 4)) expect(read.values(topic)).toEqual(['before', 'behind']);
    },
  );
});
