import fc from 'fast-check';
import { expect, test } from 'vitest';
import { effectiveDocument } from '../../src/config/load.ts';
import { redact, redactUrl } from '../../src/config/redact.ts';
import { configuration, problems } from './fixture.ts';

test.each([
  ['redis://localhost:6379', 'redis://localhost:6379'],
  ['redis://user:pw@h:1/2', 'redis://***@h:1/2'],
  ['redis://:p@ss/word@h', 'redis://***@h'],
  ['redis+sentinel://:pw@a:1,b:2/main', 'redis+sentinel://***@a:1,b:2/main'],
  ['redis://h?password=pw', 'redis://h?***'],
  ['pw', '***'],
])('%s is shown as %s', (url, shown) => {
  expect(redactUrl(url)).toBe(shown);
});

test('a password is in no effective configuration', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[A-Za-z0-9@:/?]{0,8}c4n4ry$/), (password) => {
      const given = configuration({ env: { RECEVAL_REDIS_URL: `redis://:${password}@host:1` } });
      expect(given.settings.redis.url).toContain(password);
      expect(JSON.stringify(redact(effectiveDocument(given)))).not.toContain('c4n4ry');
    }),
  );
});

test.each([
  'redis: {url: "http://u:c4n4ry@h"}',
  'redis: {url: "redis://u:c4n4ry@h:99999"}',
  'redis: {url: ["redis://u:c4n4ry@h"]}',
  'redis: "redis://u:c4n4ry@h"',
  'redis: {uri: "redis://u:c4n4ry@h"}',
  'redis: {url: "redis://u:c4n4ry@h"\n  x',
  'redis: {url: c4n4ry}',
  'http: c4n4ry',
  'http: {token: [c4n4ry]}',
  'http: {token: c4n4ry, tokenFile: /t}',
  'http: {tokn: c4n4ry}',
  'kafka: {brokers: ["kafka://u:c4n4ry@h:1"]}',
  'kafka: {brokers: ["c4n4ry@h:1"]}',
  'kafka: {brokers: "u:c4n4ry/x@h:1"}',
])('a password is in no message: %j', (yaml) => {
  expect(problems(yaml).join('\n')).not.toContain('c4n4ry');
});

test('the effective configuration is a configuration that gives the same settings', () => {
  const given = configuration({
    files: { 'receval.yaml': '{measures: [mrr], grades: {buy: 2}, cohorts: [[], [country]]}' },
  });
  const again = configuration({ files: { 'receval.yaml': JSON.stringify(effectiveDocument(given)) } });
  expect(again.settings).toEqual(given.settings);
});
