import { describe, expect, test } from 'vitest';
import { loadSettings } from '../../src/config/load.ts';
import { configuration, load, problems } from './fixture.ts';

describe('defaults', () => {
  const settings = configuration({}).settings;

  test('a configuration need not exist', () => {
    expect(settings.attribution).toEqual({
      horizons: [
        { text: '1m', ms: 60_000 },
        { text: '5m', ms: 300_000 },
        { text: '30m', ms: 1_800_000 },
      ],
      window: { text: '30m', ms: 1_800_000 },
      outOfOrderness: 10_000,
      backward: 0,
      idleAfter: 30_000,
      maxSkew: 120_000,
      futureSkew: 300_000,
      unitTimeout: 600_000,
    });
    expect(settings.measures.map(({ canonical }) => canonical)).toEqual([
      'mrr',
      'precision@5',
      'precision@10',
      'ndcg@10',
      'recall@10',
      'ap@10',
      'hit@10',
    ]);
    expect(settings.windows.map(({ text }) => text)).toEqual(['5m', '1h', '24h']);
    expect(settings.cohorts).toEqual([[], ['variant'], ['variant', 'country']]);
    expect(settings.dimensions).toEqual(['country', 'variant']);
    expect(settings.http).toEqual({
      host: '127.0.0.1',
      port: 9464,
      page: true,
      token: undefined,
      allowedHosts: undefined,
    });
    expect(settings.deadLetter).toEqual({ to: 'off' });
    expect(settings.limits).toMatchObject({ itemsPerList: 1000, impressionBytes: 262_144, feedbackBytes: 65_536 });
  });

  test('actions become rules', () => {
    expect(settings.grading.relevantFrom).toBe(1);
    expect(
      settings.grading.actions.map(({ name, rule }) => [name, rule.from, rule.grade, rule.rule, rule.max, rule.veto]),
    ).toEqual([
      ['click', 'grade', 1, 'max', 1e30, false],
      ['add_to_cart', 'grade', 2, 'max', 1e30, false],
      ['purchase', 'grade', 3, 'max', 1e30, false],
      ['rating', 'value', 0, 'last', 5, false],
      ['hide', 'grade', 0, 'max', 1e30, true],
      ['view', 'grade', 0, 'max', 1e30, false],
    ]);
  });

  test('less is better of errors, of rates of what vetoes, and of what is named', () => {
    const all = load(
      '{measures: [ctr, "rate(action=hide)", "rate(action=return)"], lowerIsBetter: ["rate(action=return)"]}',
    );
    const expected = ['rate(action=hide)', 'rate(action=return)'];
    expect([...all.detect.lowerIsBetter]).toEqual(expected);
    expect([...all.experiments[0].lowerIsBetter]).toEqual(expected);
    expect([...settings.detect.lowerIsBetter]).toEqual([]);
  });

  test('settings that depend on others follow them', () => {
    expect(settings.experiments).toMatchObject([
      { name: 'default', dimension: 'variant', primary: 'ndcg@10', horizon: { text: '30m' }, start: undefined },
    ]);
    expect(settings.detect).toMatchObject({ sets: [[]], measures: ['mrr'], horizon: { text: '1m' }, step: 300_000 });
    const other = load('{measures: [recall@5, mrr], attribution: {horizons: [2m, 1h]}, cohorts: [[country]]}');
    expect(other.experiments).toMatchObject([{ primary: 'recall@5', horizon: { text: '1h' } }]);
    expect(other.detect).toMatchObject({ sets: [], measures: ['recall@5'], horizon: { text: '2m' } });
    expect(other.statistics.clustered).toEqual([]);
    expect(other.dimensions).toEqual(['country', 'variant']);
  });
});

test('a session lasts from a second to half an hour, and is told so', () => {
  for (const [text, ms] of [
    ['1s', 1000],
    ['45s', 45_000],
    ['30m', 1_800_000],
  ] as const) {
    expect(load(`kafka: {sessionTimeout: ${text}}`).kafka.sessionTimeout).toBe(ms);
  }
  expect(load('').kafka.sessionTimeout).toBe(30_000);
  for (const text of ['999ms', '31m', '30']) {
    const [problem] = problems(`kafka: {sessionTimeout: ${text}}`, {});
    expect(problem).toMatch(/^kafka\.sessionTimeout: expected a duration .*, from 1s to 30m; found /);
  }
});

describe('files', () => {
  test('receval.yaml is read where no file is named', () => {
    expect(load('namespace: shop').namespace).toBe('shop');
    expect(
      configuration({ files: { 'a.yaml': 'namespace: a', 'receval.yaml': 'namespace: b' }, file: 'a.yaml' }),
    ).toMatchObject({
      settings: { namespace: 'a' },
    });
    expect(load('').namespace).toBe('default');
    expect(load('# nothing but a comment').namespace).toBe('default');
  });

  test('an action that only a measure names has no grade, unless the measure is a rate', () => {
    expect(problems('measures: [hit(action=clik), rate(action=share)]', {})).toEqual([
      'measures: hit(action=clik): the action "clik" has no grade; did you mean "click"?',
    ]);
  });

  test('a named file that cannot be read is told, and so is an unnamed one that exists', () => {
    expect(problems('', { file: 'b.yaml', files: {} })).toEqual([
      'b.yaml: cannot read the configuration file: there is no such file',
    ]);
    const readFile = (): string => {
      throw Object.assign(new Error('denied'), { code: 'EACCES' });
    };
    expect(() => loadSettings({ readFile, env: {} })).toThrow(
      'receval.yaml: cannot read the configuration file: this user may not read it',
    );
  });

  test.each([
    ['a: [1\nb: 2', /^receval\.yaml:2:1: not valid YAML: /],
    ['namespace: a\nnamespace: b', /^receval\.yaml:2:1: not valid YAML: Map keys must be unique/],
    ['a: *b', /^receval\.yaml(:1:4)?: not valid YAML/],
    ['[1, 2]', /^receval\.yaml: expected settings by name/],
    ['text', /^receval\.yaml: expected settings by name/],
  ])('%j is told with its place', (yaml, message) => {
    expect(problems(yaml)[0]).toMatch(message);
  });

  test('aliases that grow without bound are refused', () => {
    const bomb = ['a0: &a0 [x, x]', ...Array.from({ length: 20 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]`)];
    expect(problems(bomb.join('\n'))).toEqual([expect.stringContaining('too many aliases')]);
  });
});

describe('problems', () => {
  test('every wrong setting is told at once, in any part', () => {
    const yaml = `
namespace: "a{b}"
kafka: {groupID: x}
attribution: {horizons: [5m, 1m], outOfOrdernes: 3s, backward: 5}
measures: [mrr, ndgc@10]
windows: [90s]
limits: {series: 0}
experiments: {default: {control: c, variants: {a: 1, b: 1}}}
unknown: 1
`;
    const all = problems(yaml, { env: { RECEVAL_HTTP_PRT: '1' }, overrides: { 'http.port': 'x' } });
    expect(all.map((line) => line.split(': ')[0]).sort()).toEqual([
      'RECEVAL_HTTP_PRT',
      'attribution.backward',
      'attribution.horizons[1]',
      'attribution.outOfOrdernes',
      'experiments.default.control',
      'http.port',
      'kafka.groupID',
      'limits.series',
      'measures[1]',
      'namespace',
      'unknown',
      'windows[0]',
    ]);
  });

  test.each([
    ['kafka: {brokrs: [a:1]}', 'kafka.brokrs: unknown setting; did you mean "brokers"?'],
    ['kafka: {ssl: true}', 'kafka.ssl: unknown setting; did you mean "tls"?'],
    ['kafka: {group.id: a}', 'kafka.group.id: unknown setting; did you mean "groupId"?'],
    ['measures: [mrr, ndcg@10, ndgc@10]', 'measures[2]: unknown measure "ndgc@10"; did you mean "ndcg@10"?'],
    ['deadLetter: topics', 'deadLetter: expected off, topic, file (did you mean "topic"?); found "topics"'],
    [
      'paneSize: 1 m',
      'paneSize: expected a duration such as 30s or 5m (a whole number with ms, s, m, h or d), above 0; found "1 m"',
    ],
    ['http: {port: 65536}', 'http.port: expected a whole number from 0 to 65535; found 65536'],
    [
      'http: 80',
      'http: expected a group of settings (host, port, token, tokenFile, page, samples, samplesIds, allowedHosts); found "***"',
    ],
    [
      'http: {token: abcdefghijklmnop, tokenFile: /b}',
      'http.tokenFile: conflicts with token: leave one of the two out',
    ],
    [
      'http: {allowedHosts: ["a.example:80"]}',
      'http.allowedHosts[0]: expected a host name without port, such as receval.example.com, or .example.com for all below it; found "a.example:80"',
    ],
    ['deadLetter: {to: topic, topc: a}', 'deadLetter.topc: unknown setting; did you mean "topic"?'],
    [
      'deadLetter: {to: file, file: "-"}',
      'deadLetter.file: expected the path of a file, such as dead-letters.ndjson, or ./- for one of the name "-"; standard output is not one; found "-"',
    ],
    ['deadLetter: {to: file, topic: a}', 'deadLetter.topic: goes with to: topic; found to: file'],
    [
      'deadLetter: {to: file, fileBytes: 1}',
      'deadLetter.fileBytes: expected a whole number from 4096 to 1099511627776; found 1',
    ],
    ['deadLetter: {topic: a}', 'deadLetter.to: expected off, topic, file; found nothing'],
    [
      'deadLetter: {to: topic, topic: feedback}',
      'deadLetter.topic: expected a topic that is not read itself, or dead letters would be read again; found "feedback"',
    ],
    ['grades: {click: 2e30}', 'grades.click: expected a number from 0 to 1e+30; found 2e+30'],
    ['grades: {click: -1}', 'grades.click: expected a number from 0 to 1e+30; found -1'],
    [
      'grades: {price: {from: value}}\nmeasures: [mrr, "ndcg(gain=exp)@10", "dcg(gain=exp)"]',
      'grades.price: may be above 30, the highest grade that ndcg(gain=exp)@10 takes, because its gain is 2^grade - 1; ' +
        'expected max: 30 or less here, or gain=linear there',
    ],
    [
      'grades: {buy: 31, click: 1}\nmeasures: ["dcg(action=buy,gain=exp)", "dcg(action=click,gain=exp)"]',
      'grades.buy: may be above 30, the highest grade that dcg(action=buy,gain=exp) takes, because its gain is 2^grade - 1; ' +
        'expected max: 30 or less here, or gain=linear there',
    ],
    [
      'grades: {buy: {grade: 2, rule: sum}}\nmeasures: ["dcg(gain=exp)"]',
      'grades.buy: may be above 30, the highest grade that dcg(gain=exp) takes, because its gain is 2^grade - 1; ' +
        'expected max: 30 or less here, or gain=linear there',
    ],
    ['grades: {click: 50}\nmeasures: [err]', 'measures[0]: "err": err needs gmax, a number above 0, at most 30'],
    ['grades: {rating: {form: value}}', 'grades.rating.form: unknown setting; did you mean "from"?'],
    ['grades: {click: one}', 'grades.click: expected a grade of 0 or more, or {from: value, rule: last}; found "one"'],
    ['grades: {a: {from: value, grade: 1}}', 'grades.a: has both grade and from: value; leave one out'],
    ['cohorts: [[variant, variant]]', 'cohorts[0]: has a dimension twice'],
    ['cohorts: [[a, b], [b, a]]', 'cohorts[1]: appears twice'],
    [
      'windows: [5m, 300s]',
      'windows[1]: expected more than 5m, the one before it: durations ascend without repeats; found "300s"',
    ],
    ['windows: [90s]', 'windows[0]: expected a multiple of paneSize (1m); found "90s"'],
    [
      '{paneSize: 7m, windows: [7m], detect: {step: 7m}}',
      'paneSize: expected a whole part of an hour, such as 1m; found "7m"',
    ],
    ['detect: {step: 90s}', 'detect.step: expected a multiple of paneSize (1m) up to 1h; found "90s"'],
    ['detect: {history: 21d}', 'detect.history: expected a duration from 22d to 366d; found "21d"'],
    ['detect: {history: 367d}', 'detect.history: expected a duration from 22d to 366d; found "367d"'],
    ['detect: {horizon: 2m}', 'detect.horizon: expected one of attribution.horizons (1m, 5m, 30m); found "2m"'],
    [
      'lowerIsBetter: [ctr]',
      'lowerIsBetter[0]: expected one of measures (mrr, precision@5, precision@10, ndcg@10, recall@10, ap@10, hit@10); found "ctr"; did you mean "mrr"?',
    ],
    ['detect: {sets: [[country]]}', 'detect.sets[0]: expected one of cohorts; found [country]'],
    [
      'experiments: {default: {control: a, variants: {a: 1, b: 1}, primary: ndcg@5}}',
      'experiments.default.primary: expected one of measures (mrr, precision@5, precision@10, ndcg@10, recall@10, ap@10, hit@10); found "ndcg@5"; did you mean "ndcg@10"?',
    ],
    [
      'experiments: {default: {control: contol, variants: {control: 1, b: 1}}}',
      'experiments.default.control: expected one of the variants (control, b); found "contol"; did you mean "control"?',
    ],
    [
      'experiments: {default: {control: a, variants: {a: 1, b: 1}, interleaved: true}}',
      'experiments.default.interleaved: expected false: interleaved lists cannot be compared yet; found true',
    ],
    [
      'experiments: {default: {control: a, variants: {a: 1, b: 1}, guardrails: [mrr, MRR]}}',
      'experiments.default.guardrails[1]: appears twice',
    ],
    [
      'experiments: {Default: {control: a, variants: {a: 1, b: 1}}}',
      'experiments.Default: expected a name such as country: lower case letters, digits and _, letter first; found the name "Default"',
    ],
    [
      'experiments: {default: {control: a, variants: {a: 1, b: 0}}}',
      'experiments.default.variants: expected at least two variants with a weight above 0',
    ],
    [
      'experiments: {default: {variants: {a: 1, b: 1}}}',
      "experiments.default.control: expected letters, digits, blanks and _.:/+&'()- (at most 64, no leading __); found nothing",
    ],
    ['kafka: {topics: {feedback: [{name: a}, {name: a}]}}', 'kafka.topics.feedback[1].name: appears twice'],
    [
      'kafka: {topics: {impressions: {name: rows, adapter: open-bandit}}}',
      'kafka.topics.impressions.adapter: open-bandit rows are impressions and clicks in one: name the topic "rows" under impressions and under feedback',
    ],
    [
      'kafka: {topics: {impressions: {name: a, tsUnit: s}, feedback: {name: a, tsUnit: ms}}}',
      'kafka.topics.feedback.tsUnit: differs from kafka.topics.impressions, which is the same topic',
    ],
    [
      'kafka: {topics: {impressions: {name: a, adapter: {map: {requestId: /r, ts: t, items: /i}}}}}',
      'kafka.topics.impressions.adapter.map.ts: expected a JSON pointer such as /context/id (RFC 6901)',
    ],
    [
      'kafka: {topics: {impressions: {name: a, adapter: {maps: [{when: {/e: [x, 1]}, map: {requestId: /r, ts: t, items: /i}}]}}}}',
      'kafka.topics.impressions.adapter.maps[0].map.ts: expected a JSON pointer such as /context/id (RFC 6901)',
    ],
    [
      'kafka: {topics: {feedback: {name: a, adapter: {maps: [{when: {/e: {exists: yes}}, map: {requestId: /r, ts: /t, itemId: /i, action: /a}}]}}}}',
      'kafka.topics.feedback.adapter.maps[0].when./e.exists: expected true or false; found "yes"',
    ],
    [
      'inputs: {impressions: {adapter: {list: {by: id}, positionBase: 0, map: {ts: /t, itemId: /i}}}}',
      'inputs.impressions.adapter.positionBase: unknown setting here; it belongs beside inputs.impressions.adapter, not in it',
    ],
    [
      'attribution: {measures: [mrr]}',
      'attribution.measures: unknown setting here; it belongs beside attribution, not in it',
    ],
    [
      'kafka: {topics: {feedback: {name: a, adapter: {maps: [{when: {e: x}, map: {requestId: /r, ts: /t, itemId: /i, action: /a}}]}}}}',
      'kafka.topics.feedback.adapter.maps[0].when.e: expected a JSON pointer such as /event (RFC 6901)',
    ],
    ...[0, 0.5, 0.9].map((alpha): [string, string] => [
      `experiments: {default: {control: a, variants: {a: 1, b: 1}, alpha: ${alpha}}}`,
      `experiments.default.alpha: expected a number above 0 and below 0.5; found ${alpha}`,
    ]),
    [
      'start: {from: yesterday}',
      'start.from: expected earliest, latest or a time such as 2026-11-21T08:00:00Z; found "yesterday"',
    ],
  ])('%s', (yaml, message) => {
    expect(problems(yaml)).toEqual([message]);
  });

  test('a dimension must have a valid name that is not reserved', () => {
    for (const name of ['Country', 'le', '9x', '__proto__'])
      expect(problems(`cohorts: [[${name}]]`)[0]).toMatch(/^cohorts\[0]\[0]: expected a name/);
  });

  test('names of Object.prototype are unknown settings like any other', () => {
    expect(problems('constructor: 1')[0]).toMatch(/^constructor: unknown setting/);
    expect(load('grades: {constructor: 1, toString: 2}').grading.actions.map(({ name }) => name)).toEqual([
      'constructor',
      'toString',
    ]);
  });

  test('experiments are at most 31, as many as a tag has bits', () => {
    const many = (n: number) =>
      `{experiments: {${Array.from({ length: n }, (_, i) => `e${i}: {control: a, variants: {a: 1, b: 1}}`).join(', ')}}}`;
    expect(load(many(31)).experiments).toHaveLength(31);
    expect(problems(many(32))[0]).toMatch(/^experiments: expected at most 31 experiments, not 32: remove/);
  });

  test('horizons are at most 31', () => {
    const ladder = (n: number) =>
      `{attribution: {horizons: [${Array.from({ length: n }, (_, i) => `${i + 1}m`).join(', ')}]}, measures: [mrr]}`;
    expect([30, 31].map((n) => load(ladder(n)).attribution.horizons.length)).toEqual([30, 31]);
    expect(problems(ladder(32))[0]).toMatch(/^attribution\.horizons: expected a list of 1 to 31 durations/);
  });
});

describe('cohorts per set', () => {
  test('auto is what fits into the limit of series', () => {
    // 7 measures x 2 x 3 windows x 3 horizons x 3 sets = 378 series for each cohort.
    expect(configuration({}).settings.limits.cohortsPerSet).toBe(26);
    expect(load('limits: {series: 378}').limits.cohortsPerSet).toBe(1);
    expect(problems('limits: {series: 377}')).toEqual([
      'limits.cohortsPerSet: does not fit into limits.series (377): 1 cohort x 7 measures x 2 (value, error) x 3 windows x 3 horizons x 3 sets = 378 series; raise limits.series, or show less',
    ]);
  });

  test('a number that does not fit is told with the product', () => {
    expect([25, 26].map((n) => load(`limits: {cohortsPerSet: ${n}}`).limits.cohortsPerSet)).toEqual([25, 26]);
    expect(problems('limits: {cohortsPerSet: 27}')).toEqual([
      'limits.cohortsPerSet: does not fit into limits.series (10000): 27 cohorts x 7 measures x 2 (value, error) x 3 windows x 3 horizons x 3 sets = 10206 series; expected at most 26, or a higher limits.series',
    ]);
  });
});

describe('topics', () => {
  test('the impressions topic stands first, or in its place among the feedback topics', () => {
    const names = (yaml: string) =>
      load(`kafka: {topics: ${yaml}}`).kafka.topics.map(
        ({ name, role }) => `${name} ${role.impressions ? 'i' : ''}${role.feedback ? 'f' : ''}`,
      );
    expect(names('{feedback: {name: clicks}}')).toEqual(['impressions i', 'clicks f']);
    expect(names('{impressions: {name: all}, feedback: [{name: a}, {name: all}, {name: b}]}')).toEqual([
      'a f',
      'all if',
      'b f',
    ]);
    expect(names('{impressions: {name: all}, feedback: {name: all}}')).toEqual(['all if']);
  });

  test('a topic of both sides takes its options from the impressions', () => {
    const yaml =
      'kafka: {topics: {impressions: {name: a, adapter: open-bandit, positionBase: 0, tsUnit: us}, feedback: {name: a}}}';
    expect(load(yaml).kafka.topics).toEqual([
      {
        name: 'a',
        role: { impressions: true, feedback: true },
        adapter: 'open-bandit',
        tsUnit: 'us',
        positionBase: 0,
        drop: [],
      },
    ]);
  });
});

describe('measures', () => {
  test('actions that only measures name have grade 0, behind the configured ones', () => {
    const settings = load(
      '{grades: {buy: 3}, measures: [mrr, ctr, rate(action=Hide), "precision(examined=viewport)@5", rate(action=buy)]}',
    );
    expect(settings.grading.actions.map(({ name, rule }) => [name, rule.grade])).toEqual([
      ['buy', 3],
      ['click', 0],
      ['Hide', 0],
      ['view', 0],
    ]);
  });

  test('experiments of other names have their own dimension', () => {
    const settings = load(
      '{cohorts: [[]], experiments: {ranker: {control: a, variants: {a: 2, b: 1}, start: 2026-11-21T08:00:00Z}}}',
    );
    expect(settings.dimensions).toEqual(['experiment_ranker']);
    expect(settings.experiments).toMatchObject([{ dimension: 'experiment_ranker', start: Date.UTC(2026, 10, 21, 8) }]);
  });

  test('a start may be a time', () => {
    expect(load('start: {from: 2026-11-21T08:00:00+01:00, onGap: skip}').start).toEqual({
      from: { at: Date.UTC(2026, 10, 21, 7) },
      onGap: 'skip',
      onUndecodable: 'stop',
    });
  });
});
