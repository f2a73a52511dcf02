/** What is installed with receval, and what goes out with it (specification: faults 5.9). */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');

interface Package {
  readonly version?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly hasInstallScript?: boolean;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly files?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
}

function json<T>(path: string): T {
  return JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
}

const lock = json<{ readonly packages: Readonly<Record<string, Package>> }>('package-lock.json');
const locked = Object.entries(lock.packages).filter(([path]) => path !== '');
/** What users install. */
const production = locked.filter(([, one]) => one.dev !== true && one.optional !== true);
const manifest = json<Package>('package.json');

describe('the scripts of the package', () => {
  /** What npm finds in node_modules/.bin, or is there with Node. */
  const PROGRAMS = ['node', 'npm', 'tsc', 'vitest', 'biome', 'tsx'];

  it.each(Object.entries(manifest.scripts ?? {}))('%s needs no shell but that of any system', (_, script) => {
    // In double quotes, which cmd.exe knows, anything may stand that it does not expand.
    const plain = script.replace(/"(?:[^"\\]|\\.)*"/g, '""');
    for (const command of plain.split(' && ')) expect(PROGRAMS).toContain(command.split(' ')[0]);
    expect(plain).not.toMatch(/[;|<>$`'*~%^]|(?<!&)&(?!&)/);
    expect(script).not.toMatch(/%\w+%|"[^"]*\$\(/);
  });
});

/** Licences that ask for no more than to be named. */
const PERMISSIVE = [
  'Apache-2.0',
  'MIT',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BSL-1.0',
  '0BSD',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'Unlicense',
];

/** Every part of an SPDX expression with AND, any of one with OR. */
function isPermissive(licence: string): boolean {
  const plain = licence.replace(/[()]/g, '');
  return plain.split(' OR ').some((one) => one.split(' AND ').every((part) => PERMISSIVE.includes(part.trim())));
}

describe('what is installed', () => {
  it('has permissive licences, by the lock file and by the packages themselves', () => {
    expect(production.length).toBeGreaterThan(20);
    const wrong = production.filter(([path, { license }]) => {
      const own = json<Package>(join(path, 'package.json')).license;
      return license !== own || own === undefined || !isPermissive(own);
    });
    expect(wrong.map(([path, { license }]) => `${path}: ${license}`)).toEqual([]);
  });

  it.each([
    ['MIT', true],
    ['(MIT OR GPL-3.0)', true],
    ['MIT AND Zlib-evil', false],
    ['GPL-3.0', false],
    ['SEE LICENSE IN file', false],
  ])('takes the licence %s: %s', (licence, may) => {
    expect(isPermissive(licence)).toBe(may);
  });

  it('runs nothing when it is installed, and builds nothing', () => {
    const scripts = production.filter(([path, one]) => {
      const { scripts: own = {} } = json<Package>(join(path, 'package.json'));
      const runs = ['preinstall', 'install', 'postinstall'].some((name) => own[name] !== undefined);
      return one.hasInstallScript === true || runs || readdirSync(join(ROOT, path)).includes('binding.gyp');
    });
    expect(scripts.map(([path]) => path)).toEqual([]);
    const own = Object.keys(manifest.scripts ?? {});
    // npm runs `prepare` in a checkout and before packing, not where the package is installed: it compiles the sources.
    for (const name of ['preinstall', 'install', 'postinstall']) expect(own).not.toContain(name);
  });

  it('is what the lock file says, by its hash, from no named place', () => {
    expect(locked.filter(([, { integrity }]) => !/^sha512-/.test(integrity ?? '')).map(([path]) => path)).toEqual([]);
    expect(locked.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  });

  it('is little: who adds a package says so here', () => {
    expect(Object.keys(manifest.dependencies ?? {}).length).toBeLessThanOrEqual(23);
  });
});

describe('what goes out', () => {
  it('is what is listed, and no configuration, secret, test or source', () => {
    expect(manifest.files).toEqual(['bin', 'dist', '!dist/built', 'sample', 'docs', 'CHANGELOG.md']);
    const packed: readonly { readonly files: readonly { readonly path: string }[] }[] = JSON.parse(
      execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: ROOT, encoding: 'utf8' }),
    );
    const paths = packed.flatMap(({ files }) => files.map(({ path }) => path));
    const allowed = /^(?:bin\/|dist\/|sample\/|docs\/|package\.json$|README\.md$|LICENSE$|CHANGELOG\.md$)/;
    expect(paths.length).toBeGreaterThan(10);
    expect(paths.filter((path) => !allowed.test(path))).toEqual([]);
    const samples = /^sample\/(?:open_bandit|adapters\/[a-z0-9-]+)\/receval\.yaml$/;
    const kept = paths.filter((path) => /\.env|\.npmrc|\.pem$|\.key$|receval\.yaml$/.test(path));
    expect(kept.filter((path) => !samples.test(path))).toEqual([]);
  });
});
