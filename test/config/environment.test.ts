import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { splitList, upperSnake } from '../../src/config/environment.ts';
import { load, problems } from './fixture.ts';

describe('variables', () => {
  test('they win over the file, and flags win over them', () => {
    const env = { RECEVAL_NAMESPACE: 'env', RECEVAL_HTTP_PORT: '2' };
    expect(load('{namespace: file, http: {port: 1}}', { env })).toMatchObject({ namespace: 'env', http: { port: 2 } });
    expect(load('http: {port: 1}', { env, overrides: { 'http.port': '3' } }).http.port).toBe(3);
  });

  test.each([
    ['RECEVAL_KAFKA_BROKERS', 'a:9092,b:9092', { kafka: { brokers: ['a:9092', 'b:9092'] } }],
    ['RECEVAL_KAFKA_BROKERS', ' [a:9092, b:9092] ', { kafka: { brokers: ['a:9092', 'b:9092'] } }],
    ['RECEVAL_ATTRIBUTION_OUT_OF_ORDERNESS', '7s', { attribution: { outOfOrderness: 7000 } }],
    ['RECEVAL_ATTRIBUTION_HORIZONS', '2m,4m', { attribution: { horizons: [{ text: '2m' }, { text: '4m' }] } }],
    ['RECEVAL_RELEVANT_FROM', '2.5', { relevantFrom: 2.5 }],
    [
      'RECEVAL_MEASURES',
      'mrr,ndcg(gain=exp,dup=each)@10',
      { measures: [{ canonical: 'mrr' }, { canonical: 'ndcg(dup=each,gain=exp)@10' }] },
    ],
    ['RECEVAL_COHORTS', '[],[variant],[variant,country]', { cohorts: [[], ['variant'], ['variant', 'country']] }],
    ['RECEVAL_COHORTS', '[[], [country]]', { cohorts: [[], ['country']] }],
    ['RECEVAL_COHORTS', '[]', { cohorts: [[]] }],
    ['RECEVAL_LIMITS_OPEN_IMPRESSIONS', 'auto', { limits: { openImpressions: 'auto' } }],
    ['RECEVAL_LIMITS_OPEN_IMPRESSIONS', '1000', { limits: { openImpressions: 1000 } }],
    ['RECEVAL_NAMESPACE', '123', { namespace: '123' }],
    ['RECEVAL_START_FROM', '2026-11-21T08:00:00Z', { start: { from: { at: Date.UTC(2026, 10, 21, 8) } } }],
    [
      'RECEVAL_KAFKA_TOPICS_IMPRESSIONS_NAME',
      'views',
      { kafka: { topics: [{ name: 'views' }, { name: 'feedback' }] } },
    ],
    [
      'RECEVAL_KAFKA_TOPICS_FEEDBACK',
      '{name: a},{name: b}',
      { kafka: { topics: [{ name: 'impressions' }, { name: 'a' }, { name: 'b' }] } },
    ],
    ['RECEVAL_KAFKA_TOPICS_FEEDBACK_NAME', 'a', { kafka: { topics: [{ name: 'impressions' }, { name: 'a' }] } }],
    ['RECEVAL_GRADES', '{buy: 2}', { grading: { actions: [{ name: 'buy' }] } }],
    ['RECEVAL_EXPERIMENTS_DEFAULT_N_STAR', '10', { experiments: [{ control: 'control', nStar: 10 }] }],
    [
      'RECEVAL_EXPERIMENTS_DEFAULT_VARIANTS_CONTROL',
      '0.7',
      {
        experiments: [
          {
            variants: new Map([
              ['control', 0.7],
              ['treatment', 0.5],
            ]),
          },
        ],
      },
    ],
    ['RECEVAL_DEAD_LETTER', 'off', { deadLetter: { to: 'off' } }],
    ['RECEVAL_DEAD_LETTER', 'topic', { deadLetter: { to: 'topic', topic: 'receval-dead-letters' } }],
    ['RECEVAL_DEAD_LETTER', '{to: file, file: a, files: 2}', { deadLetter: { to: 'file', file: 'a', files: 2 } }],
    ['RECEVAL_HTTP_TOKEN', 'abcdefghijklmnop', { http: { token: { kind: 'text', text: 'abcdefghijklmnop' } } }],
    ['RECEVAL_HTTP_TOKEN_FILE', '/t', { http: { token: { kind: 'file', path: '/t', setting: 'http.tokenFile' } } }],
    ['RECEVAL_HTTP_ALLOWED_HOSTS', 'a.example,.b.example', { http: { allowedHosts: ['a.example', '.b.example'] } }],
  ])('%s=%s', (name, value, expected) => {
    expect(load('', { env: { [name]: value } })).toMatchObject(expected);
  });

  test('one entry of a group leaves the others', () => {
    const actions = load('', { env: { RECEVAL_GRADES_ADD_TO_CART: '5' } }).grading.actions;
    expect(actions.map(({ name, rule }) => `${name} ${rule.grade}`)).toEqual([
      'click 1',
      'add_to_cart 5',
      'purchase 3',
      'rating 0',
      'hide 0',
      'view 0',
    ]);
    expect(load('grades: {buy: 1}', { env: { RECEVAL_GRADES_BUY: '2' } }).grading.actions).toHaveLength(1);
  });

  test('_FILE reads the value from a file, without the line break at its end', () => {
    const files = { '/run/url': 'redis://:pw@h:1\n', 'receval.yaml': '' };
    expect(load('', { env: { RECEVAL_REDIS_URL_FILE: '/run/url' }, files }).redis.url).toBe('redis://:pw@h:1');
    expect(problems('', { env: { RECEVAL_REDIS_URL_FILE: '/none' } })).toEqual([
      'RECEVAL_REDIS_URL_FILE: cannot read the file that it names (ENOENT)',
    ]);
    for (const empty of ['', '\n', ' \r\n']) {
      expect(problems('', { env: { RECEVAL_REDIS_URL_FILE: '/e' }, files: { '/e': empty } })).toEqual([
        'RECEVAL_REDIS_URL_FILE: the file that it names is empty',
      ]);
    }
    // An empty list is a value.
    expect(() => load('', { env: { RECEVAL_LOWER_IS_BETTER_FILE: '/e' }, files: { '/e': '\n' } })).not.toThrow();
    expect(
      problems('', { env: { RECEVAL_REDIS_URL_FILE: '/run/url', RECEVAL_REDIS_URL: 'redis://h' }, files }),
    ).toEqual(['RECEVAL_REDIS_URL_FILE: conflicts with RECEVAL_REDIS_URL; leave one out']);
  });

  test('other variables are none of our business; unknown ones of ours are errors', () => {
    expect(load('', { env: { PATH: '/bin', RECEVALX: '1', receval_namespace: 'x' } }).namespace).toBe('default');
    expect(problems('', { env: { RECEVAL_KAFKA_BROKER: 'a:1', RECEVAL_SOMETHING_ELSE: '1' } })).toEqual([
      'RECEVAL_KAFKA_BROKER: unknown variable; did you mean "RECEVAL_KAFKA_BROKERS"?',
      'RECEVAL_SOMETHING_ELSE: unknown variable; expected RECEVAL_ and the path of a setting in upper snake case',
    ]);
  });

  test('variables that Kubernetes sets for a service named receval are not ours', () => {
    const env = {
      RECEVAL_SERVICE_HOST: '10.0.0.1',
      RECEVAL_SERVICE_PORT: '9464',
      RECEVAL_SERVICE_PORT_HTTP: '9464',
      RECEVAL_PORT: 'tcp://10.0.0.1:9464',
      RECEVAL_PORT_9464_TCP: 'tcp://10.0.0.1:9464',
      RECEVAL_PORT_9464_TCP_ADDR: '10.0.0.1',
    };
    expect(load('', { env }).http.port).toBe(9464);
    expect(problems('', { env: { RECEVAL_SERVICE_HOSTS: 'x' } })).toHaveLength(1);
  });

  test('a wrong value is told with the setting and the variable', () => {
    expect(problems('', { env: { RECEVAL_HTTP_PORT: 'x' } })).toEqual([
      'http.port: expected a whole number from 0 to 65535; found "x" (set by RECEVAL_HTTP_PORT)',
    ]);
    expect(problems('', { env: { RECEVAL_GRADES: '{a: [' } })).toEqual([
      'RECEVAL_GRADES: cannot be read as a value of grades; write it as in YAML, lists as a,b,c',
    ]);
    expect(problems('', { overrides: { 'http.prt': '1', measures: 'mrr,x' } })).toEqual([
      'http.prt: unknown setting; did you mean "http.port"?',
      expect.stringMatching(/^measures\[1]: unknown measure "x".* \(given on the command line\)$/),
    ]);
  });
});

test('camel case becomes upper snake case', () => {
  expect(['outOfOrderness', 'nStar', 'k', 'cohortsPerSet', 'add_to_cart'].map(upperSnake)).toEqual([
    'OUT_OF_ORDERNESS',
    'N_STAR',
    'K',
    'COHORTS_PER_SET',
    'ADD_TO_CART',
  ]);
});

test('a list is split at commas outside brackets, and joined it is the same again', () => {
  expect(splitList('a, b(c,d) ,[e,[f,g]],{h: i, j: k}')).toEqual(['a', 'b(c,d)', '[e,[f,g]]', '{h: i, j: k}']);
  expect(splitList(' ')).toEqual([]);
  const part = fc.constantFrom('a', 'b@5', 'f(x=1,y=2)', '[u,v]', '{w: [1,2]}');
  fc.assert(
    fc.property(fc.array(part, { minLength: 1 }), (parts) => {
      expect(splitList(parts.join(','))).toEqual(parts);
    }),
  );
});
