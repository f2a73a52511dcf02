/** What `bin/receval` starts: the sources, or what was compiled of them; what `receval run` sets; and how little `receval` loads before a command is called. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { run } from '../services/commands.ts';
import { ROOT, receval } from './receval.ts';

const top = mkdtempSync(join(tmpdir(), 'receval-start-'));
afterAll(() => rmSync(top, { recursive: true }));

function write(folder: string, name: string, says: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), `process.stdout.write('${says}');\n`);
}

describe('bin/receval', () => {
  let folder: string;
  let count = 0;
  beforeEach(() => {
    folder = join(top, String(count++));
    cpSync(join(ROOT, 'bin'), join(folder, 'bin'), { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    cpSync(join(ROOT, 'tsconfig.json'), join(folder, 'tsconfig.json'));
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  });

  async function started(): Promise<string> {
    const { stdout, stderr } = await run(process.execPath, [join(folder, 'bin/receval')], { cwd: top });
    return stdout === '' ? stderr : stdout;
  }

  /** The build began so many seconds after the newest source was written. */
  function build(seconds: number): void {
    write(folder, 'dist/cli/main.js', 'compiled');
    writeFileSync(join(folder, 'dist/built'), '');
    const at = Date.now() / 1000 + seconds;
    utimesSync(join(folder, 'dist/built'), at, at);
  }

  it('ends at a signal while it still loads, also as the first process of a container', async (context) => {
    const inContainer = ['--user', '--map-root-user', '--pid', '--fork', '--mount-proc'];
    if ((await run('unshare', [...inContainer, 'true'])).code !== 0)
      context.skip('this machine makes no PID namespaces');
    mkdirSync(join(folder, 'src/cli'), { recursive: true });
    writeFileSync(
      join(folder, 'src/cli/main.ts'),
      `process.kill(process.pid, process.argv[2]);
      await new Promise((resolve) => setTimeout(resolve, 5000));
      process.stdout.write('ignored');`,
    );
    for (const [signal, code] of [
      ['SIGTERM', 143],
      ['SIGINT', 130],
    ] as const) {
      const ended = await run('unshare', [...inContainer, process.execPath, join(folder, 'bin/receval'), signal]);
      expect([ended.code, ended.stdout]).toEqual([code, '']);
    }
  });

  it('runs the sources of a checkout', async () => {
    write(folder, 'src/cli/main.ts', 'sources');
    expect(await started()).toBe('sources');
  });

  it('runs what was compiled where that is as new as all sources', async () => {
    write(folder, 'src/cli/main.ts', 'sources');
    build(60);
    expect(await started()).toBe('compiled');
  });

  it('runs the sources where one of them is newer', async () => {
    write(folder, 'src/cli/main.ts', 'sources');
    write(folder, 'src/deep/in/it.ts', 'a part');
    build(60);
    const later = Date.now() / 1000 + 120;
    utimesSync(join(folder, 'src/deep/in/it.ts'), later, later);
    expect(await started()).toBe('sources');
  });

  it('runs the sources where one of them is gone since', async () => {
    write(folder, 'src/cli/main.ts', 'sources');
    build(60);
    const later = Date.now() / 1000 + 120;
    utimesSync(join(folder, 'src/cli'), later, later);
    expect(await started()).toBe('sources');
  });

  it('runs the sources where the build did not come to its end', async () => {
    write(folder, 'src/cli/main.ts', 'sources');
    build(60);
    rmSync(join(folder, 'dist/built'));
    expect(await started()).toBe('sources');
  });

  it('runs what was compiled in a package, which has no sources', async () => {
    build(0);
    rmSync(join(folder, 'dist/built'));
    expect(await started()).toBe('compiled');
  });
});

describe('receval run', () => {
  it('sets no flag that this V8 does not know: it would print so', async () => {
    const { code, stderr } = await receval(['run', '--config', join(top, 'none.yaml')]);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/none\.yaml/);
    expect(stderr).not.toMatch(/flag/);
  });
});

/** Sources that a file loads when it is loaded itself. */
function loadedBy(path: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(path)) return found;
  found.add(path);
  const imports = readFileSync(path, 'utf8').matchAll(/^import (?!type )[^;]*?from '(\.[^']+)'/gms);
  for (const [, name] of imports) loadedBy(resolve(dirname(path), name), found);
  return found;
}

describe('receval', () => {
  it('loads a command when it is called, and no other', () => {
    const loaded = [...loadedBy(join(ROOT, 'src/cli/main.ts'))].map((path) => path.slice(ROOT.length + 1));
    expect(loaded.sort()).toEqual([
      'src/cli/failure.ts',
      'src/cli/main.ts',
      'src/cli/process.ts',
      'src/vocabulary/error-text.ts',
    ]);
  });

  it('score loads neither the configuration, nor plots, nor statistics before they are asked for', () => {
    const loaded = [...loadedBy(join(ROOT, 'src/cli/score.ts'))].map((path) => path.slice(ROOT.length + 1));
    expect(loaded.length).toBeGreaterThan(20);
    const rooms = ['src/config/', 'src/service/', 'src/replay/', 'src/metrics/', 'src/statistics/', 'src/experiment/'];
    expect(loaded.filter((path) => rooms.some((room) => path.startsWith(room)) || path.endsWith('-plot.ts'))).toEqual(
      [],
    );
  });

  it.each(['replay', 'compare', 'inspect', 'score', 'fuse', 'report'])(
    '%s of files loads no client of Kafka or Redis, and libraries of statistics and YAML when it calls them',
    (command) => {
      const loaded = [...loadedBy(join(ROOT, `src/cli/${command}.ts`))];
      expect(loaded.length).toBeGreaterThan(20);
      const packages = loaded.flatMap((path) =>
        [...readFileSync(path, 'utf8').matchAll(/^import (?!type )[^;]*?from '([^.][^']*)'/gms)].map(
          ([, name]) => name,
        ),
      );
      expect(packages).toContain('commander');
      expect(packages.filter((name) => /^(?:ioredis|kafkajs|yaml|@stdlib\/.*)$/.test(name))).toEqual([]);
      expect(loaded.filter((path) => path.endsWith('kafka/access/client.ts'))).toEqual([]);
    },
  );
});
