import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { draw, HOUSE, isPure, PICTURE, type Room, roomOf, SRC, sources, targets } from './rooms.ts';

/** Parts of hyparquet that its package exports (docs/decisions/0021). */
const HYPARQUET = ['assemble', 'column', 'convert', 'datapage', 'delta', 'encoding', 'plain', 'schema'];
const PARQUET = /^consumers\/source\/files\/parquet(?:-column)?\.ts$/;
/** Parts of the SDK that describe what we draw. */
const GRAFANA = ['common', 'dashboard', 'prometheus', 'stat', 'statetimeline', 'table', 'timeseries'];

/** Uses of Date that ask no clock: a time from its text, or as text. */
const ONLY_TEXT = /Date\.(?:parse|UTC)\(|new Date\(\w+\)\.toISOString\(\)/;

const ROOT = resolve(SRC, '..');

/** Whether all of its files are pure but for some that are named. */
function isMostlyPure({ pure }: Room): boolean {
  return pure !== undefined && (pure === true || 'but' in pure);
}

describe('the house', () => {
  it('has sources to look at', () => {
    expect(sources.length).toBeGreaterThan(20);
  });

  it('has a room for every file', () => {
    expect(sources.filter((file) => roomOf(file.path) === undefined).map((file) => file.path)).toEqual([]);
    expect(HOUSE.filter((room) => !sources.some((file) => roomOf(file.path) === room))).toEqual([]);
  });

  it('has in docs/architecture.md every room once, in their order, pure where it is, with a test of what it may not do', () => {
    const page = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
    const rows = [...page.matchAll(/^\| `src\/([^`]+)` \| (.+) \| (.+) \|$/gm)].map(([, name, what, not]) => ({
      name,
      isPure: what.startsWith('pure'),
      tests: [...not.matchAll(/`(test\/[^`]+)`/g)].map(([, path]) => path),
    }));
    expect(rows.map(({ name }) => name)).toEqual(HOUSE.map(({ name }) => name));
    const wrong = rows.filter(
      ({ isPure, tests }, i) =>
        isPure !== isMostlyPure(HOUSE[i]) || tests.length === 0 || !tests.every((path) => existsSync(join(ROOT, path))),
    );
    expect(wrong).toEqual([]);
  });

  it('has in docs/architecture.md no file that is not there', () => {
    const page = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
    const files = [...page.matchAll(/`((?:[\w*-]+\/)*[\w*-]+\.(?:tsx?|lua|json))`/g)].map(([, name]) => name);
    const all = ['src', 'wasm', 'test'].flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) => `/${folder}/${path}`),
    );
    const isThere = (name: string): boolean => {
      const form = new RegExp(`/${name.replaceAll('.', '\\.').replaceAll('*', '[^/]+')}$`);
      return all.some((path) => form.test(path));
    };
    expect(files.length).toBeGreaterThan(50);
    expect(files.filter((name) => !isThere(name))).toEqual([]);
  });

  it('lets imports point one way: to rooms listed before', () => {
    const at = (path: string): number => HOUSE.findIndex(({ name }) => path.startsWith(`${name}/`));
    const wrong = sources.flatMap((file) =>
      targets(file)
        .filter((to) => at(to) > at(file.path))
        .map((to) => `${file.path} imports ${to}`),
    );
    expect(wrong).toEqual([]);
  });

  it('is drawn as it is', () => {
    expect(readFileSync(PICTURE, 'utf8'), 'npm run generate draws it').toBe(draw());
  });

  it('has no import cycle', () => {
    const graph = new Map(sources.map((file) => [file.path, targets(file)]));
    const done = new Set<string>();
    const cycles: string[] = [];
    const visit = (path: string, trail: readonly string[]): void => {
      if (trail.includes(path)) {
        cycles.push([...trail.slice(trail.indexOf(path)), path].join(' -> '));
        return;
      }
      if (done.has(path)) return;
      for (const next of graph.get(path) ?? []) visit(next, [...trail, path]);
      done.add(path);
    };
    for (const path of graph.keys()) visit(path, []);
    expect(cycles).toEqual([]);
  });

  it('keeps the core pure: no clock, no randomness, no timers, no process, no I/O, no async', () => {
    const impure =
      /\bDate\b|\bMath\.random\b|\bset(?:Timeout|Interval|Immediate)\b|\bprocess\b|\bperformance\b|\bcrypto\b|\basync\b|\bawait\b|\bconsole\b|\bfetch\b/;
    const wrong = sources.filter(isPure).flatMap((file) => {
      const line = file.code.split('\n').find((text) => impure.test(text) && !ONLY_TEXT.test(text));
      const io = file.imports.find((name) => name.startsWith('node:') && name !== 'node:buffer');
      return [
        ...(line === undefined ? [] : [`${file.path}: ${line.trim()}`]),
        ...(io === undefined ? [] : [`${file.path}: ${io}`]),
      ];
    });
    expect(wrong).toEqual([]);
  });

  it('gives each vendor library one home', () => {
    const homes: Readonly<Record<string, RegExp>> = {
      kafkajs: /^consumers\/source\/kafka\/access\/client\.ts$/,
      ioredis: /^accumulators\/store\/redis-store\.ts$/,
      'prom-client': /^metrics\//,
      zod: /^config\//,
      yaml: /^(?:config|cli)\//,
      commander: /^cli\//,
      'cli-table3': /^(?:output\/table|cli\/offsets|cli\/accept)\.ts$/,
      'd3-scale': /^(?:charts|page)\//,
      'd3-shape': /^(?:charts|page)\//,
      'cli-progress': /^cli\//,
      pino: /^cli\//,
      ...Object.fromEntries(
        GRAFANA.map((part) => [`@grafana/grafana-foundation-sdk/${part}`, /^dashboards\/grafana(?:-\w+)?\.ts$/]),
      ),
      fzstd: /^consumers\/source\/(?:kafka\/codecs\/zstd|files\/unpack-zstd)\.ts$/,
      hyparquet: PARQUET,
      ...Object.fromEntries(HYPARQUET.map((part) => [`hyparquet/src/${part}.js`, PARQUET])),
      '@stdlib/math-base-special-erfcinv': /^statistics\/distributions\.ts$/,
      '@stdlib/math-base-special-gammainc': /^statistics\/distributions\.ts$/,
      '@stdlib/math-base-special-gammaln': /^statistics\/distributions\.ts$/,
      '@stdlib/stats-base-dists-normal-cdf': /^statistics\/distributions\.ts$/,
      '@stdlib/stats-base-dists-t-cdf': /^statistics\/distributions\.ts$/,
      '@stdlib/stats-base-dists-t-quantile': /^statistics\/distributions\.ts$/,
      '@stdlib/stats-padjust': /^statistics\/distributions\.ts$/,
    };
    const wrong = sources.flatMap((file) =>
      file.imports
        .filter((name) => !name.startsWith('.') && !name.startsWith('node:'))
        .filter((name) => homes[name] === undefined || !homes[name].test(file.path))
        .map((name) => `${file.path} imports ${name}`),
    );
    expect(wrong).toEqual([]);
  });

  it('has no barrels and no drawers for odds and ends', () => {
    const wrong = sources.filter(
      (file) =>
        /(^|\/)(?:index|utils?|helpers?|common|lib|manager)(?:\.tsx?|\/)/.test(file.path) ||
        /-v\d/.test(file.path) ||
        /^export \* from/m.test(file.text),
    );
    expect(wrong.map((file) => file.path)).toEqual([]);
  });

  it('keeps files small: above 400 lines the first comment says why', () => {
    const lines = (text: string): number => text.trimEnd().split('\n').length;
    const wrong = sources.filter((file) => lines(file.text) > 400 && !/Long because/.test(file.text.slice(0, 3000)));
    expect(
      wrong.map((file) => file.path),
      'split it, or say in its first comment why it is long: "Long because ..."',
    ).toEqual([]);
  });

  it('has no any, no cast and no suppressed check', () => {
    const wrong = sources.flatMap((file) =>
      file.code
        .split('\n')
        .filter(
          (line) => /:\s*any\b|<any>|\bas any\b|@ts-|biome-ignore/.test(line) || /\bas (?!const\b)[A-Z]/.test(line),
        )
        .filter((line) => !/^\s*(?:import|export)\b/.test(line))
        .map((line) => `${file.path}: ${line.trim()}`),
    );
    expect(wrong).toEqual([]);
  });
});

describe('the package', () => {
  const manifest: unknown = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

  it('pins exact versions', () => {
    const { dependencies, devDependencies } = manifest as {
      dependencies: Record<string, string>;
      devDependencies: Record<string, string>;
    };
    const loose = Object.entries({ ...dependencies, ...devDependencies }).filter(
      ([, version]) => !/^\d+\.\d+\.\d+$/.test(version),
    );
    expect(loose).toEqual([]);
  });

  it('locks no registry address and takes nothing from git or a URL', () => {
    const lock = readFileSync(join(ROOT, 'package-lock.json'), 'utf8');
    expect(lock).not.toMatch(
      /"resolved"|git\+|https?:\/\/(?!.*(?:opencollective|github\.com\/sponsors|tidelift|feross|paypal|patreon|paulmillr|buymeacoffee))[^"]*\.tgz/,
    );
  });
});
