/** `--report` of replay, compare and score, as a user calls it. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT, receval } from './receval.ts';

const folder = mkdtempSync(join(tmpdir(), 'receval-report-'));
const SAMPLES = join(ROOT, 'sample/score');
const CONFIG = `attribution: {horizons: [1m, 30m]}
measures: [ndcg@10, mrr]
cohorts: [[], [variant]]
experiments: {default: {control: control, variants: {control: 0.5, treatment: 0.5}}}
`;

beforeAll(async () => {
  writeFileSync(join(folder, 'receval.yaml'), CONFIG);
  const shop = ['--to', 'shop', '--variants', 'control:0.5:0.8,treatment:0.5:0.2', '--events', '20000'];
  expect((await receval(['simulate', ...shop], { cwd: folder })).code).toBe(0);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const LOGS = ['--impressions', 'shop/impressions.ndjson.gz', '--feedback', 'shop/feedback.ndjson.gz'];
const RUNS = ['--run', join(SAMPLES, 'popular.run'), '--run', join(SAMPLES, 'personal.run')];

describe.each([
  ['replay', LOGS, 0, 'measured'],
  ['compare', [...LOGS, '--ratio-by', 'country'], 3, 'regressed'],
  ['score', [...RUNS, '--qrels', join(SAMPLES, 'qrels.txt'), '--measures', 'ndcg@1..5,mrr'], 0, 'better'],
] as const)('%s --report', (command, args, exit, badge) => {
  it('writes the page of --output html beside the usual table, the same bytes each time', async () => {
    const report = join(folder, `${command}.html`);
    const plain = await receval([command, ...args], { cwd: folder });
    const beside = await receval([command, ...args, '--report', report], { cwd: folder });
    const page = await receval([command, ...args, '--output', 'html'], { cwd: folder });
    expect([plain.code, beside.code, page.code]).toEqual([exit, exit, exit]);
    expect(beside.stdout).toBe(plain.stdout);
    const html = readFileSync(report, 'utf8');
    expect(html).toBe(page.stdout);
    expect(html).toContain(`>${badge}</span><p class="sentence">`);
    expect(html).toMatch(/sha256 [0-9a-f]{16}/);
    // What is sent to others does not say where it was made.
    expect(html).not.toContain(folder);
    expect(html).not.toContain(ROOT);
  });

  it('holds the JSON that --output json prints', async () => {
    const html = (await receval([command, ...args, '--output', 'html'], { cwd: folder })).stdout;
    const data = /;base64,([^"]+)"/.exec(html)?.[1] ?? '';
    const asked = command === 'score' ? ['--p-values', '--per-query'] : [];
    const json = (await receval([command, ...args, ...asked, '--output', 'json'], { cwd: folder })).stdout;
    expect(Buffer.from(data, 'base64').toString('utf8')).toBe(json);
  });

  it('is no PDF, whatever its name', async () => {
    for (const name of ['r.pdf', 'r', 'r.html.gz']) {
      const { code, stderr } = await receval([command, ...args, '--report', name], { cwd: folder });
      expect([code, stderr]).toEqual([2, expect.stringContaining('--report: a report is an HTML page: name it r')]);
      expect(existsSync(join(folder, name))).toBe(false);
    }
  });

  it('says before it reads that the report cannot be written', async () => {
    const { code, stdout, stderr } = await receval([command, ...args, '--report', 'nowhere/r.html'], { cwd: folder });
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain('--report: cannot write nowhere/r.html: there is no folder nowhere');
  });
});

describe.each([
  ['replay --report', ['replay', '--impressions', 'own.ndjson', '--feedback', 'own.ndjson', '--report']],
  ['compare --report', ['compare', '--events', 'own.ndjson', '--report']],
  ['compare --plot', ['compare', '--events', 'own.ndjson', '--plot']],
  ['score --report', ['score', '--run', 'a=own.ndjson', '--qrels', 'own.ndjson', '--report']],
  ['score --plot-file', ['score', '--lists', 'own.ndjson', '--measures', 'mrr', '--plot', 'bar', '--plot-file']],
  ['fuse --output', ['fuse', '--run', 'own.ndjson', '--method', 'rrf', '--output']],
] as const)('%s', (_, args) => {
  it('never overwrites an input', async () => {
    const own = join(folder, 'own.ndjson');
    writeFileSync(own, 'what cannot be had again\n');
    const { code, stdout, stderr } = await receval([...args, './own.ndjson'], { cwd: folder });
    expect(stderr).toBe(`receval: ${args.at(-1)}: ./own.ndjson is one of the inputs, and would be overwritten\n`);
    expect([code, stdout]).toEqual([2, '']);
    expect(readFileSync(own, 'utf8')).toBe('what cannot be had again\n');
  });
});

describe('the pictures of cohorts of compare', () => {
  it('begin with the primary measure', async () => {
    writeFileSync(join(folder, 'primary.yaml'), CONFIG.replace('{control: control', '{primary: mrr, control: control'));
    const chosen = async (...more: readonly string[]): Promise<string | undefined> => {
      const { stdout } = await receval(['compare', ...LOGS, '--output', 'html', ...more], { cwd: folder });
      return /<input [^>]*id="m-(\d)"[^>]* checked/.exec(stdout)?.[1];
    };
    expect(await chosen()).toBe('0');
    expect(await chosen('--config', 'primary.yaml')).toBe('1');
  });
});

describe('the hash of the configuration', () => {
  it('is another one with another setting', async () => {
    const hash = async (...more: readonly string[]): Promise<string | undefined> => {
      const { stdout } = await receval(['replay', ...LOGS, '--output', 'html', ...more], { cwd: folder });
      return /sha256 ([0-9a-f]+)/.exec(stdout)?.[1];
    };
    expect(await hash()).not.toBe(await hash('--measures', 'mrr'));
  });
});
