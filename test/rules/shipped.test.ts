import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { printPrometheusRule, printRules } from '../../src/cli/rules.ts';
import { ruleGroups } from '../../src/metrics/rule-groups.ts';
import { USUAL_RULE_OPTIONS } from '../../src/metrics/rules-model.ts';
import { load } from '../config/fixture.ts';
import { run } from '../services/commands.ts';
import { itWith } from '../services/it-with.ts';
import { PROMTOOL } from '../services/prometheus.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(resolve(ROOT, path), 'utf8');

const ALERTS = ruleGroups(load(''), USUAL_RULE_OPTIONS).flatMap(({ rules }) => rules);

describe('the files in deploy/prometheus', () => {
  it('hold the rules of the default settings, as `receval rules generate` prints them and `npm run generate` writes them', async () => {
    await expect(printRules(load(''), USUAL_RULE_OPTIONS)).toMatchFileSnapshot(
      resolve(ROOT, 'deploy/prometheus/rules/receval.yml'),
    );
  });

  itWith(PROMTOOL, 'are what Prometheus takes', async (promtool) => {
    for (const folder of ['deploy/prometheus', 'deploy/prometheus/demo']) {
      const config = await run(promtool, ['check', 'config', `${folder}/prometheus.yml`], { cwd: ROOT });
      expect(config).toMatchObject({ code: 0, stdout: expect.stringContaining(`${ALERTS.length} rules found`) });
    }
    const rules = await run(promtool, ['check', 'rules', 'deploy/prometheus/rules/receval.yml'], { cwd: ROOT });
    expect(rules).toMatchObject({ code: 0, stdout: expect.not.stringContaining('duplicate') });
  });
});

describe('the PrometheusRule in deploy/kubernetes', () => {
  it('is that of the default settings for four targets, as `--format kubernetes` prints it and `npm run generate` writes it', async () => {
    await expect(printPrometheusRule(load(''), { ...USUAL_RULE_OPTIONS, targets: 4 })).toMatchFileSnapshot(
      resolve(ROOT, 'deploy/kubernetes/components/prometheus-operator/rules.yaml'),
    );
  });
});

describe('docs/runbook.md', () => {
  const page = read('docs/runbook.md');
  const sections = page.split(/^## /m).slice(1);
  const sectionOf = (alert: string): string | undefined => sections.find((text) => text.startsWith(`${alert}\n`));

  it('has a section for every alert, and no other, where its runbook_url points', () => {
    expect(ALERTS.length).toBeGreaterThan(20);
    const anchors = sections.map((text) => `${USUAL_RULE_OPTIONS.runbook}#${text.split('\n')[0].toLowerCase()}`);
    expect(anchors).toEqual(ALERTS.map(({ annotations }) => annotations['runbook_url']));
  });

  it('is linked by its whole address, in all rules that are shipped', () => {
    const { href, protocol } = new URL(USUAL_RULE_OPTIONS.runbook);
    expect(protocol).toBe('https:');
    expect(href).toMatch(/\/docs\/runbook\.md$/);
    for (const path of [
      'deploy/prometheus/rules/receval.yml',
      'deploy/prometheus/compose/rules/targets.yml',
      'deploy/kubernetes/components/prometheus-operator/rules.yaml',
    ]) {
      const links = [...read(path).matchAll(/runbook_url: (.*)/g)].map(([, link]) => link);
      expect(links.length).toBeGreaterThan(0);
      for (const link of links) expect(link.startsWith(`${href}#`)).toBe(true);
    }
  });

  it.each(ALERTS.map(({ alert }) => alert))('says of %s what it means, what to look at and what to do', (alert) => {
    const section = sectionOf(alert) ?? '';
    for (const part of ['**Means.** ', '**Why.** ', '**Look at.** ', '**Do.** ']) expect(section).toContain(part);
  });

  it('names every alert, with its severity, in the table of docs/alerts.md', () => {
    const rows = [...read('docs/alerts.md').matchAll(/^\| \[(\w+)\]\(runbook\.md#(\w+)\) \| (\w+) \|/gm)];
    expect(rows.map(([, name, anchor, severity]) => ({ name, anchor, severity }))).toEqual(
      ALERTS.map(({ alert, labels }) => ({ name: alert, anchor: alert.toLowerCase(), severity: labels.severity })),
    );
  });

  it('names no metric that is not documented', () => {
    const documented = read('docs/metrics.md');
    const names = new Set(page.match(/receval_[a-z]+(?:_[a-z0-9]+)+/g));
    expect(names.size).toBeGreaterThan(15);
    for (const name of names) expect(documented).toContain(`\`${name}\``);
  });
});
