import { describe, expect } from 'vitest';
import { z } from 'zod';
import { itWith } from '../services/it-with.ts';
import { sharedKafka } from '../services/kafka-shared.ts';
import { makeTopics, TOPIC_TOOL } from './topic-commands.ts';

// Topics of the names that are shipped.
const KAFKA = sharedKafka({ own: true });

describe('the service `topics` of docker-compose.yml', () => {
  itWith(KAFKA, 'makes the topics, and changes nothing when it runs again', async (kafka) => {
    expect(await makeTopics(kafka)).toBe(2);
    await makeTopics(kafka);
    const described = await kafka.tool(TOPIC_TOOL, ['--bootstrap-server', kafka.brokers[0], '--describe']);
    const topics = z
      .array(z.tuple([z.string(), z.string(), z.string()]))
      .parse(
        [...described.matchAll(/Topic: (\w+)\s.*PartitionCount: (\d+)\s.*Configs: (\S*)/g)].map(
          ([, ...found]) => found,
        ),
      )
      .filter(([name]) => !name.startsWith('__'));
    expect(topics.map(([name, partitions]) => [name, partitions]).sort()).toEqual([
      ['feedback', '12'],
      ['impressions', '12'],
    ]);
    for (const [, , config] of topics) {
      expect(config.split(',')).toEqual(
        expect.arrayContaining(['retention.ms=604800000', 'max.message.bytes=1048576']),
      );
    }
  });
});
