import { describe, expect } from 'vitest';
import { z } from 'zod';
import { itWith } from '../services/it-with.ts';
import { sharedKafka } from '../services/kafka.ts';
import { readCompose } from './compose-file.ts';

const KAFKA = sharedKafka();

/** The calls of kafka-topics.sh that the service `topics` makes, with the broker of the test. */
function calls(broker: string): readonly (readonly string[])[] {
  const [script] = readCompose().services['topics'].command;
  const [, topics, line] = /for topic in ([^;]+); do\s+\/opt\/kafka\/bin\/kafka-topics\.sh (.+)/.exec(script) ?? [];
  return topics
    .split(' ')
    .map((topic) => line.replace('kafka:19092', broker).replace('"$$topic"', topic).trim().split(' '));
}

describe('the service `topics` of docker-compose.yml', () => {
  itWith(
    KAFKA,
    'makes the topics, and changes nothing when it runs again',
    async (kafka) => {
      const TOOL = 'org.apache.kafka.tools.TopicCommand';
      const made = calls(kafka.brokers[0]);
      expect(made.length).toBe(2);
      for (const args of [...made, ...made]) await kafka.tool(TOOL, args);
      const described = await kafka.tool(TOOL, ['--bootstrap-server', kafka.brokers[0], '--describe']);
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
    },
    180_000,
  );
});
