import { collectDefaultMetrics, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import type { Settings } from '../../src/config/settings.ts';
import { metricSpecs, PREFIX } from '../../src/metrics/metric-specs.ts';
import { ruleGroups } from '../../src/metrics/rule-groups.ts';
import { USUAL_RULE_OPTIONS } from '../../src/metrics/rules-model.ts';
import { load } from '../config/fixture.ts';

const CONFIGURATIONS = [
  '',
  'cohorts: [[]]\n',
  'cohorts: [[surface, country]]\n',
  'measures: [mrr]\n',
  'experiments: {}\n',
  'measures: ["ndcg(dup=each,gain=exp)@5", mrr]\n',
  'measures: ["rate(action=purchase)", ctr]\n',
];

function expressions(settings: Settings): readonly string[] {
  return ruleGroups(settings, USUAL_RULE_OPTIONS).flatMap(({ rules }) => rules.map(({ expr }) => expr));
}

/** Labels by name of all metrics that a process exposes. */
function exposed(settings: Settings): ReadonlyMap<string, readonly string[]> {
  const register = new Registry();
  collectDefaultMetrics({ register, prefix: PREFIX });
  const ofProcess = register.getMetricsAsArray().map(({ name }): [string, readonly string[]] => [name, []]);
  const ours = metricSpecs(settings).map(({ name, labels }): [string, readonly string[]] => [name, labels]);
  return new Map([...ofProcess, ...ours]);
}

describe.each(CONFIGURATIONS)('the rules of the configuration %j', (yaml) => {
  const settings = load(yaml);
  const known = exposed(settings);

  it('name no metric that receval does not expose', () => {
    const named = expressions(settings).flatMap((expr) => expr.match(/\breceval_[a-z0-9_]+/g) ?? []);
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });

  it('select by no label that the metric does not have', () => {
    const wrong = expressions(settings).flatMap((expr) =>
      [...expr.matchAll(/\b(receval_[a-z0-9_]+)\{([^}]*)\}/g)].flatMap(([, name, matchers]) =>
        [...matchers.matchAll(/([a-z0-9_]+)(?:=|!=|=~|!~)"/g)]
          .map(([, label]) => label)
          .filter((label) => !known.get(name)?.includes(label))
          .map((label) => `${name} has no label ${label}`),
      ),
    );
    expect(wrong).toEqual([]);
  });
});
