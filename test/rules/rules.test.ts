import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { itWith } from '../services/it-with.ts';
import { PROMTOOL } from '../services/prometheus.ts';
import { COMMIT_SUITES } from './commits-suites.ts';
import { EXPERIMENT_SUITES } from './experiment-suites.ts';
import { PIPELINE_SUITES } from './pipeline-suites.ts';
import { PROCESS_SUITES } from './process-suites.ts';
import { testRule } from './promtool-case.ts';
import { QUALITY_SUITES } from './quality-suite.ts';
import { TOPIC_SUITES } from './topics-suites.ts';

const SHIPPED = readFileSync(resolve(import.meta.dirname, '../../deploy/prometheus/rules/receval.yml'), 'utf8');

const SUITES = [
  ...PIPELINE_SUITES,
  ...COMMIT_SUITES,
  ...TOPIC_SUITES,
  ...PROCESS_SUITES,
  ...QUALITY_SUITES,
  ...EXPERIMENT_SUITES,
];

describe('the suites', () => {
  it('test every alert that is shipped', () => {
    const shipped = [...SHIPPED.matchAll(/alert: (\w+)/g)].map(([, alert]) => alert);
    expect([...new Set(SUITES.map(({ alert }) => alert))].sort()).toEqual(shipped.sort());
  });
});

describe.each(SUITES)('$alert', (suite) => {
  for (const [sentence, one] of Object.entries(suite.cases)) {
    itWith(PROMTOOL, sentence, async (promtool) => {
      const outcome = await testRule(promtool, SHIPPED, suite, one);
      expect(outcome.stdout + outcome.stderr).toContain('SUCCESS');
      expect(outcome.code).toBe(0);
    });
  }

  itWith(PROMTOOL, 'would fail its cases if its threshold were another', async (promtool) => {
    const { from, to, breaks } = suite.control;
    const start = SHIPPED.indexOf(`alert: ${suite.alert}`);
    const altered = SHIPPED.slice(0, start) + SHIPPED.slice(start).replace(from, to);
    expect(altered).not.toBe(SHIPPED);
    const outcome = await testRule(promtool, altered, suite, suite.cases[breaks]);
    expect(outcome.code).not.toBe(0);
    expect(outcome.stdout + outcome.stderr).toContain('FAILED');
  });
});
