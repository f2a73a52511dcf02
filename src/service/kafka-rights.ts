/** Rights in Kafka that this user lacks, and how to grant them. */
import type { KafkaConnection } from '../consumers/source/kafka/access/kafka-settings.ts';
import type { Unreadable } from '../consumers/source/kafka/flow/brokers.ts';
import { shellWord } from '../vocabulary/shell-word.ts';

/** The brokers that a client asks, and its user. */
export type Asking = Pick<KafkaConnection, 'brokers' | 'sasl'>;

/** The message that a worker may not read a topic, or join its group, and how to allow it. */
export function unreadableText({ kind, name }: Unreadable, connection: Asking): string {
  const what = kind === 'topic' ? 'a worker cannot read it' : 'no worker can join it';
  return `this user lacks the right READ on the ${kind} ${name}, and ${what}. Allow it: ${allowReading({ kind, name }, connection)}`;
}

function allowReading({ kind, name }: Unreadable, connection: Asking): string {
  return isOfAws(connection)
    ? `${kind === 'topic' ? 'kafka-cluster:ReadData' : 'kafka-cluster:AlterGroup'}, ${FOR_ITS_ROLE}`
    : acls('Read', kind, name, connection);
}

/** How to grant this user the right to see the settings of a topic. */
export function allowSettings(topic: string, connection: Asking): string {
  return isOfAws(connection)
    ? `kafka-cluster:DescribeTopicDynamicConfiguration, ${FOR_ITS_ROLE}`
    : acls('DescribeConfigs', 'topic', topic, connection);
}

const FOR_ITS_ROLE = 'for its role in AWS';

function isOfAws({ sasl }: Asking): boolean {
  return sasl?.mechanism === 'msk-iam';
}

function acls(operation: string, kind: Unreadable['kind'], name: string, { brokers, sasl }: Asking): string {
  const user = sasl !== undefined && 'username' in sasl ? sasl.username : '<name>';
  return (
    `kafka-acls --bootstrap-server ${brokers[0]} --add --allow-principal User:${user} --operation ${operation} ` +
    `--${kind} ${shellWord(name)}`
  );
}
