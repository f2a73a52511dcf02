import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { ALERTMANAGER, AMTOOL } from '../services/alertmanager.ts';
import { run } from '../services/commands.ts';
import { itWith } from '../services/it-with.ts';
import { PROMTOOL } from '../services/prometheus.ts';
import { type Labels, mutedOf } from './alertmanager.ts';
import { ROOT, readCompose, readRoot } from './compose-file.ts';

const CONFIG = 'deploy/alertmanager/alertmanager.yml';
const RULES = 'deploy/prometheus/compose/rules/targets.yml';

describe('Prometheus in docker-compose.yml', () => {
  itWith(PROMTOOL, 'takes its configuration, with the rules for everybody and its own', async (promtool) => {
    const folder = mkdtempSync(join(tmpdir(), 'receval-prometheus-'));
    const config = join(folder, 'compose/prometheus.yml');
    cpSync(join(ROOT, 'deploy/prometheus'), folder, { recursive: true });
    // promtool wants it to be there.
    writeFileSync(join(folder, 'token'), 'a-token\n');
    const text = readRoot('deploy/prometheus/compose/prometheus.yml');
    writeFileSync(config, text.replace('/run/secrets/receval/token', join(folder, 'token')));
    const checked = await run(promtool, ['check', 'config', config], { cwd: ROOT });
    rmSync(folder, { recursive: true });
    expect(checked).toMatchObject({ code: 0 });
    expect(checked.stdout).toMatch(/rules\/receval\.yml(?:.|\n)* rules found/);
    expect(checked.stdout).toMatch(/rules\/targets\.yml(?:.|\n)*1 rules found/);
  });

  it('finds that configuration where it is mounted', () => {
    const { command, volumes } = readCompose().services['prometheus'];
    expect(volumes).toContain('./deploy/prometheus:/etc/prometheus:ro');
    expect(command).toContain('--config.file=/etc/prometheus/compose/prometheus.yml');
  });

  it('asks the services of the compose file, at their ports', () => {
    const { services } = readCompose();
    const config = parse(readRoot('deploy/prometheus/compose/prometheus.yml'));
    const [
      {
        dns_sd_configs: [targets],
        ...job
      },
    ] = config.scrape_configs;
    expect(job.job_name).toBe('receval');
    for (const name of targets.names)
      expect(services[name].environment['RECEVAL_HTTP_PORT']).toBe(String(targets.port));
    expect(targets.names).toEqual(['worker', 'exporter']);
    const [[alertmanager]] = config.alerting.alertmanagers[0].static_configs.map(
      (one: { targets: string[] }) => one.targets,
    );
    expect(services).toHaveProperty(alertmanager.split(':')[0]);
  });

  itWith(PROMTOOL, 'misses a container that is gone without a trace, and not one that is there', async (promtool) => {
    const up = (instance: string, values: string) => ({ series: `up{job="receval",instance="${instance}"}`, values });
    const fires = (found: boolean) => [
      {
        eval_time: '4m',
        alertname: 'RecevalWorkerDown',
        exp_alerts: found ? [{ exp_labels: { severity: 'critical' } }] : [],
      },
    ];
    const cases: readonly [number, object[]][] = [
      [0, [up('a', '1x8'), up('b', '1x8')]],
      [1, [up('a', '1x8')]],
      [1, [up('a', '1x8'), up('b', '0x8')]],
      [1, []],
    ];
    const folder = mkdtempSync(join(tmpdir(), 'receval-targets-'));
    const rules = parse(readRoot(RULES));
    for (const rule of rules.groups[0].rules) delete rule.annotations;
    writeFileSync(join(folder, 'rules.yml'), stringify(rules));
    const tests = cases.map(([found, input_series]) => ({
      interval: '30s',
      input_series,
      alert_rule_test: fires(found === 1),
    }));
    writeFileSync(
      join(folder, 'test.yml'),
      stringify({ rule_files: ['rules.yml'], evaluation_interval: '30s', tests }),
    );
    const tested = await run(promtool, ['test', 'rules', join(folder, 'test.yml')]);
    rmSync(folder, { recursive: true });
    expect(tested).toMatchObject({ code: 0 });
  });
});

describe('Alertmanager', () => {
  itWith(AMTOOL, 'takes its configuration', async (amtool) => {
    const checked = await run(amtool, ['check-config', CONFIG], { cwd: ROOT });
    expect(checked).toMatchObject({ code: 0, stdout: expect.stringContaining('SUCCESS') });
    expect(checked.stdout).toContain('4 inhibit rules');
    expect(checked.stdout).toContain('3 receivers');
  });

  itWith(AMTOOL, 'pages for what is critical, makes a ticket of a warning, and shows the rest', async (amtool) => {
    const to: Record<string, string> = { critical: 'page', warning: 'ticket', info: 'shown' };
    for (const [severity, receiver] of Object.entries(to)) {
      const route = await run(amtool, ['config', 'routes', 'test', `--config.file=${CONFIG}`, `severity=${severity}`], {
        cwd: ROOT,
      });
      expect(route.stdout.trim()).toBe(receiver);
    }
  });

  const critical = (alertname: string, labels: Labels = {}): Labels => ({ alertname, severity: 'critical', ...labels });
  const noProgress = critical('RecevalNoProgress', { job: 'receval', instance: 'a' });
  const otherNoProgress = critical('RecevalNoProgress', { job: 'receval', instance: 'b' });
  const stale = critical('RecevalStaleResults', { job: 'receval' });

  itWith(ALERTMANAGER, 'mutes the symptoms of a cause in the same worker, and no other', async (words) => {
    const config = resolve(ROOT, CONFIG);
    const cases: readonly [Labels[], string[]][] = [
      [
        [
          critical('RecevalUnitStopped', { job: 'receval', instance: 'a', partition: '3' }),
          noProgress,
          otherNoProgress,
          stale,
        ],
        ['RecevalNoProgress a', 'RecevalStaleResults'],
      ],
      [
        [
          critical('RecevalUnitOutgrown', { job: 'receval', instance: 'a', partition: '3' }),
          noProgress,
          otherNoProgress,
          stale,
        ],
        ['RecevalNoProgress a', 'RecevalStaleResults'],
      ],
      [[noProgress, stale], ['RecevalStaleResults']],
      [[critical('RecevalWorkerDown')], []],
      // A ranking that got worse, and a warning, explain no standstill.
      [
        [
          critical('RecevalExperimentRegressed', { experiment: 'default', variant: 'b' }),
          { alertname: 'RecevalPoisonRate', severity: 'warning', instance: 'a' },
          critical('RecevalWorkerDown', { instance: 'b' }),
          noProgress,
        ],
        ['RecevalExperimentRegressed'],
      ],
    ];
    for (const [alerts, muted] of cases) expect(await mutedOf(words, config, alerts)).toEqual(muted);
  });

  const warning = (alertname: string, labels: Labels = {}): Labels => ({ alertname, severity: 'warning', ...labels });
  const quality = critical('RecevalQualityRegressed', { variant: 'b' });
  const regressed = (variant: string): Labels =>
    critical('RecevalExperimentRegressed', { experiment: 'default', variant, instance: variant });
  const invalid = (experiment: string): Labels => warning('RecevalExperimentInvalid', { experiment, variant: 'b' });

  itWith(ALERTMANAGER, 'mutes what is said of a ranking while the records for it are missing', async (words) => {
    const config = resolve(ROOT, CONFIG);
    const judged = [quality, regressed('b')];
    const cases: readonly [Labels[], string[]][] = [
      [[...judged], []],
      [
        [...judged, stale],
        ['RecevalExperimentRegressed b', 'RecevalQualityRegressed'],
      ],
      [
        [...judged, invalid('other'), warning('RecevalKeysNotPaired', { topic: 'feedback' })],
        ['RecevalExperimentInvalid', 'RecevalExperimentRegressed b', 'RecevalQualityRegressed'],
      ],
      [
        [...judged, critical('RecevalUnitOutgrown', { instance: 'a', partition: '3' })],
        ['RecevalExperimentRegressed b', 'RecevalQualityRegressed'],
      ],
      [[...judged, critical('RecevalWorkerDown', { instance: 'a' }), warning('RecevalPoisonRate')], []],
      // Of the variant that is unsound, not of another one or of another experiment.
      [[...judged, regressed('c'), invalid('default')], ['RecevalExperimentRegressed b']],
      [[regressed('b'), invalid('other')], []],
    ];
    for (const [alerts, muted] of cases) expect(await mutedOf(words, config, alerts)).toEqual(muted);
  });

  it('knows no alert that is not built', () => {
    const names = new Set(readRoot(CONFIG).match(/Receval\w+/g));
    const built = readRoot('deploy/prometheus/rules/receval.yml');
    expect(names.size).toBe(15);
    for (const name of names) expect(built).toContain(`alert: ${name}\n`);
  });
});
