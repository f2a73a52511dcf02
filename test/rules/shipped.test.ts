import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { printRules } from '../../src/cli/rules.ts';
import { ruleGroups } from '../../src/metrics/rules.ts';
import { USUAL_RULE_OPTIONS } from '../../src/metrics/rules-model.ts';
import { load } from '../config/fixture.ts';
import { run } from '../services/commands.ts';
import { itWith } from '../services/it-with.ts';
import { PROMTOOL } from '../services/prometheus.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(resolve(ROOT, path), 'utf8');

describe('the files in deploy/prometheus', () => {
  it('hold the rules of the default settings, as `receval rules generate` prints them', () => {
    expect(read('deploy/prometheus/rules/receval.yml')).toBe(printRules(load(''), USUAL_RULE_OPTIONS));
  });

  itWith(PROMTOOL, 'are what Prometheus takes', async (promtool) => {
    for (const folder of ['deploy/prometheus', 'deploy/prometheus/demo']) {
      const config = await run(promtool, ['check', 'config', `${folder}/prometheus.yml`], { cwd: ROOT });
      expect(config).toMatchObject({ code: 0, stdout: expect.stringContaining('7 rules found') });
    }
    const rules = await run(promtool, ['check', 'rules', 'deploy/prometheus/rules/receval.yml'], { cwd: ROOT });
    expect(rules).toMatchObject({ code: 0, stdout: expect.not.stringContaining('duplicate') });
  });
});

describe('docs/alerts.md', () => {
  it('has an entry for every alert, where its runbook_url points', () => {
    const anchors = [...read('docs/alerts.md').matchAll(/^## (.+)$/gm)].map(
      ([, title]) => `docs/alerts.md#${title.toLowerCase()}`,
    );
    const alerts = ruleGroups(load(''), USUAL_RULE_OPTIONS)
      .flatMap(({ rules }) => rules)
      .filter((rule) => 'alert' in rule);
    expect(alerts.length).toBe(7);
    for (const { annotations } of alerts) expect(anchors).toContain(annotations['runbook_url']);
  });
});
