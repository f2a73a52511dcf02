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
  it('takes the horizon and the limits of the configuration', () => {
    const rules = generate('windows: [10m, 2h]\nattribution: {horizons: [2m, 10m], outOfOrderness: 20s}\n');
    expect(rules).toContain('(receval_result_timestamp_seconds{horizon="10m"}) > 920');
  });

  it('names the cohorts of all grouping sets', () => {
    const rules = generate('cohorts: [[], [country, surface]]\n');
    expect(rules).toContain(
      '{{ if eq $labels.by "" }}all lists{{ else if eq $labels.by "country,surface" }}country {{ $labels.country }}, surface {{ $labels.surface }}{{ end }} is below',
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
    expect(rules.match(/dashboard_url: https:\/\/grafana\/d\/1/g)).toHaveLength(7);
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
    expect(generate('cohorts: [[country]]\n')).not.toContain('receval.quality');
    expect(stderr).toBe('note: no grouping set is watched (detect.sets), so there are no rules on quality\n');
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
    ]) {
      generate(yaml, '--output', file);
      expect(await run(promtool, ['check', 'rules', file])).toMatchObject({ code: 0 });
    }
  });
});
