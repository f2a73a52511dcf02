import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ConfigError } from '../../src/config/problems.ts';
import { configSchema } from '../../src/config/schema.ts';
import { runs } from '../runs.ts';
import { configuration } from './fixture.ts';

const NAMES = [
  ...Object.keys(configSchema.shape),
  'horizons',
  'url',
  'topics',
  'impressions',
  'default',
  'variants',
  '__proto__',
];
const tree = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom<unknown>(
      null,
      true,
      0,
      -1,
      1e308,
      '',
      '1m',
      '5m',
      'mrr',
      'auto',
      'variant',
      '__proto__',
      'constructor',
    ),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.oneof(fc.constantFrom(...NAMES), fc.string({ maxLength: 4 })), tie('value'), { maxKeys: 4 }),
  ),
}));

test('any YAML is a configuration, or is refused with at least one problem that has a place', () => {
  const root = fc.dictionary(fc.constantFrom(...NAMES), tree.value, { maxKeys: 5 });
  let refused = 0;
  fc.assert(
    fc.property(root, (document) => {
      try {
        configuration({ files: { 'receval.yaml': JSON.stringify(document) } });
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        refused++;
        expect(error.problems.length).toBeGreaterThan(0);
        for (const { path, message } of error.problems) expect([path, message]).not.toContain('');
      }
    }),
    { numRuns: runs(250) },
  );
  expect(refused).toBeGreaterThan(45);
});

test('any text of a variable is read, or is refused', () => {
  const names = [
    'COHORTS',
    'GRADES',
    'KAFKA',
    'KAFKA_BROKERS',
    'LIMITS_SERIES',
    'MEASURES',
    'REDIS_URL',
    'START_FROM',
    'EXPERIMENTS',
  ];
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: fc.constantFrom('[', ']', '{', '}', ',', ':', ' ', 'a', '1', '&', '*') }),
  );
  fc.assert(
    fc.property(fc.constantFrom(...names), text, (name, value) => {
      try {
        configuration({ env: { [`RECEVAL_${name}`]: value } });
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
      }
    }),
    { numRuns: runs(250) },
  );
});
