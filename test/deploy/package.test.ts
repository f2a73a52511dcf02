import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Outcome, run } from '../services/commands.ts';
import { ROOT } from './compose-file.ts';
import { recevalIn } from './receval-in.ts';

/** What the build and the package are made of. */
const CHECKOUT = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json', 'README.md', 'LICENSE'];
const PUBLISHED = ['CHANGELOG.md', 'bin', 'deploy/build.ts', 'docs', 'sample', 'src'];

function files(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

async function succeed(file: string, args: readonly string[], cwd: string): Promise<string> {
  const done = await run(file, args, { cwd, env: process.env });
  if (done.code !== 0) throw new Error(`${file} ${args.join(' ')}: ${done.stdout}${done.stderr}`);
  return done.stdout;
}

describe('the package', () => {
  const top = mkdtempSync(join(tmpdir(), 'receval-package-'));
  const checkout = join(top, 'checkout');
  const user = join(top, 'user');
  const modules = join(user, 'node_modules');
  const folder = join(modules, 'receval');
  beforeAll(async () => {
    mkdirSync(checkout);
    for (const path of [...CHECKOUT, ...PUBLISHED]) cpSync(join(ROOT, path), join(checkout, path), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
    await succeed('npm', ['pack', '--silent', `--pack-destination=${top}`], checkout);
    const [archive] = readdirSync(top).filter((name) => name.endsWith('.tgz'));
    // As a user installs it: into an empty folder. With what the lock file names it is installed by image.test.ts.
    mkdirSync(user);
    writeFileSync(join(user, 'package.json'), '{"private":true}');
    const add = ['install', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', join(top, archive)];
    await succeed('npm', add, user);
  }, 900_000);
  afterAll(() => rmSync(top, { recursive: true }));

  it('holds neither sources nor tools', () => {
    expect(readdirSync(folder)).toEqual(
      expect.arrayContaining(['LICENSE', 'README.md', 'bin', 'dist', 'docs', 'sample']),
    );
    expect(readdirSync(folder)).not.toContain('src');
    expect(readdirSync(modules)).not.toContain('tsx');
  });

  it('holds every file of the sources that is not TypeScript, unchanged', () => {
    const others = files(join(checkout, 'src')).filter((path) => !/\.tsx?$/.test(path));
    expect(others.length).toBeGreaterThanOrEqual(2);
    const contents = (paths: readonly string[]) => paths.map((path) => readFileSync(path, 'utf8'));
    expect(contents(files(join(folder, 'dist')))).toEqual(expect.arrayContaining(contents(others)));
  });

  it('holds the schema of the configuration, for editors', async () => {
    const { stdout } = await recevalIn(folder, ['config', 'schema']);
    expect(readFileSync(join(folder, 'dist/receval.schema.json'), 'utf8')).toBe(stdout);
  });

  it('imports nothing that is missing', async () => {
    // One starts the command, and one runs in browsers.
    const others = /\/dist\/(?:cli\/main|page\/live)\.js$/;
    const compiled = files(join(folder, 'dist')).filter((path) => path.endsWith('.js') && !others.test(path));
    expect(compiled.length).toBeGreaterThan(20);
    const script = 'for (const path of process.argv.slice(1)) await import(path);';
    const imported = await run(process.execPath, ['--input-type=module', '-e', script, ...compiled], { cwd: top });
    expect(imported).toMatchObject({ code: 0, stderr: '' });
  });

  it('reports its version, and checks a configuration', async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(await recevalIn(folder, ['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
    expect(await recevalIn(folder, ['config', 'check'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^ok\n/),
    });
    expect(await recevalIn(folder, ['config', 'check'], { RECEVAL_HTTP_PROT: '1' })).toMatchObject({ code: 2 });
  });

  it('replays its sample to the same numbers as the sources do', async () => {
    const sample = 'sample/open_bandit';
    const replay = [
      ...['replay', '--config', `${sample}/receval.yaml`, '--adapter', 'open-bandit', '--output', 'json'],
      ...['--events', `${sample}/random_men.csv.gz@variant=random`, `${sample}/bts_men.csv.gz@variant=bts`],
    ];
    const found = await recevalIn(folder, replay);
    expect(found.code).toBe(0);
    expect(JSON.parse(found.stdout).impressions).toMatchObject({ read: 20_000, accepted: 20_000 });
    expect(found.stdout).toBe((await recevalIn(ROOT, replay)).stdout);
  });

  describe('installed into an empty folder', () => {
    /** The command that npm has linked. */
    const receval = (...args: readonly string[]): Promise<Outcome> =>
      run(join(modules, '.bin/receval'), args, { cwd: user, env: { PATH: process.env['PATH'] } });
    const json = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

    it('runs the demo', async () => {
      const { code, stderr } = await receval('demo', '--for', '3s', '--port', '0');
      expect(stderr).toContain('receval demo: gauges on http://127.0.0.1:');
      expect(code).toBe(0);
    });

    it('inspects logs, and replays them by the configuration that it wrote', async () => {
      const lists = ['r1', 'r2'].map((requestId, i) => ({
        requestId,
        ts: `2026-11-21T08:00:0${i}Z`,
        items: ['shoes', 'hat', 'scarf'],
      }));
      const clicks = lists.map(({ requestId }) => ({
        requestId,
        itemId: 'hat',
        ts: '2026-11-21T08:00:05Z',
        action: 'click',
      }));
      writeFileSync(join(user, 'shown.ndjson'), json(lists));
      writeFileSync(join(user, 'clicks.ndjson'), json(clicks));
      const inspected = await receval('inspect', 'shown.ndjson', 'clicks.ndjson', '--write', 'own.yaml');
      expect(inspected).toMatchObject({ code: 0, stderr: '' });
      const replay = ['replay', '--config', 'own.yaml', '--impressions', 'shown.ndjson', '--feedback', 'clicks.ndjson'];
      const { code, stdout } = await receval(...replay, '--close-all', '--measures', 'mrr', '--output', 'json');
      expect(code).toBe(0);
      expect(JSON.parse(stdout).rows[0].measures.mrr.value).toBe(0.5);
    });

    it('scores its sample', async () => {
      const sample = join(folder, 'sample/score');
      const files = ['--run', join(sample, 'popular.run'), '--qrels', join(sample, 'qrels.txt')];
      const { code, stdout, stderr } = await receval(
        'score',
        ...files,
        '--measures',
        'recip_rank,P_5',
        '--plot',
        'bar',
      );
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(/^<svg /);
    });
  });

  it('offers receval/measures in a checkout too, where npm ci compiles the sources', async () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(scripts.prepare).toBe('npm run build');
    writeFileSync(
      join(checkout, 'use.mjs'),
      "import { measure } from 'receval/measures';\nconsole.log(measure('mrr').name);\n",
    );
    expect(await run(process.execPath, ['use.mjs'], { cwd: checkout })).toEqual({
      code: 0,
      stdout: 'mrr\n',
      stderr: '',
    });
  });

  it('offers receval/measures and receval/fusion to JavaScript and to TypeScript, and nothing else', async () => {
    const score = "measure('mrr').score({ grades: [0, 1, 0] })";
    writeFileSync(join(user, 'use.mjs'), `import { measure } from 'receval/measures';\nconsole.log(${score});\n`);
    expect(await run(process.execPath, ['use.mjs'], { cwd: user })).toEqual({ code: 0, stdout: '0.5\n', stderr: '' });

    const merge = "fusion('rrf').fuse([{ items: ['a', 'b'] }, { items: ['b'] }])[0].item";
    writeFileSync(join(user, 'fuse.mjs'), `import { fusion } from 'receval/fusion';\nconsole.log(${merge});\n`);
    expect(await run(process.execPath, ['fuse.mjs'], { cwd: user })).toEqual({ code: 0, stdout: 'b\n', stderr: '' });

    writeFileSync(join(user, 'inside.mjs'), "import 'receval/dist/unit.js';\n");
    const inside = await run(process.execPath, ['inside.mjs'], { cwd: user });
    expect(inside).toMatchObject({ code: 1, stderr: expect.stringContaining('ERR_PACKAGE_PATH_NOT_EXPORTED') });

    const tsc = [join(ROOT, 'node_modules/.bin/tsc'), '--ignoreConfig', '--noEmit', '--strict', '--types', ''];
    const check = (file: string) => run(tsc[0], [...tsc.slice(1), '--module', 'nodenext', file], { cwd: user });
    const types = "import { measure } from 'receval/measures';\nexport const score: number | undefined = ";
    const fused = `import { fusion } from 'receval/fusion';\nexport const item: string = ${merge};\n`;
    writeFileSync(join(user, 'right.mts'), `${types}${score};\n${fused}`);
    expect(await check('right.mts')).toMatchObject({ code: 0, stdout: '' });
    writeFileSync(join(user, 'wrong.mts'), `${types}measure(1);\n`);
    expect((await check('wrong.mts')).stdout).toContain('wrong.mts(2');
  });
});
