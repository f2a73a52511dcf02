import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { rulesCommand } from '../../src/cli/rules.ts';
import { run } from '../services/commands.ts';
import { itWith } from '../services/it-with.ts';
import { PROMTOOL } from '../services/prometheus.ts';

let folder = '';
let stdout = '';
let stderr = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'receval-rules-'));
  stdout = '';
  stderr = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    stdout += String(text);
    return true;
  });
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    stderr += String(text);
    return true;
  });
});

afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

/** Its rules for a configuration. */
function generate(yaml: string, ...flags: readonly string[]): string {
  const config = join(folder, 'receval.yaml');
  writeFileSync(config, yaml);
  const command = rulesCommand();
  for (const one of [command, ...command.commands]) one.exitOverride();
  command.parse(['generate', '--config', config, ...flags], { from: 'user' });
  return stdout;
}

describe('receval rules generate', () => {
  it('takes windows, horizons and limits from the configuration', () => {
    const rules = generate('windows: [10m, 2h]\nattribution: {horizons: [2m, 10m], outOfOrderness: 20s}\n');
    expect(rules).toContain('receval_ndcg{k="10",params="",window="10m",horizon="2m",by="variant"');
    expect(rules).toContain('receval:primary:trusted[24h] offset 10m');
    expect(rules).toContain('(receval_result_timestamp_seconds{horizon="10m"}) > 920');
  });

  it('takes the primary of the experiment default, with its parameters', () => {
    const rules = generate(
      'measures: [mrr, "ndcg(dup=each,gain=exp)@5"]\nexperiments: {default: {control: a, variants: {a: 1, b: 1}, primary: "ndcg(gain=exp, dup=each)@5"}}\n',
    );
    expect(rules).toContain('receval_ndcg{k="5",params="dup=each,gain=exp",');
    expect(rules).toContain('measure: ndcg(dup=each,gain=exp)@5');
  });

  it('takes a measure without a cut-off, whose series have no label k', () => {
    expect(generate('', '--measure', 'rr')).toContain('receval_mrr{k="",params="",');
  });

  it('watches everything together where variants are no grouping set', () => {
    const rules = generate('cohorts: [[], [country]]\n');
    expect(rules).toContain('by=""})');
    expect(rules).toContain('and ignoring (by) max');
    expect(rules).toContain('{{ $labels.measure }} of all lists is');
  });

  it('puts every flag where it belongs', () => {
    const rules = generate(
      '',
      ...['--past', '7d', '--offset', '1h', '--share', '0.25', '--for', '10m', '--interval', '5m'],
      ...['--min-impressions', '7', '--min-positives', '3', '--targets', '4'],
      ...['--runbook', 'https://wiki/receval', '--dashboard', 'https://grafana/d/1'],
    );
    // Half of the 2016 values that 7 days hold at one every 5 minutes.
    expect(rules).toContain('avg_over_time(receval:primary:trusted[7d] offset 1h) > 0.25');
    expect(rules).toContain('count_over_time(receval:primary:trusted[7d] offset 1h) >= 1008');
    expect(rules).toContain('for: 10m');
    expect(rules).toContain('interval: 5m');
    expect(rules).toMatch(/receval_window_impressions\{[^}]*\}\) >= 7\n/);
    expect(rules).toMatch(/receval_window_positives\{[^}]*\}\) >= 3\n/);
    expect(rules).toContain('or vector(0)) < 4');
    expect(rules).toContain('runbook_url: https://wiki/receval#recevalnoprogress');
    expect(rules.match(/dashboard_url: https:\/\/grafana\/d\/1/g)).toHaveLength(6);
  });

  it('writes to a file and prints nothing', () => {
    const file = join(folder, 'rules.yml');
    expect(generate('', '--output', file)).toBe('');
    expect(readFileSync(file, 'utf8')).toContain('alert: RecevalWorkerDown');
  });

  it('tells that a file cannot be written', () => {
    expect(() => generate('', '--output', join(folder, 'no/rules.yml'))).toThrow(/^cannot write .*rules\.yml: /);
  });

  it('leaves the rule on quality out, and says so, where no fall is a loss', () => {
    const rules = generate('measures: ["rate(action=hide)"]\n');
    expect(rules).not.toContain('receval.quality');
    expect(stderr).toMatch(/^note: a fall of none of the measures is a loss/);
  });

  it('says so when it compares another measure than the primary', () => {
    const rules = generate(
      'measures: ["rate(action=hide)", mrr]\nexperiments: {default: {control: a, variants: {a: 1, b: 1}, primary: "rate(action=hide)"}}\n',
    );
    expect(rules).toContain('measure: mrr');
    expect(stderr).toBe(
      'note: a fall of rate(action=hide) is no loss; the rule on quality compares mrr (--measure names another)\n',
    );
  });

  it.each([
    [['--past', '0s'], '--past: expected a duration above 0 such as 30s or 24h; found "0s"'],
    [['--for', '5'], '--for: expected a duration such as 30s or 24h; found "5"'],
    [['--offset', 'soon'], '--offset: expected a duration above 0'],
    [['--interval', '0s'], '--interval: expected a duration above 0'],
    [['--share', '0'], '--share: expected a number above 0 and below 1; found "0"'],
    [['--share', '1'], '--share: expected'],
    [['--share', ''], '--share: expected'],
    [['--min-impressions', '-1'], '--min-impressions: expected a whole number from 0'],
    [['--min-positives', '1.5'], '--min-positives: expected a whole number from 0'],
    [['--targets', '0'], '--targets: expected a whole number from 1'],
    [['--measure', 'ndgc@10'], 'did you mean "ndcg@10"?'],
    [['--measure', 'ndcg@20'], 'ndcg@20 is not among the measures of the configuration; did you mean "ndcg@10"?'],
  ])('refuses %j with exit code 2', (flags, message) => {
    expect(() => generate('', ...flags)).toThrow(
      expect.objectContaining({ exitCode: 2, message: expect.stringContaining(message) }),
    );
    expect(stdout).toBe('');
  });

  it('refuses a measure whose fall is no loss', () => {
    expect(() => generate('measures: ["rate(action=hide)", mrr]\n', '--measure', 'rate(action=hide)')).toThrow(
      '--measure: a fall of rate(action=hide) is not a loss; expected one of mrr',
    );
  });

  itWith(PROMTOOL, 'prints what Prometheus takes, whatever the names', async (promtool) => {
    const file = join(folder, 'rules.yml');
    const sets = ['', 'cohorts: [[]]\n', 'cohorts: [[country]]\n', 'measures: ["rate(action=hide)"]\n'];
    for (const yaml of [...sets, 'measures: ["rate(action=purchase,avg=macro)"]\n']) {
      generate(yaml, '--output', file);
      expect(await run(promtool, ['check', 'rules', file])).toMatchObject({ code: 0 });
    }
  });
});
