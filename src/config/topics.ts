import { z } from 'zod';
import { TS_UNITS } from '../consumers/decode/settings.ts';
import { saslSchema, tlsSchema } from './access.ts';
import { durationBetween, group, list, textOf, word } from './values.ts';

const scalar = z.union([z.string(), z.number(), z.boolean()], { error: 'expected a text, a number, true or false' });
const source = z.union([z.string(), z.strictObject({ const: scalar })], {
  error: 'expected a JSON pointer such as /context/id, or {const: value}',
});
const map = z.record(z.string(), source, { error: 'expected fields and where they are, such as {requestId: /id}' });
const when = z.record(z.string(), z.union([scalar, list(scalar, 'values', 1)]), {
  error: 'expected JSON pointers and values, such as {/event: Product Clicked}',
});
const oneOfMaps = z.strictObject(
  {
    when: when.optional().meta({ description: 'pointers and the value, or values, that a record must have there' }),
    map: map.meta({ description: 'where each field stands in such a record' }),
  },
  { error: 'expected {when: {pointer: value}, map: {field: pointer}}' },
);
const adapter = z.union(
  [
    word(['canonical', 'open-bandit']),
    z.strictObject({ map: map.meta({ description: 'where each field stands in a record of yours' }) }),
    z.strictObject({
      maps: list(oneOfMaps, 'maps, each with when and map', 1).meta({
        description: 'for a topic of several kinds of records: the first whose conditions a record meets is used',
      }),
    }),
  ],
  {
    error: 'expected canonical, open-bandit, {map: {field: pointer}} or {maps: [{when, map}]}',
  },
);

export const topicName = textOf(
  'the name of a topic (letters, digits and ._-, at most 249)',
  /^[A-Za-z0-9._-]{1,249}$/,
  (text) => text !== '.' && text !== '..',
);
const topic = group({
  name: topicName.meta({ description: 'of the topic; the same name on both sides is one topic of both kinds' }),
  adapter: adapter.optional().meta({ description: 'how records become events. Default: canonical' }),
  tsUnit: word(TS_UNITS).optional().meta({ description: 'unit of times that are numbers. Default: ms' }),
  positionBase: z
    .union([z.literal(0), z.literal(1)], { error: 'expected 0 or 1' })
    .optional()
    .meta({ description: 'position of the first slot. Default: 1' }),
});

const broker = textOf('host:port, such as localhost:9092', /^(?:\[[0-9a-fA-F:]+\]|[^\s:,/@[\]]+):[0-9]{1,5}$/, hasPort);

export const kafkaSchema = group({
  brokers: list(broker, 'brokers, such as [localhost:9092]', 1)
    .prefault(['localhost:9092'])
    .meta({ description: 'any of the cluster; they name the others' }),
  groupId: textOf('the name of a consumer group', /^\S{1,249}$/)
    .prefault('receval')
    .meta({ description: 'consumer group; one for each namespace' }),
  sessionTimeout: durationBetween('1s', '30m').prefault('30s').meta({
    description:
      'a worker that was not heard of for so long loses its partitions to others. Within group.min.session.timeout.ms (6 s unless changed) and group.max.session.timeout.ms of the brokers',
  }),
  tls: tlsSchema.prefault(false).meta({ description: 'connections under TLS; a group for the settings below' }),
  sasl: saslSchema.nullable().prefault(null).meta({ description: 'how to log in; null: not at all' }),
  topics: group({
    impressions: topic.prefault({ name: 'impressions' }).meta({ description: 'the topic of impressions' }),
    feedback: z
      .union([topic, list(topic, 'topics', 1)], {
        error: 'expected a topic such as {name: feedback}, or a list of them',
      })
      .prefault([{ name: 'feedback' }])
      .meta({
        description:
          'one topic or a list of them, in the order in which their events take part. A replay uses the first',
      }),
  }).prefault({}),
});

export type TopicDocument = z.output<typeof topic>;
export type TopicsDocument = z.output<typeof kafkaSchema>['topics'];

function hasPort(text: string): boolean {
  const port = Number(text.slice(text.lastIndexOf(':') + 1));
  return port >= 1 && port <= 65_535;
}
