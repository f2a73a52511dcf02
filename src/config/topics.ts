import { z } from 'zod';
import { TS_UNITS } from '../consumers/decode/settings.ts';
import { saslSchema, tlsSchema } from './access.ts';
import { durationBetween, group, list, textOf, word } from './values.ts';

const source = z.union([z.string(), z.strictObject({ const: z.union([z.string(), z.number(), z.boolean()]) })], {
  error: 'expected a JSON pointer such as /context/id, or {const: value}',
});
const map = z.record(z.string(), source, { error: 'expected fields and where they are, such as {requestId: /id}' });
const adapter = z.union([word(['canonical', 'open-bandit']), z.strictObject({ map })], {
  error: 'expected canonical, open-bandit or {map: {field: pointer}}',
});

export const topicName = textOf(
  'the name of a topic (letters, digits and ._-, at most 249)',
  /^[A-Za-z0-9._-]{1,249}$/,
  (text) => text !== '.' && text !== '..',
);
const topic = group({
  name: topicName,
  adapter: adapter.optional().meta({ description: 'how records become events; default canonical' }),
  tsUnit: word(TS_UNITS).optional().meta({ description: 'unit of a ts that is a number; default ms' }),
  positionBase: z
    .union([z.literal(0), z.literal(1)], { error: 'expected 0 or 1' })
    .optional()
    .meta({ description: 'position of the first slot; default 1' }),
});

const broker = textOf('host:port, such as localhost:9092', /^(?:\[[0-9a-fA-F:]+\]|[^\s:,/@[\]]+):[0-9]{1,5}$/, hasPort);

export const kafkaSchema = group({
  brokers: list(broker, 'brokers, such as [localhost:9092]', 1).prefault(['localhost:9092']),
  groupId: textOf('the name of a consumer group', /^\S{1,249}$/).prefault('receval'),
  sessionTimeout: durationBetween('1s', '30m').prefault('30s'),
  tls: tlsSchema.prefault(false),
  sasl: saslSchema.nullable().prefault(null),
  topics: group({
    impressions: topic.prefault({ name: 'impressions' }),
    feedback: z
      .union([topic, list(topic, 'topics', 1)], {
        error: 'expected a topic such as {name: feedback}, or a list of them',
      })
      .prefault([{ name: 'feedback' }]),
  }).prefault({}),
});

export type TopicDocument = z.output<typeof topic>;
export type TopicsDocument = z.output<typeof kafkaSchema>['topics'];

function hasPort(text: string): boolean {
  const port = Number(text.slice(text.lastIndexOf(':') + 1));
  return port >= 1 && port <= 65_535;
}
