import { describe, expect, test } from 'vitest';
import { configJsonSchema, configSchema } from '../../src/config/schema.ts';
import { load, problems } from './fixture.ts';

/** The configuration of the manual: all defaults written out. */
const WRITTEN = `
namespace: default
kafka:
  brokers: [localhost:9092]
  groupId: receval
  topics:
    impressions: {name: impressions, adapter: canonical}
    feedback:    [{name: feedback, adapter: canonical}]
redis: {url: redis://localhost:6379}
attribution: {horizons: [1m, 5m, 30m], outOfOrderness: 10s, backward: 0s, idleAfter: 30s, maxSkew: 2m, futureSkew: 5m, unitTimeout: 10m}
start: {from: earliest, onGap: stop, onUndecodable: stop}
commit: {interval: 1s}
grades: {click: 1, add_to_cart: 2, purchase: 3, rating: {from: value, rule: last, max: 5}, hide: {grade: 0, veto: true}, view: {grade: 0}}
relevantFrom: 1
measures: [mrr, precision@5, precision@10, ndcg@10, recall@10, ap@10, hit@10]
lowerIsBetter: []
windows: [5m, 1h, 24h]
paneSize: 1m
cohorts: [[], [variant], [variant, country]]
limits: {series: 10000, cohortsPerSet: auto, openImpressions: auto, itemsPerList: 1000, feedbackPerImpression: 1000, impressionBytes: 262144, feedbackBytes: 65536}
experiments:
  default: {control: control, variants: {control: 0.5, treatment: 0.5}, primary: ndcg@10, guardrails: [], horizon: 30m,
            start: null, alpha: 0.05, nStar: 5000, tolerance: 0.01, interleaved: false}
statistics: {clustered: [[], [variant]]}
detect: {sets: [[]], measures: [mrr], horizon: 1m, step: 5m, history: 22d, k: 0.5, h: 20, tolerance: 0.03}
http: {host: 127.0.0.1, port: 9464}
deadLetter: off
`;

test('the defaults are those of the manual', () => {
  expect(load(WRITTEN)).toEqual(load(''));
});

test('the adapter map of the manual is valid', () => {
  const map =
    '{requestId: /context/recommendationId, ts: /meta/at, items: /payload/products, items.id: /sku, variant: /context/arm}';
  const [topic] = load(`kafka: {topics: {impressions: {name: p, adapter: {map: ${map}}}}}`).kafka.topics;
  expect(topic.adapter).toMatchObject({ map: { 'items.id': '/sku' } });
});

describe('the address of Redis', () => {
  test.each([
    'redis://localhost',
    'redis://localhost:6379/0',
    'rediss://user:pa@ss@h:1',
    'redis://[::1]:6379',
    'redis+sentinel://a:1,b:2/main',
    'redis+cluster://a:1,b:2',
  ])('%s is valid', (url) => {
    expect(load(`redis: {url: "${url}"}`).redis.url).toBe(url);
  });

  test.each([
    'localhost:6379',
    'http://h',
    'redis://a,b',
    'redis://h:0',
    'redis://h:65536',
    'redis://h/db',
    'redis://',
    'redis+sentinel://a:1',
    'redis+cluster://a:1/x',
  ])('%s is not', (url) => {
    expect(problems(`redis: {url: "${url}"}`)[0]).toMatch(/^redis\.url: expected redis:/);
  });
});

describe('the address to listen on', () => {
  test.each([
    '0.0.0.0',
    '127.0.0.1',
    'localhost',
    'node-1.example.com',
    '::',
    '::1',
    'fe80::1%eth0',
    '::ffff:10.0.0.1',
  ])('%s is valid', (host) => expect(load(`http: {host: "${host}"}`).http.host).toBe(host));

  test.each(['0.0.0.0:9464', 'localhost:9464', 'http://localhost', '[::1]:9464', 'a b', ''])('%s is not', (host) => {
    expect(problems(`http: {host: "${host}"}`)[0]).toMatch(
      /^http\.host: expected an address to listen on, without port/,
    );
  });
});

test('the JSON Schema names every setting, and allows no other', () => {
  const schema = JSON.parse(JSON.stringify(configJsonSchema()));
  expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema');
  expect(Object.keys(schema.properties)).toEqual(Object.keys(configSchema.shape));
  expect(schema.additionalProperties).toBe(false);
  expect(schema.required).toBeUndefined();
  expect(schema.properties.attribution.additionalProperties).toBe(false);
  expect(schema.properties.attribution.properties.horizons.default).toEqual(['1m', '5m', '30m']);
});
