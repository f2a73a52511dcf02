import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
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
  it('takes the horizon and the limits of the configuration', () => {
    const rules = generate('windows: [10m, 2h]\nattribution: {horizons: [2m, 10m], outOfOrderness: 20s}\n');
    expect(rules).toContain('(receval_result_timestamp_seconds{horizon="10m"}) > 920');
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

  it('tells that a file cannot be written', () => {
    expect(() => generate('', '--output', join(folder, 'no/rules.yml'))).toThrow(/^cannot write .*rules\.yml: /);
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
