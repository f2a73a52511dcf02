import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { itWith } from '../services/it-with.ts';
import { PROMTOOL } from '../services/prometheus.ts';
import { COMMIT_SUITES } from './commits-suites.ts';
import { EXPERIMENT_SUITES } from './experiment-suites.ts';
import { PIPELINE_SUITES } from './pipeline-suites.ts';
import { PROCESS_SUITES } from './process-suites.ts';
import { type RuleFile, testRule, withAlertAlone } from './promtool-case.ts';
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

  it('may take each alert alone: no rule reads what another one makes', () => {
    const { groups }: RuleFile = parse(SHIPPED);
    const rules = groups.flatMap((group) => group.rules);
    expect(rules.length).toBeGreaterThan(20);
    expect(rules.filter(({ alert, expr }) => alert === undefined || /\bALERTS/.test(expr))).toEqual([]);
  });

  for (const suite of [SUITES[0], SUITES[SUITES.length - 1]]) {
    itWith(PROMTOOL, `find the same of ${suite.alert} among all the others`, async (promtool) => {
      for (const one of Object.values(suite.cases)) {
        const outcome = await testRule(promtool, SHIPPED, suite, one);
        expect(outcome.stdout + outcome.stderr).toContain('SUCCESS');
      }
    });
  }
});

describe.each(SUITES)('$alert', (suite) => {
  const shipped = withAlertAlone(SHIPPED, suite.alert);
  for (const [sentence, one] of Object.entries(suite.cases)) {
    itWith(PROMTOOL, sentence, async (promtool) => {
      const outcome = await testRule(promtool, shipped, suite, one);
      expect(outcome.stdout + outcome.stderr).toContain('SUCCESS');
      expect(outcome.code).toBe(0);
    });
  }

  itWith(PROMTOOL, 'would fail its cases if its threshold were another', async (promtool) => {
    const { from, to, breaks } = suite.control;
    const start = SHIPPED.indexOf(`alert: ${suite.alert}`);
    const altered = SHIPPED.slice(0, start) + SHIPPED.slice(start).replace(from, to);
    expect(altered).not.toBe(SHIPPED);
    const outcome = await testRule(promtool, withAlertAlone(altered, suite.alert), suite, suite.cases[breaks]);
    expect(outcome.code).not.toBe(0);
    expect(outcome.stdout + outcome.stderr).toContain('FAILED');
  });
});
