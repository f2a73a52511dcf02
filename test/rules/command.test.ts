import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { rulesCommand } from '../../src/cli/rules.ts';
import { run } from '../services/commands.ts';
import { itWith } from '../services/it-with.ts';
import { PROMTOOL } from '../services/prometheus.ts';

const RuleFile = z.object({
  groups: z.array(z.object({ rules: z.array(z.object({ expr: z.string() })) })),
});

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
  it('takes the horizon and the limits of the configuration', () => {
    const rules = generate('windows: [10m, 2h]\nattribution: {horizons: [2m, 10m], outOfOrderness: 20s}\n');
    expect(rules).toContain('(max without (instance, pod) (receval_result_timestamp_seconds)) > 920');
  });

  it('names the cohorts of all grouping sets', () => {
    const rules = generate('cohorts: [[], [country, surface]]\n');
    expect(rules).toContain(
      '{{ if eq $labels.by "" }}all lists{{ else if eq $labels.by "country,surface" }}country {{ $labels.country }}, surface {{ $labels.surface }}{{ end }} is worse',
    );
  });

  it('puts every flag where it belongs', () => {
    const rules = generate(
      '',
      ...['--targets', '4'],
      ...['--runbook', 'https://wiki/receval', '--dashboard', 'https://grafana/d/1'],
    );
    expect(rules).toContain('or vector(0)) < 4');
    expect(rules).toContain('runbook_url: https://wiki/receval#recevalnoprogress');
    expect(rules.match(/dashboard_url: https:\/\/grafana\/d\/1/g)).toHaveLength(rules.split('alert: ').length - 1);
  });

  it('prints a PrometheusRule with the same groups', () => {
    const plain: unknown = parse(generate('', '--targets', '4'));
    stdout = '';
    const object = parse(generate('', '--targets', '4', '--format', 'kubernetes'));
    expect(object).toMatchObject({ apiVersion: 'monitoring.coreos.com/v1', kind: 'PrometheusRule', spec: plain });
  });

  it('refuses a form that it does not know, with exit code 2', () => {
    expect(() => generate('', '--format', 'kubernets')).toThrow(
      expect.objectContaining({ exitCode: 2, message: expect.stringContaining('did you mean "kubernetes"?') }),
    );
  });

  it('writes to a file and prints nothing', () => {
    const file = join(folder, 'rules.yml');
    expect(generate('', '--output', file)).toBe('');
    expect(readFileSync(file, 'utf8')).toContain('alert: RecevalWorkerDown');
  });

  it('reports that a file cannot be written', () => {
    expect(() => generate('', '--output', join(folder, 'no/rules.yml'))).toThrow(
      /^--output: cannot write .*rules\.yml: there is no folder .*no$/,
    );
  });

  it('leaves the rules on quality out, and says so, where nothing is watched', () => {
    expect(generate('cohorts: [[country]]\n')).not.toContain('RecevalQuality');
    expect(stderr).toBe('note: no grouping set is watched (detect.sets), so there are no rules on quality\n');
  });

  it('leaves the rules on experiments out, and says so, where there are none', () => {
    const rules = generate('experiments: {}\n');
    expect(rules).not.toContain('RecevalExperiment');
    expect(rules).toContain('RecevalQualityRegressed');
    expect(stderr).toBe('note: there are no experiments (experiments), so there are no rules on them\n');
  });

  it('has no group without rules', () => {
    expect(generate('cohorts: [[country]]\nexperiments: {}\n')).not.toContain('receval.quality');
  });

  it.each(['0', '-1', '1.5', ''])('refuses --targets %j with exit code 2', (targets) => {
    expect(() => generate('', '--targets', targets)).toThrow(
      expect.objectContaining({
        exitCode: 2,
        message: expect.stringContaining('--targets: expected a whole number from 1'),
      }),
    );
    expect(stdout).toBe('');
  });

  it.each(['', 'staging', 'namespace=staging', '{namespace="a"}', 'namespace="a" job="b"', 'a="b",'])(
    'refuses --select %j with exit code 2',
    (select) => {
      expect(() => generate('', '--select', select)).toThrow(
        expect.objectContaining({ exitCode: 2, message: expect.stringContaining('--select: expected matchers') }),
      );
      expect(stdout).toBe('');
    },
  );

  it('narrows every selector down to the series that are asked for, and changes nothing else', () => {
    const plain = generate('');
    stdout = '';
    const narrow = generate('', '--select', 'namespace="a", team=~"b|c"');
    expect(narrow).toContain('up{namespace="a", team=~"b|c", job="receval"} == 0');
    expect(narrow).toContain('max(receval_replay_in_progress{namespace="a", team=~"b|c"}) == 1');
    expect(narrow.replaceAll('{namespace="a", team=~"b|c"}', '').replaceAll('namespace="a", team=~"b|c", ', '')).toBe(
      plain,
    );
    const exprs = (text: string): readonly string[] =>
      RuleFile.parse(parse(text)).groups.flatMap(({ rules }) => rules.map(({ expr }) => expr));
    for (const expr of exprs(narrow)) {
      expect(expr.match(/namespace="a"/g)?.length, expr).toBe(expr.match(/\bup\{|\breceval_\w+\{/g)?.length);
      expect(expr).not.toMatch(/\breceval_\w+(?![\w{])/);
    }
  });

  itWith(PROMTOOL, 'lets no receval speak for another that the same Prometheus scrapes', async (promtool) => {
    const decision = 'receval_quality_decision{namespace="a",decision="regressed",measure="mrr",horizon="1m",by=""}';
    const series = {
      [decision]: '1x20',
      'receval_replay_in_progress{namespace="b"}': '1x20',
      'up{job="receval",namespace="b",instance="1"}': '1x20',
    };
    const firing = async (flags: readonly string[]): Promise<readonly string[]> => {
      stdout = '';
      writeFileSync(join(folder, 'rules.yml'), generate('', ...flags));
      const fired: string[] = [];
      for (const alertname of ['RecevalQualityRegressed', 'RecevalWorkerDown']) {
        const silent = {
          rule_files: ['rules.yml'],
          evaluation_interval: '1m',
          tests: [
            {
              interval: '1m',
              input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
              alert_rule_test: [{ alertname, eval_time: '10m', exp_alerts: [] }],
            },
          ],
        };
        writeFileSync(join(folder, 'test.yml'), JSON.stringify(silent));
        const { code } = await run(promtool, ['test', 'rules', 'test.yml'], { cwd: folder });
        if (code !== 0) fired.push(alertname);
      }
      return fired;
    };
    expect(await firing([])).toEqual([]);
    expect(await firing(['--select', 'namespace="a"'])).toEqual(['RecevalQualityRegressed', 'RecevalWorkerDown']);
  });

  itWith(PROMTOOL, 'prints what Prometheus takes, whatever the names', async (promtool) => {
    const file = join(folder, 'rules.yml');
    for (const yaml of [
      '',
      'cohorts: [[]]\n',
      'cohorts: [[country]]\ndetect: {sets: [[country]]}\n',
      'cohorts: [[country]]\n',
      'cohorts: [[country]]\nexperiments: {}\n',
    ]) {
      generate(yaml, '--output', file);
      expect(await run(promtool, ['check', 'rules', file])).toMatchObject({ code: 0 });
    }
  });
});
