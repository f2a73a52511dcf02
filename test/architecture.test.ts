import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const SRC = resolve(import.meta.dirname, '../src');

interface SourceFile {
  readonly path: string;
  readonly text: string;
  /** Without comments and strings. */
  readonly code: string;
  readonly imports: readonly string[];
}

function files(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? files(path) : path.endsWith('.ts') ? [path] : [];
  });
}

function read(path: string): SourceFile {
  const text = readFileSync(path, 'utf8');
  const imports = [
    ...text.matchAll(
      /(?:^|\n)(?:import|export)\s[^'"`;]*?from\s+'([^']+)'|import\(\s*'([^']+)'|(?:^|\n)import\s+'([^']+)'/g,
    ),
  ].map((match) => match[1] ?? match[2] ?? match[3] ?? '');
  const code = text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g, "''")
    .replace(/\/\/.*$/gm, '');
  return { path: relative(SRC, path), text, code, imports };
}

const sources = files(SRC).map(read);

/** Folder of a file; its own path for files at the top of src and for the parts of unit.ts, worker.ts and exporter.ts. */
function place(path: string): string {
  const [top = path, second] = path.split('/');
  if (['unit', 'worker', 'exporter'].includes(top)) return path;
  return top === 'consumers' && path.split('/').length > 2 ? `consumers/${second}` : top;
}

function targets(file: SourceFile): string[] {
  return file.imports
    .filter((name) => name.startsWith('.'))
    .map((name) => relative(SRC, resolve(SRC, dirname(file.path), name)));
}

const VOCABULARY = [
  'events.ts',
  'drops.ts',
  'spelling.ts',
  'ranges.ts',
  'checkpoint.ts',
  'durations.ts',
  'user-words.ts',
];
/** How clients get in: types, and the reading of certificates and secrets. */
const CONNECTIONS = ['connections'];
const JOIN = ['consumers/join'];
const CONSUMERS = ['consumers/source', 'consumers/decode', 'consumers/join'];

/** What each place may import beside itself. Imports point one way: from the rim to the vocabulary. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'events.ts': [],
  'drops.ts': [],
  'spelling.ts': [],
  'ranges.ts': [],
  'user-words.ts': [],
  'durations.ts': ['events.ts'],
  'clock.ts': ['events.ts'],
  'fault-point.ts': [],
  'worker/status.ts': [...VOCABULARY, 'accumulators'],
  connections: [],
  measures: VOCABULARY,
  statistics: [...VOCABULARY, 'measures'],
  'consumers/packed': VOCABULARY,
  'consumers/join': [...VOCABULARY, 'consumers/packed'],
  'consumers/decode': [...VOCABULARY, 'consumers/packed', ...JOIN],
  'consumers/source': [...VOCABULARY, ...CONNECTIONS, 'consumers/decode', ...JOIN],
  accumulators: [...VOCABULARY, ...CONNECTIONS, 'measures'],
  config: [...VOCABULARY, ...CONNECTIONS, 'measures', 'consumers/decode', ...JOIN],
  experiment: [...VOCABULARY, 'measures', 'accumulators', 'statistics', 'config', 'bucket-sums.ts'],
  output: VOCABULARY,
  ids: [],
  findings: [...VOCABULARY, 'ids'],
  score: [...VOCABULARY, 'measures', 'statistics', 'consumers/decode'],
  inspect: [...VOCABULARY, 'ids', 'consumers/decode', 'statistics'],
  simulate: VOCABULARY,
  'checkpoint.ts': ['events.ts', 'drops.ts'],
  'resume.ts': [...VOCABULARY, 'accumulators'],
  'fingerprint.ts': ['accumulators', 'config', 'measures'],
  'catalogue-file.ts': [...VOCABULARY, 'config', 'measures', 'consumers/decode', 'consumers/source'],
  'unit.ts': [
    ...VOCABULARY,
    'accumulators',
    'fault-point.ts',
    'experiment',
    'resume.ts',
    'unit/clock-blocks.ts',
    'unit/commits.ts',
    'unit/committed.ts',
    'unit/completeness.ts',
    'unit/contract.ts',
    'unit/experiments.ts',
    'unit/reading.ts',
    'unit/restore.ts',
    'unit/scoring.ts',
    ...CONSUMERS,
  ],
  'unit/last-records.ts': ['events.ts', ...CONSUMERS],
  'unit/clock-blocks.ts': [...VOCABULARY, 'accumulators'],
  'unit/commits.ts': ['accumulators', 'fault-point.ts', 'unit/contract.ts'],
  'unit/completeness.ts': ['events.ts'],
  'unit/committed.ts': ['unit/contract.ts', 'resume.ts', ...CONSUMERS],
  'unit/scoring.ts': ['accumulators', 'measures', 'unit/contract.ts', ...JOIN],
  'unit/reading.ts': ['events.ts', 'unit/last-records.ts', 'unit/contract.ts', ...CONSUMERS],
  'worker/claims.ts': ['events.ts', 'fault-point.ts', 'unit.ts', 'worker/contract.ts'],
  'worker/divergence.ts': ['events.ts', 'unit/last-records.ts'],
  'worker/rivals.ts': ['accumulators', 'clock.ts', 'events.ts', 'fault-point.ts'],
  'worker/load.ts': ['unit.ts', 'worker/contract.ts', 'worker/owned.ts'],
  'worker/outgrown.ts': ['events.ts', 'worker/load.ts', 'worker/owned.ts', 'worker/status.ts'],
  'unit/contract.ts': [
    ...VOCABULARY,
    'measures',
    'accumulators',
    'config',
    'fault-point.ts',
    'resume.ts',
    ...CONSUMERS,
  ],
  'unit/restore.ts': [
    ...VOCABULARY,
    'unit/clock-blocks.ts',
    'accumulators',
    'statistics',
    'resume.ts',
    'unit/contract.ts',
    'unit/experiments.ts',
  ],
  'unit/exposures.ts': [...VOCABULARY, 'accumulators', 'statistics'],
  'unit/looks.ts': [...VOCABULARY, 'accumulators', 'config', 'experiment'],
  'unit/experiments.ts': [
    ...VOCABULARY,
    'accumulators',
    'experiment',
    'statistics',
    'unit/contract.ts',
    'unit/exposures.ts',
    'unit/looks.ts',
    'consumers/packed',
  ],
  'experiment-parts.ts': [...VOCABULARY, 'measures', 'accumulators', 'statistics', 'config', 'experiment'],
  'worker/tally.ts': ['events.ts', 'unit/contract.ts', 'worker/status.ts', ...JOIN],
  'worker/owned.ts': ['drops.ts', 'events.ts', 'unit.ts', 'unit/contract.ts', 'worker/status.ts'],
  'worker/contract.ts': [
    ...VOCABULARY,
    'measures',
    'accumulators',
    'clock.ts',
    'fault-point.ts',
    'unit/contract.ts',
    ...CONSUMERS,
  ],
  'worker/looks.ts': [
    'events.ts',
    'accumulators',
    'experiment',
    'experiment-parts.ts',
    'fault-point.ts',
    'worker/contract.ts',
    'worker/owned.ts',
  ],
  'worker/pace.ts': ['clock.ts', 'events.ts', 'fault-point.ts', 'worker/load.ts', 'worker/owned.ts', ...CONSUMERS],
  'worker.ts': [
    ...VOCABULARY,
    'fault-point.ts',
    'unit.ts',
    'unit/contract.ts',
    'worker/claims.ts',
    'worker/divergence.ts',
    'worker/load.ts',
    'worker/looks.ts',
    'worker/outgrown.ts',
    'worker/owned.ts',
    'worker/pace.ts',
    'worker/rivals.ts',
    'worker/contract.ts',
    'worker/tally.ts',
    'worker/status.ts',
    ...CONSUMERS,
  ],
  demo: [
    ...VOCABULARY,
    'experiment',
    'statistics',
    'measures',
    'accumulators',
    'config',
    'clock.ts',
    'exporter.ts',
    'exporter/contract.ts',
    'resume.ts',
    'simulate',
    'unit/settings.ts',
    'worker.ts',
    'worker/contract.ts',
    'worker/status.ts',
    ...CONSUMERS,
  ],
  'dead-letters': [...VOCABULARY, 'clock.ts', ...CONSUMERS],
  'unit/settings.ts': ['accumulators', 'config', 'experiment', 'measures', 'unit/contract.ts', ...CONSUMERS],
  replay: [
    ...VOCABULARY,
    'config',
    'findings',
    'experiment',
    'measures',
    'accumulators',
    'statistics',
    'bucket-sums.ts',
    'resume.ts',
    'unit.ts',
    'unit/contract.ts',
    'unit/settings.ts',
    ...CONSUMERS,
  ],
  'bucket-sums.ts': [...VOCABULARY, 'measures', 'accumulators', 'statistics'],
  'exporter/contract.ts': [...VOCABULARY, 'accumulators', 'config', 'experiment', 'statistics', 'exporter/watch.ts'],
  'exporter/sealed-panes.ts': ['accumulators', 'exporter/contract.ts'],
  'exporter/window-errors.ts': [...VOCABULARY, 'measures', 'accumulators', 'statistics', 'bucket-sums.ts'],
  'exporter/hours.ts': [...VOCABULARY, 'measures', 'accumulators', 'bucket-sums.ts'],
  'exporter/past.ts': [...VOCABULARY, 'measures', 'accumulators', 'statistics'],
  'exporter/watch.ts': [
    ...VOCABULARY,
    'config',
    'measures',
    'accumulators',
    'statistics',
    'exporter/past.ts',
    'exporter/window-errors.ts',
  ],
  'exporter/decisions.ts': [
    ...VOCABULARY,
    'accumulators',
    'exporter/contract.ts',
    'exporter/past.ts',
    'exporter/watch.ts',
    'exporter/window-errors.ts',
  ],
  'exporter/experiments.ts': [
    'events.ts',
    'accumulators',
    'config',
    'experiment',
    'experiment-parts.ts',
    'exporter/contract.ts',
  ],
  'exporter.ts': [
    ...VOCABULARY,
    'accumulators',
    'exporter/contract.ts',
    'exporter/decisions.ts',
    'exporter/experiments.ts',
    'exporter/hours.ts',
    'exporter/sealed-panes.ts',
    'exporter/watch.ts',
    'exporter/window-errors.ts',
  ],
  metrics: [
    ...VOCABULARY,
    'findings',
    ...CONNECTIONS,
    'dead-letters',
    'experiment',
    'exporter/contract.ts',
    'exporter/watch.ts',
    'worker/status.ts',
    'measures',
    'accumulators',
    'statistics',
    ...CONSUMERS,
    'config',
  ],
  dashboards: [...VOCABULARY, 'measures', 'statistics', 'accumulators', 'config', 'metrics'],
  server: [...VOCABULARY, ...CONNECTIONS, 'metrics', 'config'],
};

/** Parts of the SDK that describe what we draw. */
const GRAFANA = ['common', 'dashboard', 'prometheus', 'stat', 'statetimeline', 'table', 'timeseries'];

const PURE = [
  'dashboards',
  'consumers/packed',
  'consumers/join',
  'consumers/decode',
  'measures',
  'statistics',
  'experiment',
  'score',
  'findings',
  'inspect',
  'events.ts',
  'drops.ts',
  'ranges.ts',
  'spelling.ts',
  'user-words.ts',
  'bucket-sums.ts',
  'unit/experiments.ts',
  'unit/exposures.ts',
  'unit/looks.ts',
  'exporter/window-errors.ts',
  'simulate',
];
/** Uses of Date that ask no clock: a time from its text, or as text. */
const ONLY_TEXT = /Date\.(?:parse|UTC)\(|new Date\(\w+\)\.toISOString\(\)/;
const PURE_FILES = /^accumulators\/(?!store\/(?:port|memory|redis[\w-]*)\.ts)/;

describe('the house', () => {
  it('has sources to look at', () => {
    expect(sources.length).toBeGreaterThan(20);
  });

  it('lets imports point one way', () => {
    const wrong = sources.flatMap((file) => {
      const from = place(file.path);
      if (from === 'cli' || from === 'service')
        return targets(file).some((to) => from === 'service' && place(to) === 'cli')
          ? [`${file.path} imports cli`]
          : [];
      const allowed = MAY_IMPORT[from];
      if (allowed === undefined) return [`${file.path}: "${from}" has no place in the house`];
      return targets(file)
        .filter((to) => place(to) !== from && !allowed.includes(place(to)))
        .map((to) => `${file.path} imports ${to}`);
    });
    expect(wrong).toEqual([]);
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
    const wrong = sources
      .filter((file) => PURE.includes(place(file.path)) || PURE_FILES.test(file.path))
      .flatMap((file) => {
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
      kafkajs: /^consumers\/source\/kafka-client\.ts$/,
      ioredis: /^accumulators\/store\/redis\.ts$/,
      'prom-client': /^metrics\//,
      zod: /^(?:config|consumers\/decode)\//,
      yaml: /^(?:config|cli)\//,
      commander: /^cli\//,
      'cli-table3': /^(?:output\/table|cli\/offsets|cli\/accept)\.ts$/,
      'd3-scale': /^output\//,
      'd3-shape': /^output\//,
      'cli-progress': /^cli\//,
      pino: /^cli\//,
      ...Object.fromEntries(
        GRAFANA.map((part) => [`@grafana/grafana-foundation-sdk/${part}`, /^dashboards\/grafana(?:-\w+)?\.ts$/]),
      ),
      fzstd: /^consumers\/source\/(?:kafka|file)-zstd\.ts$/,
      hyparquet: /^consumers\/source\/file-parquet\.ts$/,
      snappyjs: /^consumers\/source\/kafka-snappy\.ts$/,
      lz4js: /^consumers\/source\/kafka-lz4\.ts$/,
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
        /(^|\/)(?:index|utils?|helpers?|common|lib|manager)(?:\.ts|\/)/.test(file.path) ||
        /-v\d/.test(file.path) ||
        /^export \* from/m.test(file.text),
    );
    expect(wrong.map((file) => file.path)).toEqual([]);
  });

  it('keeps files small: above 400 lines the first comment says why', () => {
    const wrong = sources.filter(
      (file) => file.text.split('\n').length > 400 && !/Long because/.test(file.text.slice(0, 3000)),
    );
    expect(wrong.map((file) => file.path)).toEqual([]);
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
  const root = resolve(SRC, '..');
  const manifest: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

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
    const lock = readFileSync(join(root, 'package-lock.json'), 'utf8');
    expect(lock).not.toMatch(
      /"resolved"|git\+|https?:\/\/(?!.*(?:opencollective|github\.com\/sponsors|tidelift|feross|paypal|patreon|paulmillr|buymeacoffee))[^"]*\.tgz/,
    );
  });
});
