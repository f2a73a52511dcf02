import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, vi } from 'vitest';
import { itWith } from './it-with.ts';
import { PROMETHEUS, startPrometheus } from './prometheus.ts';

const CONFIG = 'global: {scrape_interval: 1s, evaluation_interval: 1s}\nrule_files: [rules.yml]\n';
const RULES =
  'groups: [{name: g, rules: [{alert: Always, expr: "vector(42)", labels: {severity: info}, annotations: {a: "b"}}]}]';

describe('startPrometheus', () => {
  itWith(PROMETHEUS, 'answers queries and alerts, and leaves nothing behind', async () => {
    // Others may be at work in the usual place.
    const place = mkdtempSync(join(tmpdir(), 'receval-place-'));
    vi.stubEnv('TMPDIR', place);
    const prometheus = await startPrometheus({ configYaml: CONFIG, files: { 'rules.yml': RULES } });
    try {
      expect(await prometheus.query('vector(1) / 4')).toEqual([{ labels: {}, value: 0.25 }]);
      expect(await prometheus.query('scalar(vector(7))')).toEqual([{ labels: {}, value: 7 }]);
      expect(await prometheus.query('1 / vector(0)')).toEqual([{ labels: {}, value: Number.POSITIVE_INFINITY }]);
      await expect(prometheus.query('(')).rejects.toThrow(/400/);
      let alerts = await prometheus.alerts();
      for (let i = 0; i < 100 && alerts.length === 0; i++) {
        await new Promise((resolve) => setTimeout(resolve, 100));
        alerts = await prometheus.alerts();
      }
      expect(alerts).toEqual([
        {
          name: 'Always',
          state: 'firing',
          labels: { alertname: 'Always', severity: 'info' },
          annotations: { a: 'b' },
          value: 42,
        },
      ]);
      expect(readdirSync(place)).toHaveLength(1);
    } finally {
      vi.unstubAllEnvs();
      await prometheus.stop();
    }
    await expect(fetch(prometheus.url)).rejects.toThrow();
    expect(readdirSync(place)).toEqual([]);
    rmSync(place, { recursive: true });
  });

  itWith(PROMETHEUS, 'reports what is wrong with a configuration', async () => {
    await expect(startPrometheus({ configYaml: 'nonsense: 1\n' })).rejects.toThrow(/nonsense/);
  });

  itWith(PROMETHEUS, 'ends with a process that ends without stopping it', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'receval-forgotten-'));
    const script = `
      import { startPrometheus } from ${JSON.stringify(join(import.meta.dirname, 'prometheus.ts'))};
      const { url } = await startPrometheus({ configYaml: 'global: {}', dir: ${JSON.stringify(dir)} });
      process.stdout.write(url);
      process.exit(0);`;
    try {
      const args = ['--import', 'tsx', '--input-type=module', '--eval', script];
      const url = execFileSync(process.execPath, args, { cwd: import.meta.dirname, encoding: 'utf8' });
      expect(url).toMatch(/^http:/);
      await expect(fetch(`${url}/-/ready`)).rejects.toThrow();
      expect(existsSync(join(dir, 'data'))).toBe(false);
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  });
});
