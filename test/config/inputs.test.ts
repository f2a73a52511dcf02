import { describe, expect, it, test } from 'vitest';
import { stringify } from 'yaml';
import { effectiveDocument } from '../../src/config/load.ts';
import { serviceDecoders } from '../../src/service/service-settings.ts';
import { fingerprint } from '../../src/unit/fingerprint.ts';
import { configuration, load, problems } from './fixture.ts';

const MAP = 'map: {requestId: /r, ts: /t, items: /i}';
const CLICKS = 'map: {requestId: /r, ts: /t, itemId: /i, action: {const: click}}';

describe('inputs', () => {
  it('say how events are written, to files and to topics alike', () => {
    const { inputs, kafka } = load(`inputs:
  impressions: {adapter: {${MAP}}, tsUnit: s, timeZone: Europe/Berlin, positionBase: 0, format: csv, delimiter: ";", columns: [r, t, i]}
  feedback: {adapter: {${CLICKS}}, format: json}
`);
    const impressions = { tsUnit: 's', timeZone: 'Europe/Berlin', positionBase: 0 };
    expect(inputs.impressions).toMatchObject({
      ...impressions,
      adapter: { map: { items: '/i' } },
      file: { format: 'csv', delimiter: ';', columns: ['r', 't', 'i'] },
    });
    expect(inputs.events).toEqual(inputs.impressions);
    expect(inputs.feedback).toMatchObject({ tsUnit: 'auto', positionBase: 1, file: { format: 'json' } });
    expect(kafka.topics).toMatchObject([
      { name: 'impressions', ...impressions, adapter: { map: { items: '/i' } } },
      { name: 'feedback', tsUnit: 'auto', timeZone: undefined, adapter: { map: { itemId: '/i' } } },
    ]);
  });

  it('may make an id of several fields, in files and topics; of other fields they may not', () => {
    const both = (ts: string) => `inputs:
  impressions: {adapter: {map: {requestId: [/session, /query], ts: ${ts}, items: /i}}}
  feedback: {adapter: {map: {requestId: [/s, /q], ts: /t, itemId: /i, action: {const: click}}}}
`;
    const { inputs, kafka } = load(both('/t'));
    expect(inputs.impressions).toMatchObject({ adapter: { map: { requestId: ['/session', '/query'] } } });
    expect(kafka.topics).toMatchObject([
      { adapter: { map: { requestId: ['/session', '/query'] } } },
      { adapter: { map: { requestId: ['/s', '/q'] } } },
    ]);
    expect(problems(both('[/a, /b]')).join()).toContain('only ids are several fields together');
    expect(problems(both('[/a]')).join()).toContain('expected');
  });

  it('are, where they say nothing, as the topics are; a topic that says something is as it says', () => {
    const { inputs, kafka } = load(`inputs: {feedback: {tsUnit: us}}
kafka:
  topics:
    impressions: {name: a, adapter: {${MAP}}, tsUnit: s, positionBase: 0}
    feedback: [{name: b, adapter: {${CLICKS}}, tsUnit: ms}, {name: c, adapter: {${CLICKS}}}]
`);
    expect(inputs.impressions).toMatchObject({ adapter: { map: { items: '/i' } }, tsUnit: 's', positionBase: 0 });
    expect(inputs.feedback).toMatchObject({ adapter: { map: { itemId: '/i' } }, tsUnit: 'us' });
    expect(kafka.topics.map(({ tsUnit }) => tsUnit)).toEqual(['s', 'ms', 'us']);
  });

  it('of events lie over those of impressions, and serve a topic of both kinds', () => {
    const yaml = `inputs:
  impressions: {tsUnit: s, timeZone: UTC}
  events: {adapter: {maps: [{when: {/k: list}, ${MAP}}, {${CLICKS}}]}, tsUnit: ms}
kafka: {topics: {impressions: {name: a}, feedback: {name: a}}}
`;
    const { inputs, kafka } = load(yaml);
    expect(inputs.events).toMatchObject({ tsUnit: 'ms', timeZone: 'UTC' });
    expect(kafka.topics).toMatchObject([{ tsUnit: 'ms', timeZone: 'UTC', adapter: inputs.events.adapter }]);
  });

  test('a configuration from before there were any means what it meant, with its fingerprint', () => {
    const old = load(`kafka: {topics: {impressions: {name: a, adapter: {${MAP}}, tsUnit: s}, feedback: {name: b}}}`);
    const now = load(`inputs: {impressions: {adapter: {${MAP}}, tsUnit: s}}
kafka: {topics: {impressions: {name: a}, feedback: {name: b}}}`);
    expect(fingerprint(now)).toEqual(fingerprint(old));
    expect(now).toEqual(old);
  });

  test('the whole configuration that is printed is the same one', () => {
    const yaml = `inputs:
  impressions: {adapter: {list: {by: request, order: rank}, map: {ts: /at, itemId: /item}, feedback: {clicked: click}}, timeZone: "+01:00"}
kafka: {topics: {impressions: {name: a, adapter: canonical}}}
`;
    const given = configuration({ files: { 'receval.yaml': yaml } });
    expect(load(stringify(effectiveDocument(given)))).toEqual(given.settings);
  });
});

describe('the mark of stored state', () => {
  const shape = (yaml: string): unknown => JSON.parse(fingerprint(load(yaml)).shape)['kafka.topics'];

  it('is that of milliseconds where numbers tell their unit, as it was before they did', () => {
    const canonical = { adapter: 'canonical', tsUnit: 'ms', positionBase: 1 };
    expect(shape('')).toEqual([
      { role: { impressions: true, feedback: false }, ...canonical },
      { role: { impressions: false, feedback: true }, ...canonical },
    ]);
    expect(fingerprint(load('inputs: {impressions: {tsUnit: ms}}'))).toEqual(fingerprint(load('')));
  });

  it.each(['tsUnit: s', 'tsUnit: ns', 'timeZone: UTC'])('differs with %s', (option) => {
    expect(shape(`inputs: {feedback: {${option}}}`)).not.toEqual(shape(''));
  });

  it('does not differ with what is of files', () => {
    const files = 'inputs: {impressions: {format: csv, delimiter: ";", columns: [a]}}';
    expect(fingerprint(load(files))).toEqual(fingerprint(load('')));
  });
});

describe('rows of one shown item each', () => {
  const LIST = 'adapter: {list: {by: request, order: rank}, map: {ts: /at, itemId: /item}}';

  it('are for files: the service says so and reads nothing', () => {
    expect(() => serviceDecoders(load(`inputs: {impressions: {${LIST}}}`))).toThrow(
      /inputs\.impressions\.adapter\.list: rows of one item each are read from files only.*"impressions".*kafka\.topics/,
    );
    const own = load(`inputs: {impressions: {${LIST}}}\nkafka: {topics: {impressions: {name: a, adapter: canonical}}}`);
    expect(serviceDecoders(own)).toHaveLength(2);
  });

  it.each([
    [`kafka: {topics: {impressions: {name: a, ${LIST}}}}`, /^kafka\.topics\.impressions\.adapter/],
    [`inputs: {feedback: {${LIST}}}`, /^inputs\.feedback\.adapter/],
    ['inputs: {impressions: {adapter: {list: {order: rank}}}}', /^inputs\.impressions\.adapter/],
    [
      'inputs: {impressions: {adapter: {list: {by: r}, map: {ts: /t}}}}',
      /^inputs\.impressions\.adapter\.map: itemId is missing/,
    ],
    [
      'inputs: {impressions: {adapter: {list: {by: r}, map: {ts: /t, itemId: i}}}}',
      /^inputs\.impressions\.adapter\.map\.itemId: expected a JSON pointer/,
    ],
  ])('%s is wrong', (yaml, problem) => {
    expect(problems(yaml)[0]).toMatch(problem);
  });
});

describe('what is wrong is told', () => {
  it.each([
    [
      'inputs: {impressions: {timeZone: Berlin}}',
      'inputs.impressions.timeZone: expected a time zone such as Europe/Berlin, UTC or +01:00',
    ],
    ['inputs: {impressions: {tsUnit: sec}}', 'inputs.impressions.tsUnit: expected auto, s, ms, us, ns'],
    [
      'inputs: {impressions: {format: xlsx}}',
      'inputs.impressions.format: expected auto, ndjson, json, csv, tsv, parquet',
    ],
    ['inputs: {impressions: {delimiter: ab}}', 'inputs.impressions.delimiter: expected one ASCII character'],
    [
      'inputs: {impressions: {adapter: open-bandit}}',
      'inputs.impressions.adapter: open-bandit rows are impressions and clicks in one: set it under inputs.events',
    ],
    [`inputs: {feedback: {adapter: {${MAP}}}}`, 'inputs.feedback.adapter.map: itemId is missing; feedback needs it'],
    [
      'inputs: {impressions: {adapter: {map: {requestId: /r, ts: {at: /t, split: ","}, items: /i}}}}',
      'inputs.impressions.adapter.map.ts: split is for lists, such as items',
    ],
    [
      `inputs: {impressions: {adapter: {${MAP}}}}\nkafka: {topics: {impressions: {name: a}, feedback: {name: a}}}`,
      'inputs.impressions.adapter.map: itemId is missing',
    ],
    ['input: {}', 'input: unknown setting; did you mean "inputs"?'],
  ])('%s', (yaml, problem) => {
    expect(problems(yaml)[0]).toContain(problem);
  });
});

describe('join.by', () => {
  const LISTS = 'map: {ts: /t, items: /i, userId: /u}';
  const ACTS = 'map: {ts: /t, itemId: /i, action: {const: click}, userId: /u}';
  const inputs = (lists: string, acts: string): string =>
    `inputs: {impressions: {adapter: {${lists}}}, feedback: {adapter: {${acts}}}}`;

  it.each(['userId', 'sessionId'])('%s is for files: a service and config check refuse it', (by) => {
    expect(problems(`join: {by: ${by}}`)).toEqual([
      `join.by: ${by} is for files alone (replay, compare): a service needs feedback that names the id of its list (join.by: requestId)`,
    ]);
    expect(load(`join: {by: ${by}}`, { reads: 'files' }).join).toEqual({ by, touch: 'last' });
    expect(load('', { reads: 'files' }).join).toEqual({ by: 'requestId', touch: 'last' });
  });

  it('needs that field in maps of lists, and in those of feedback, or its request id', () => {
    const found = (yaml: string): string[] => problems(`join: {by: userId}\n${yaml}`, { reads: 'files' });
    const by = (yaml: string) => load(`join: {by: userId}\n${yaml}`, { reads: 'files' }).join.by;
    expect(by(inputs(LISTS, ACTS))).toBe('userId');
    expect(by(inputs(LISTS, CLICKS))).toBe('userId');
    expect(found(inputs(MAP, ACTS.replace(', userId: /u', '')))).toEqual([
      'inputs.impressions.adapter.map: userId is missing; join.by: userId needs it',
      'inputs.feedback.adapter.map: userId is missing; join.by: userId needs it',
    ]);
    const rows = (map: string) => `inputs: {impressions: {adapter: {list: {by: request}, map: ${map}}}}`;
    expect(by(rows('{ts: /t, itemId: /i, userId: /u}'))).toBe('userId');
    expect(found(rows('{ts: /t, itemId: /i}'))).toEqual([
      'inputs.impressions.adapter.map: userId is missing; join.by: userId needs it',
    ]);
    const cases =
      'inputs: {events: {adapter: {maps: [{when: {/k: l}, map: {ts: /t, items: /i}}, {map: {ts: /t, itemId: /i, action: /a, requestId: /r}}]}}}';
    expect(found(cases)).toEqual(['inputs.events.adapter.maps[0].map: userId is missing; join.by: userId needs it']);
  });

  it('requestId needs it in every map, as ever', () => {
    expect(problems(inputs(LISTS, CLICKS))).toEqual([
      'inputs.impressions.adapter.map: requestId is missing; every event needs it',
    ]);
  });
});
