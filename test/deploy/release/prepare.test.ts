/** A release as the workflow makes it, up to the publishing, in a copy of the checkout. */
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { billProblems, steadyBill } from '../../../deploy/release/sbom.ts';
import { type Outcome, run } from '../../services/commands.ts';
import { ROOT, readRoot } from '../compose-file.ts';

const PATHS = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json', 'README.md', 'LICENSE'];
const FOLDERS = ['CHANGELOG.md', 'bin', 'docs', 'sample', 'src', 'deploy', 'docker-compose.yml'];
const { version } = JSON.parse(readRoot('package.json'));
/** Seconds since 1970 of a commit. */
const COMMITTED = 1_700_000_000;

describe('npm run release:prepare', () => {
  const top = mkdtempSync(join(tmpdir(), 'receval-prepare-'));
  const checkout = join(top, 'checkout-of-any-name');
  const read = (name: string): string => readFileSync(join(checkout, 'release', name), 'utf8');
  let done: Outcome;
  beforeAll(async () => {
    for (const path of [...PATHS, ...FOLDERS]) cpSync(join(ROOT, path), join(checkout, path), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
    const changelog = readRoot('CHANGELOG.md').replace('## Unreleased', `## ${version} - 2026-11-23`);
    writeFileSync(join(checkout, 'CHANGELOG.md'), changelog);
    const date = `@${COMMITTED} +0000`;
    const who = { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date, GIT_CONFIG_GLOBAL: '/dev/null' };
    const script =
      'git init -q && git config user.name a && git config user.email a@example.com && git add package.json && git commit -qm a && git rev-parse HEAD > ../revision';
    await run('sh', ['-c', script], { cwd: checkout, env: { ...process.env, ...who } });
    done = await run('npm', ['run', '--silent', 'release:prepare', '--', '--output=release', `--tag=v${version}`], {
      cwd: checkout,
      env: { ...process.env, GITHUB_OUTPUT: join(top, 'outputs') },
    });
    if (done.code !== 0) throw new Error(done.stdout + done.stderr);
  }, 1_200_000);
  afterAll(() => rmSync(top, { recursive: true }));

  it('makes the package, its bill of materials, the notes and the labels of the image, with their sums', async () => {
    const made = [`receval-${version}.cdx.json`, `receval-${version}.tgz`, 'image.labels', 'notes.md'];
    expect(readdirSync(join(checkout, 'release')).sort()).toEqual([...made, 'SHA256SUMS'].sort());
    for (const name of made) {
      const sum = createHash('sha256')
        .update(readFileSync(join(checkout, 'release', name)))
        .digest('hex');
      expect(read('SHA256SUMS')).toContain(`${sum}  ${name}\n`);
    }
    const checked = await run('sha256sum', ['--check', 'SHA256SUMS'], { cwd: join(checkout, 'release') });
    expect(checked.code).toBe(0);
  });

  it('reports to the workflow what it made', () => {
    expect(readFileSync(join(top, 'outputs'), 'utf8')).toBe(
      `version=${version}\narchive=receval-${version}.tgz\nsbom=receval-${version}.cdx.json\nepoch=${COMMITTED}\nchannel=latest\n`,
    );
  });

  it('packs what the package shall hold, no sources, tests, secrets or tools of the release', async () => {
    const { stdout } = await run('tar', ['-tzf', `release/receval-${version}.tgz`], { cwd: checkout });
    const paths = stdout.trim().split('\n');
    expect(paths).toEqual(
      expect.arrayContaining(['package/dist/cli/main.js', 'package/bin/receval', 'package/LICENSE']),
    );
    const allowed =
      /^package\/(?:bin|dist|sample|docs)\/|^package\/(?:package\.json|README\.md|LICENSE|CHANGELOG\.md)$/;
    expect(paths.filter((path) => !allowed.test(path))).toEqual([]);
  });

  it('names in the bill all that is installed, with hash and licence, as of the commit and of no folder', () => {
    const bill = read(`receval-${version}.cdx.json`);
    expect(billProblems(bill, readRoot('package-lock.json'))).toEqual([]);
    expect(bill).not.toContain('checkout-of-any-name');
    expect(JSON.parse(bill).metadata.timestamp).toBe(new Date(COMMITTED * 1000).toISOString());
    expect(steadyBill(bill, readRoot('package-lock.json'), COMMITTED)).toBe(bill);
    expect(JSON.parse(bill).serialNumber).toMatch(
      /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/,
    );
  });

  it('labels the image with version, commit and time', () => {
    const labels = new Map(
      read('image.labels')
        .trim()
        .split('\n')
        .map((line): [string, string] => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    );
    expect(labels.get('org.opencontainers.image.version')).toBe(version);
    expect(labels.get('org.opencontainers.image.revision')).toBe(readFileSync(join(top, 'revision'), 'utf8').trim());
    expect(labels.get('org.opencontainers.image.created')).toBe(new Date(COMMITTED * 1000).toISOString());
  });

  it('stops at another tag, and makes nothing', async () => {
    const words = ['--import', 'tsx', 'deploy/release/prepare.ts', '--output=other', '--tag=v9.9.9'];
    const other = await run(process.execPath, words, { cwd: checkout, env: process.env });
    expect(other).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(`it must be v${version}`) });
    expect(existsSync(join(checkout, 'other'))).toBe(false);
  });

  it.each([
    ['no folder', [], 'name a folder that is not there yet: --output release\n'],
    ['another option', ['--outptu', 'x'], "Unknown option '--outptu'"],
  ])('says how it is used, without a stack trace: %s', async (_, words, problem) => {
    const done = await run(process.execPath, ['--import', 'tsx', 'deploy/release/prepare.ts', ...words], {
      cwd: checkout,
      env: process.env,
    });
    expect(done.code).toBe(2);
    expect(done.stderr).toContain(problem);
    expect(done.stderr).toMatch(/\n\nusage: npm run release:prepare -- --output folder \[--tag v1\.2\.3\]\n$/);
    expect(done.stderr).not.toContain(' at ');
  });

  it('overwrites no folder', async () => {
    const words = ['--import', 'tsx', 'deploy/release/prepare.ts', '--output=release'];
    const again = await run(process.execPath, words, { cwd: checkout, env: process.env });
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('--output: release is there already') });
  });
});

describe('a bill of materials', () => {
  const integrity = `sha512-${Buffer.alloc(64, 1).toString('base64')}`;
  const content = Buffer.alloc(64, 1).toString('hex');
  const lock = JSON.stringify({
    name: 'receval',
    version: '1.0.0',
    packages: {
      '': { version: '1.0.0' },
      'node_modules/a': { version: '1.0.0', integrity },
      'node_modules/a/node_modules/@s/b': { version: '2.0.0', integrity },
      'node_modules/tool': { version: '3.0.0', integrity, dev: true },
    },
  });
  const component = (name: string, version: string) => ({
    ...{ name, version, purl: `pkg:npm/${name}@${version}`, type: 'library' },
    ...{ hashes: [{ alg: 'SHA-512', content }], licenses: [{ license: { id: 'MIT' } }] },
  });
  const right = {
    ...{ bomFormat: 'CycloneDX', specVersion: '1.5', serialNumber: 'urn:uuid:random', version: 1 },
    metadata: { timestamp: 'now', component: component('receval', '1.0.0') },
    components: [component('a', '1.0.0'), component('@s/b', '2.0.0')],
    dependencies: [
      { ref: 'receval@1.0.0', dependsOn: ['a@1.0.0'] },
      { ref: 'a@1.0.0', dependsOn: ['@s/b@2.0.0'] },
    ],
  };
  const text = JSON.stringify(right);

  it('is right when it names what the lock file installs', () => {
    expect(billProblems(text, lock)).toEqual([]);
  });

  it('leaves out what only developers install, and the edges to it', () => {
    const all = text
      .replace('"components":[', `"components":[${JSON.stringify(component('tool', '3.0.0'))},`)
      .replace('"dependsOn":["a@1.0.0"]', '"dependsOn":["a@1.0.0","tool@3.0.0"]')
      .replace('"dependencies":[', '"dependencies":[{"ref":"tool@3.0.0","dependsOn":["a@1.0.0"]},');
    expect(billProblems(all, lock).join()).toContain('tool@3.0.0 is named and not installed');
    const kept = steadyBill(all, lock, COMMITTED);
    expect(billProblems(kept, lock)).toEqual([]);
    expect(kept).toBe(steadyBill(text, lock, COMMITTED));
  });

  it('is the same of two runs, and another when the content is', () => {
    const steady = (one: string, seconds = COMMITTED) => steadyBill(one, lock, seconds);
    const later = text
      .replace('urn:uuid:random', 'urn:uuid:other')
      .replace('"now"', '"later"')
      .replace('"receval"', '"folder"');
    expect(steady(later)).toBe(steady(text));
    expect(steady(text.replace('"MIT"', '"ISC"'))).not.toBe(steady(text));
    expect(steady(text, COMMITTED + 1)).not.toBe(steady(text));
  });

  it.each([
    [
      'a package that it leaves out',
      '"name":"@s/b","version":"2.0.0"',
      '"name":"@s/b","version":"2.0.1"',
      '@s/b@2.0.0 is installed and not named',
    ],
    ['a package that is not installed', '"name":"a"', '"name":"tool"', 'tool@1.0.0 is named and not installed'],
    ['another hash', content, content.replace('01', '02'), 'a@1.0.0 has another hash'],
    ['a package without a licence', '"licenses":[{"license":{"id":"MIT"}}]}]', '"licenses":[]}]', 'has no licence'],
    ['another name', '"component":{"name":"receval"', '"component":{"name":"folder"', 'it is of folder@1.0.0'],
    [
      'an edge to nowhere',
      '"dependsOn":["@s/b@2.0.0"]',
      '"dependsOn":["c@1.0.0"]',
      'c@1.0.0 is depended on and not named',
    ],
  ])('is wrong with %s', (what, from, to, problem) => {
    const wrong = what === 'another hash' ? text.replaceAll(from, to) : text.replace(from, to);
    expect(wrong).not.toBe(text);
    const found = billProblems(wrong, lock).join('\n');
    expect(found).toContain(problem);
  });
});
