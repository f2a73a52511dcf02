import { describe, expect, it } from 'vitest';
import { loadSettings } from '../../src/config/load.ts';
import { run } from '../services/commands.ts';
import { RECEVAL } from '../tested.ts';
import { ROOT, readCompose, readRoot } from './compose-file.ts';

const page = readRoot('docs/operations.md');
const services = Object.keys(readCompose().services);

describe('docs/operations.md', () => {
  it('names no variable that the service does not know', () => {
    const names = new Set(page.match(/RECEVAL_[A-Z]+(?:_[A-Z]+)*/g));
    expect(names.size).toBeGreaterThanOrEqual(7);
    const readFile = (path: string): string => {
      if (path === 'secret') return 'redis://u:p@h:1\n';
      throw Object.assign(new Error(path), { code: 'ENOENT' });
    };
    const values: Record<string, string> = {
      RECEVAL_REDIS_URL: 'redis://localhost:6379',
      RECEVAL_REDIS_URL_FILE: 'secret',
      RECEVAL_KAFKA_BROKERS: 'a:1',
      RECEVAL_HTTP_PORT: '9464',
      RECEVAL_LIMITS_OPEN_IMPRESSIONS: 'auto',
    };
    const login = { RECEVAL_KAFKA_SASL_MECHANISM: 'scram-sha-512', RECEVAL_KAFKA_SASL_USERNAME: 'u' };
    for (const name of names) {
      const beside = name.startsWith('RECEVAL_KAFKA_SASL_') ? login : {};
      expect(() => loadSettings({ env: { ...beside, [name]: values[name] ?? 'x' }, readFile }), name).not.toThrow();
    }
  });

  it('reports the retention that the default settings need', () => {
    const { attribution } = loadSettings({ env: {}, readFile: () => '' });
    const hours = (3 * attribution.window.ms + attribution.backward + attribution.outOfOrderness) / 3_600_000 + 24;
    expect(page).toContain(`that is ${hours.toFixed(1)} hours`);
  });

  it('names only services, profiles and images of the compose file', () => {
    const named = [...page.matchAll(/docker compose (?:stop|start|logs [^\n`]*?) ((?:[a-z]+ ?)+)/g)].flatMap(
      ([, words]) => words.trim().split(' '),
    );
    expect(named).toEqual(expect.arrayContaining(['worker', 'redis']));
    for (const name of named) expect(services).toContain(name);
    for (const [, profile] of page.matchAll(/--profile ([\w-]+)/g)) {
      expect(readCompose().services['traffic'].profiles).toContain(profile);
    }
    for (const [image] of page.matchAll(/redis:\d[\w.-]+/g)) {
      if (image.includes('alpine')) expect(image).toBe(readCompose().services['redis'].image);
    }
  });

  it('names only metrics that are documented', () => {
    const names = new Set(page.match(/receval_[a-z]+(?:_[a-z0-9]+)+/g));
    const metrics = readRoot('docs/metrics.md');
    expect(names.size).toBeGreaterThan(5);
    for (const name of names) expect(metrics).toContain(`\`${name}\``);
  });

  it('explains every exit code that the help names', async () => {
    const { stdout } = await run(process.execPath, [RECEVAL, '--help']);
    const [, codes] = /^Exit codes: ([\s\S]+?)\.$/m.exec(stdout) ?? [];
    const numbers = codes.match(/\b\d\b/g);
    expect(numbers).toEqual(['0', '1', '2', '3', '4']);
    for (const code of numbers ?? []) expect(page).toMatch(new RegExp(`^\\| ${code} \\| .`, 'm'));
  });

  it('names the flags for one start that `receval run` has', async () => {
    const flags = ['--rebuild', '--new-generation', '--accept-partitions', '--restart-experiments'];
    const { stdout } = await run(RECEVAL, ['run', '--help'], { cwd: ROOT, env: process.env });
    for (const flag of flags) {
      expect(stdout).toContain(flag);
      expect(page).toContain(`| \`${flag}\` |`);
    }
  });
});
