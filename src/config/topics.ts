import { z } from 'zod';
import { ADAPTER_NAMES, COUNTED_UNITS, FILE_FORMATS, ONLY, TS_UNITS } from '../consumers/decode/decoder-settings.ts';
import { timeZone } from '../consumers/decode/times.ts';
import { saslSchema, tlsSchema } from './security.ts';
import { anyText, CHANGING, durationBetween, group, list, ON_CHANGE, textOf, whole, word } from './values.ts';

const scalar = z.union([z.string(), z.number(), z.boolean()], { error: 'expected a text, a number, true or false' });
const someText = (what: string) => textOf(what, /^.{1,200}$/su);
const separator = textOf('the text between the parts, such as "|"', /^.{1,10}$/su);
const count = z.number({ error: 'expected a number' });
const yes = z.literal(true, { error: 'expected true' });

const asked = {
  exists: z.boolean({ error: 'expected true or false' }).optional(),
  matches: someText('a pattern, such as "bot|crawl"').optional(),
  above: count.optional(),
  below: count.optional(),
};
const plainCondition = [scalar, list(scalar, 'values', 1), z.strictObject(asked)] as const;
const opposite = z.union(plainCondition, { error: 'expected a value, a list of values or a condition' });
const condition = z.union([...plainCondition.slice(0, 2), z.strictObject({ ...asked, not: opposite.optional() })], {
  error: 'expected a value, a list of values, or a condition such as {exists: true} or {not: value}',
});
const conditions = z
  .record(z.string(), condition, {
    error: 'expected JSON pointers and values, such as {/event: Product Clicked}',
  })
  .meta({ id: 'conditions' });

/** What follows from the origin of a value: the names and arguments of `TRANSFORMS`. Schemas with an id stand once in the JSON Schema. */
const transforms = {
  pairs: someText('the name of a pair').optional(),
  trim: yes.optional(),
  strip: z
    .union(
      [
        someText('a prefix'),
        z.strictObject({ prefix: someText('a prefix').optional(), suffix: someText('a suffix').optional() }),
      ],
      { error: 'expected a prefix such as "q-", or {prefix, suffix}' },
    )
    .optional(),
  lower: yes.optional(),
  only: word(ONLY).optional(),
  match: someText('a pattern, such as "rid=([^&]+)"').optional(),
  decimal: z.literal(',', { error: 'expected ","' }).optional(),
  add: count.optional(),
  scale: count.optional(),
  format: someText('a format such as "%d.%m.%Y %H:%M"').optional(),
  timeOrigin: someText('a time such as 2016-06-14T04:00:00Z').optional(),
  unit: word(COUNTED_UNITS).optional(),
  timeZone: someText('a time zone such as Europe/Berlin').optional(),
  parse: z.literal('csv', { error: 'expected csv' }).optional(),
  split: separator.optional(),
  label: separator.optional(),
  gather: z.string({ error: 'expected the beginning of the names, such as item_' }).optional(),
  flatten: z.string({ error: 'expected a JSON pointer such as /items' }).optional(),
  keep: conditions.optional(),
  drop: conditions.optional(),
  default: scalar.optional(),
};

/** A value that is made of others, each of which is one of `inner`. */
function madeOf<Inner extends z.ZodType>(inner: Inner) {
  return z.strictObject({
    at: inner.optional(),
    const: scalar.optional(),
    first: list(inner, 'JSON pointers, of which the first with a value counts', 2).optional(),
    join: list(inner, 'JSON pointers, whose values are joined', 2).optional(),
    with: z.string({ error: 'expected a text' }).optional(),
    ...transforms,
  });
}

const ONE_SOURCE =
  'expected a JSON pointer such as /context/id, {const: value}, or a pointer and what is done, such as {at: /ids, split: "|"}';
const innerSource = z.union([z.string(), madeOf(z.string())], { error: ONE_SOURCE }).meta({ id: 'innerSource' });
const source = z.union([z.string(), madeOf(innerSource)], { error: ONE_SOURCE }).meta({ id: 'source' });
const together = list(z.string(), 'JSON pointers, such as [/session, /query]', 2);
const fieldSource = z.union([source, together], {
  error:
    'expected a JSON pointer such as /context/id, several of an id, {const: value}, or a pointer and what is done, such as {at: /ids, split: "|"}',
});
const map = z.record(z.string(), fieldSource, {
  error: 'expected fields and where they are, such as {requestId: /id}',
});
const oneOfMaps = z.strictObject(
  {
    when: conditions.optional().meta({
      description:
        'pointers, and the value or values that a record must have there, or a condition: {exists: true}: any value, {exists: false}: none or null, {matches: pattern}, {above: 0}, {below: 10}, {not: condition}',
    }),
    map: map.meta({ description: 'where each field is in such a record' }),
  },
  { error: 'expected {when: {pointer: value}, map: {field: pointer}}' },
);
const OF_RECORDS = 'where each field is in your record or row';
const forms = [
  word(ADAPTER_NAMES),
  z.strictObject({ map: map.meta({ description: OF_RECORDS }) }),
  z.strictObject({
    maps: list(oneOfMaps, 'maps, each with when and map', 1).meta({
      description: 'for a topic of several kinds of records: the first one whose conditions a record meets is used',
    }),
  }),
] as const;
const adapter = z.union(forms, {
  error: `expected ${ADAPTER_NAMES.join(', ')}, {map: {field: pointer}} or {maps: [{when, map}]}`,
});

const column = textOf('the name of a field or column, or a JSON pointer such as /rank', /^[^\0]+$/u);
const rowFeedback = z.union(
  [anyText, z.strictObject({ action: anyText, ts: source.optional(), value: source.optional() })],
  { error: 'expected an action such as click, or {action, ts, value}' },
);
/**
 * Adapters for files only: which rows make a list depends on the rows around them, and a restarted worker may begin in the middle
 * of a list.
 */
const fileAdapter = z.union(
  [
    ...forms,
    z.strictObject(
      {
        list: z.strictObject(
          {
            by: column.meta({ description: 'whose rows make one list: the request' }),
            order: column
              .optional()
              .meta({ description: 'position of a row in the list. Default: the order of the rows' }),
            within: whole(1, 10_000_000)
              .prefault(100_000)
              .meta({ description: 'all rows of a list are within this many rows from its first' }),
          },
          { error: 'expected {by: requestId, order: rank}' },
        ),
        map: map.optional().meta({ description: OF_RECORDS }),
        feedback: z
          .record(z.string(), rowFeedback, { error: 'expected columns and actions, such as {clicked: click}' })
          .optional()
          .meta({ description: 'columns that say what the user did with the item of their row' }),
      },
      { error: 'expected {list: {by, order}, map, feedback}' },
    ),
  ],
  {
    error: `expected ${ADAPTER_NAMES.join(', ')}, {map: {field: pointer}}, {maps: [{when, map}]} or {list: {by, order}, map, feedback}`,
  },
);

export const topicName = textOf(
  'the name of a topic (letters, digits and ._-, at most 249)',
  /^[A-Za-z0-9._-]{1,249}$/,
  (text) => text !== '.' && text !== '..',
);
const zone = textOf(
  'a time zone such as Europe/Berlin, UTC or +01:00',
  /^[A-Za-z0-9+:_/-]{1,64}$/,
  (text) => timeZone(text) !== undefined,
);

const dropCondition = z.union(
  [
    ...plainCondition.slice(0, 2),
    z.strictObject({
      ...asked,
      in: someText('the path of a file with one value a line').optional(),
      not: opposite.optional(),
    }),
  ],
  { error: 'expected a value, a list of values, or a condition such as {in: bots.txt} or {matches: "bot|crawl"}' },
);
const dropped = z
  .record(z.string(), dropCondition, {
    error: 'expected fields or JSON pointers and conditions, such as {userId: {in: bots.txt}}',
  })
  .meta({ id: 'excluded' });

/** @param above the setting from which an unset value is taken */
function eventForm(above: string) {
  return {
    tsUnit: word(TS_UNITS)
      .optional()
      .meta({
        description: `unit of times that are numbers; auto: inferred from each number. Default: that of ${above}, else auto`,
      })
      .register(ON_CHANGE, CHANGING),
    timeZone: zone
      .optional()
      .meta({
        description: `for times without a zone. Default: that of ${above}, else they are refused`,
      })
      .register(ON_CHANGE, CHANGING),
    positionBase: z
      .union([z.literal(0), z.literal(1)], { error: 'expected 0 or 1' })
      .optional()
      .meta({ description: `position of the first slot. Default: that of ${above}, else 1` })
      .register(ON_CHANGE, CHANGING),
    drop: z
      .union([dropped.transform((one) => [one]), list(dropped, 'groups of conditions', 1)], {
        error: 'expected fields or JSON pointers and conditions, such as {userId: {in: bots.txt}}, or a list of these',
      })
      .optional()
      .meta({
        description: `events that are left out, and counted as excluded: those that meet all conditions, or all of one entry of the list. Default: that of ${above}, else none`,
      })
      .register(ON_CHANGE, CHANGING),
  };
}

const topic = group({
  name: topicName.meta({ description: 'of the topic; the same name on both sides is one topic of both kinds' }),
  adapter: adapter
    .optional()
    .meta({ description: 'how records become events. Default: that of inputs, else canonical' })
    .register(ON_CHANGE, CHANGING),
  ...eventForm('inputs'),
});

const fileForm = {
  format: word(FILE_FORMATS)
    .optional()
    .meta({ description: 'how files are written; auto: inferred from their first bytes. Default: auto' }),
  delimiter: textOf('one ASCII character other than a quote or a line break', /^[\t -!#-~]$/)
    .optional()
    .meta({
      description:
        'between the fields of a CSV. Default: comma, tab, semicolon or bar, whichever its first line has most',
    }),
  columns: list(anyText, 'names of columns, such as [request, item, rank]', 1)
    .optional()
    .meta({ description: 'names of the columns of a CSV that has no header. Default: its first row names them' }),
};

const HOW = 'how records become events. Default: that of the topic, else canonical';
const input = group({
  adapter: fileAdapter.optional().meta({ description: HOW }).register(ON_CHANGE, CHANGING),
  ...eventForm('the topic'),
  ...fileForm,
});
const feedbackInput = group({
  adapter: adapter.optional().meta({ description: HOW }).register(ON_CHANGE, CHANGING),
  ...eventForm('the topic'),
  ...fileForm,
});

export const inputsSchema = group({
  impressions: input.prefault({}).meta({ description: 'lists that were shown' }),
  feedback: feedbackInput.prefault({}).meta({ description: 'what was done with them' }),
  events: input.prefault({}).meta({
    description: 'a log of both kinds; what is not set here is as for impressions',
  }),
});

const broker = textOf('host:port, such as localhost:9092', /^(?:\[[0-9a-fA-F:]+\]|[^\s:,/@[\]]+):[0-9]{1,5}$/, hasPort);

export const kafkaSchema = group({
  brokers: list(broker, 'brokers, such as [localhost:9092]', 1)
    .prefault(['localhost:9092'])
    .meta({ description: 'any brokers of the cluster; they name the others' }),
  groupId: textOf('the name of a consumer group', /^\S{1,249}$/)
    .prefault('receval')
    .meta({ description: 'consumer group; one for each namespace' }),
  sessionTimeout: durationBetween('1s', '30m').prefault('30s').meta({
    description:
      'a worker that was not heard from for this long loses its partitions to others. Within group.min.session.timeout.ms (6 s unless changed) and group.max.session.timeout.ms of the brokers',
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
          'one topic or a list of them; their events are ordered by topic, in this order. A replay uses the first',
      }),
  }).prefault({}),
});

export type InputDocument = z.output<typeof input>;
export type InputsDocument = z.output<typeof inputsSchema>;
export type TopicDocument = z.output<typeof topic>;
export type TopicsDocument = z.output<typeof kafkaSchema>['topics'];

function hasPort(text: string): boolean {
  const port = Number(text.slice(text.lastIndexOf(':') + 1));
  return port >= 1 && port <= 65_535;
}
