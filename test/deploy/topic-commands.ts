import type { RunningKafka } from '../services/kafka.ts';
import { readCompose } from './compose-file.ts';

export const TOPIC_TOOL = 'org.apache.kafka.tools.TopicCommand';

/** Makes the topics with the calls of kafka-topics.sh that the service `topics` makes. Returns how many there were. */
export async function makeTopics(kafka: RunningKafka): Promise<number> {
  const [script] = readCompose().services['topics'].command;
  const [, topics, line] = /for topic in ([^;]+); do\s+\/opt\/kafka\/bin\/kafka-topics\.sh (.+)/.exec(script) ?? [];
  const calls = topics
    .split(' ')
    .map((topic) => line.replace('kafka:19092', kafka.brokers[0]).replace('"$$topic"', topic).trim().split(' '));
  for (const args of calls) await kafka.tool(TOPIC_TOOL, args);
  return calls.length;
}
