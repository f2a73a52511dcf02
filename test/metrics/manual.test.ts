import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { EXPERIMENT_METRICS, type MetricSpec, metricSpecs } from '../../src/metrics/metric-specs.ts';
import { Metrics } from '../../src/metrics/registry.ts';
import { itWith } from '../services/it-with.ts';
import { PROMTOOL } from '../services/prometheus.ts';
import { parse } from './parse.ts';
import { settingsOf } from './settings.ts';

const FILE = resolve(import.meta.dirname, '../../docs/metrics.md');
const MANUAL = readFileSync(FILE, 'utf8');

/** One measure and one dimension stand for all. */
const SETTINGS = settingsOf('{measures: [ndcg@10], cohorts: [[variant]]}');
const METRICS = metricSpecs(SETTINGS);

function isScore({ name }: MetricSpec): boolean {
  return /_(?:score|weight|scored_impressions|folded_impressions)_total$/.test(name);
}

const GROUPS: Readonly<Record<string, () => Promise<readonly string[]> | readonly string[]>> = {
  quality: () => METRICS.filter((metric) => metric.role === 'exporter' && !isOfExperiments(metric)).map(line),
  experiments: () => METRICS.filter(isOfExperiments).map(plainLine),
  scores: () => METRICS.filter((metric) => isScore(metric)).map(line),
  pipeline: () => METRICS.filter((metric) => metric.role === 'worker' && !isScore(metric)).map(line),
  shared: () => METRICS.filter(({ role }) => role === 'both').map(line),
  process: async () => {
    const metrics = new Metrics(SETTINGS, { role: 'exporter', version: '1', node: '20' });
    const own = new Set(METRICS.map(({ name }) => name));
    return [...parse(await metrics.text())]
      .filter(([name]) => !own.has(name))
      .map(([name, { type, help }]) => `| \`${name}\` | ${type} | ${help} |`);
  },
};

function isOfExperiments(metric: MetricSpec): boolean {
  return EXPERIMENT_METRICS.includes(metric);
}

/** Whose labels are no dimensions. */
function plainLine({ name, type, labels, help }: MetricSpec): string {
  return `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help} |`;
}

function line({ name, type, labels, help }: MetricSpec): string {
  const named = labels.map((label) => (label === 'variant' ? 'dimensions' : `\`${label}\``)).join(', ');
  const words = help.replace(/ ndcg@10: .*/, '').replaceAll('receval_ndcg', 'receval_<measure>');
  return `| \`${name.replace('receval_ndcg', 'receval_<measure>')}\` | ${type} | ${named} | ${words} |`;
}

/** The page with these rows in the table that follows the mark of a group. */
function withTable(page: string, group: string, rows: readonly string[]): string {
  const parts = page.split(new RegExp(`(?<=<!-- table: ${group} -->\\n\\|.*\\n\\|[-|]+\\n)(?:\\|.*\\n)+`));
  expect(parts, `tables of ${group}`).toHaveLength(2);
  return parts.join(rows.map((row) => `${row}\n`).join(''));
}

function examples(): readonly string[] {
  return [...MANUAL.matchAll(/```promql\n([\s\S]*?)```/g)].flatMap(([, text]) =>
    text.split('\n\n').map((one) => one.trim()),
  );
}

describe('docs/metrics.md', () => {
  it('lists all metrics as they are, as `npm run generate` writes them', async () => {
    let page = MANUAL;
    for (const [group, rows] of Object.entries(GROUPS)) page = withTable(page, group, await rows());
    await expect(page).toMatchFileSnapshot(FILE);
  });

  it('names no metric that does not exist', async () => {
    const all = settingsOf('{measures: [mrr, ndcg@10, ctr], cohorts: [[variant]]}');
    const metrics = new Metrics(all, { role: 'all', version: '1', node: '20' });
    const families = parse(await metrics.text());
    const wrong = [...MANUAL.matchAll(/receval_[a-z0-9_]+/g)]
      .map(([name]) => name)
      .filter((name) => !name.endsWith('_') && !families.has(name) && !families.has(name.replace(/_bucket$/, '')));
    expect(wrong).toEqual([]);
  });

  itWith(PROMTOOL, 'has examples that Prometheus takes', async (promtool) => {
    expect(examples().length).toBeGreaterThan(6);
    const folder = mkdtempSync(join(tmpdir(), 'receval-manual-'));
    try {
      const file = join(folder, 'rules.yml');
      const rules = examples().map((expr, i) => ({ record: `receval:example:${i}`, expr }));
      writeFileSync(file, stringify({ groups: [{ name: 'examples', rules }] }));
      const { stdout } = await promisify(execFile)(promtool, ['check', 'rules', file]);
      expect(stdout).toContain(`SUCCESS: ${rules.length} rules found`);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
