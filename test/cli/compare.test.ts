import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Comparison } from '../../src/experiment/comparison.ts';
import { ROOT, receval } from './receval.ts';

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'receval-compare-'));
  const simulate = (name: string, treatment: number) =>
    receval([
      'simulate',
      '--to',
      join(folder, name),
      '--events',
      '20000',
      '--rate',
      '2',
      '--variants',
      `control:0.5:0.7,treatment:0.5:${treatment}`,
    ]);
  const runs = await Promise.all([simulate('same', 0.7), simulate('worse', 0.1)]);
  expect(runs.map(({ code }) => code)).toEqual([0, 0]);
});
afterAll(() => rmSync(folder, { recursive: true }));

function logs(name: string): string[] {
  return [
    '--impressions',
    join(folder, name, 'impressions.ndjson.gz'),
    '--feedback',
    join(folder, name, 'feedback.ndjson.gz'),
  ];
}

describe('receval compare', () => {
  it('finds nothing between variants of one quality, and exits with 0', async () => {
    const { code, stdout } = await receval(['compare', ...logs('same'), '--output', 'json']);
    const comparison = JSON.parse(stdout) as Comparison;
    expect(comparison).toMatchObject({ experiment: 'default', control: 'control', srm: { mismatch: false } });
    expect(['insufficient', 'healthy']).toContain(comparison.variants[0].decision);
    expect(code).toBe(0);
  });

  it('finds a planted loss, says so in words, draws it, and exits with 3', async () => {
    const plot = join(folder, 'effect.svg');
    const { code, stdout } = await receval(['compare', ...logs('worse'), '--plot', plot]);
    expect(stdout).toContain('treatment: regressed (primary_worse)');
    expect(stdout).toMatch(/treatment is worse than control on ndcg@10 by \d+\.\d % to \d+\.\d %; this holds/);
    expect(readFileSync(plot, 'utf8')).toMatch(/^<svg .*\n/);
    expect(code).toBe(3);
  });

  it('answers the same bytes for the same files', async () => {
    const [a, b] = await Promise.all([1, 2].map(() => receval(['compare', ...logs('worse'), '--output', 'json'])));
    expect(a.stdout).toBe(b.stdout);
  });

  it('compares the two policies of the Open Bandit sample', async () => {
    const sample = join(ROOT, 'sample/open_bandit');
    const events = ['random', 'bts'].map((policy) => join(sample, `${policy}_men.csv.gz@variant=${policy}`));
    const { code, stdout } = await receval([
      'compare',
      '--events',
      ...events,
      '--adapter',
      'open-bandit',
      '--config',
      join(sample, 'receval.yaml'),
      '--output',
      'json',
    ]);
    const comparison = JSON.parse(stdout) as Comparison;
    expect(comparison.impressions).toEqual({ bts: 10_000, random: 10_000 });
    const clicks = comparison.variants[0].measures.find(({ measure }) => measure === 'ctr');
    expect(clicks).toMatchObject({ control: 0.0046, value: 0.0069 });
    expect(code).toBe(0);
  });

  it.each([
    [['--experiment', 'defualt'], '--experiment: no experiment "defualt"; did you mean "default"?'],
    [['--output', 'csv'], '--output: no form "csv"; expected one of table, json, md, html'],
    [['--redis', 'redis://x'], '--redis names a running service: leave it out beside files'],
  ])('%j is a wrong usage', async (flags, message) => {
    const { code, stderr, stdout } = await receval(['compare', ...logs('same'), ...flags]);
    expect(stderr).toContain(message);
    expect(stdout).toBe('');
    expect(code).toBe(2);
  });

  it('says which experiments there are when none of them is the usual one', async () => {
    const config = join(folder, 'two.yaml');
    const one = '{control: a, variants: {a: 1, b: 1}}';
    writeFileSync(config, `experiments: {x: ${one}, y: ${one}}\n`);
    const { code, stderr } = await receval(['compare', ...logs('same'), '--config', config]);
    expect(stderr).toContain('--experiment: name one of x, y');
    expect(code).toBe(2);
  });

  it('reads nothing when the picture has no place', async () => {
    const plot = join(folder, 'no/such/effect.svg');
    const { code, stderr, stdout } = await receval(['compare', ...logs('same'), '--plot', plot]);
    expect(stderr).toContain('there is no folder');
    expect(stdout).toBe('');
    expect(code).toBe(2);
    expect(existsSync(plot)).toBe(false);
  });

  it('asks for logs', async () => {
    const { code, stderr } = await receval(['compare']);
    expect(stderr).toContain('name the logs');
    expect(code).toBe(2);
  });
});
