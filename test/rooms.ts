/**
 * The rooms of `src`, in one order: a room imports only from those above it. `npm run generate` draws them into
 * docs/rooms.svg; test/architecture.test.ts checks the order and the picture.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';

export const SRC = resolve(import.meta.dirname, '../src');
export const PICTURE = resolve(import.meta.dirname, '../docs/rooms.svg');

export interface Room {
  readonly name: string;
  readonly holds: string;
  /** No clock, no randomness, no timers, no I/O, no async: everywhere, or but for files that match. */
  readonly pure?: true | { readonly but: RegExp } | { readonly only: RegExp };
}

export const HOUSE: readonly Room[] = [
  { name: 'vocabulary', holds: 'events, drops, times: types of all rooms', pure: { but: /\/clock\.ts$/ } },
  { name: 'connections', holds: 'secrets, certificates' },
  { name: 'measures', holds: 'one measure per file', pure: true },
  // Distributions load their library when it is first needed.
  { name: 'statistics', holds: 'standard errors, tests, detectors', pure: { but: /\/distributions\.ts$/ } },
  { name: 'consumers/packed', holds: 'events as bytes', pure: true },
  { name: 'consumers/engine', holds: 'the memory of open lists', pure: true },
  { name: 'consumers/join', holds: 'feedback to its list: watermarks, horizons', pure: true },
  { name: 'consumers/decode', holds: 'bytes to events', pure: true },
  { name: 'consumers/source', holds: 'Kafka, files: where records come from' },
  { name: 'config', holds: 'the schema of all settings' },
  {
    name: 'accumulators',
    holds: 'sums per pane and cohort; the store',
    pure: { but: /\/store\/(?:accepted-level|checksums|store-port|memory-store|redis[\w-]*)\.ts$/ },
  },
  { name: 'windows', holds: 'stored panes as windows', pure: true },
  { name: 'experiment', holds: 'decisions on variants', pure: { but: /\/experiment-parts\.ts$/ } },
  {
    name: 'unit',
    holds: 'the data path of one partition',
    pure: { only: /\/(?:unit-experiments|waiting-exposures)\.ts$/ },
  },
  { name: 'worker', holds: 'which units, and when they commit' },
  { name: 'exporter', holds: 'windows of all units', pure: { only: /\/window-errors\.ts$/ } },
  { name: 'dead-letters', holds: 'invalid records, kept' },
  { name: 'findings', holds: 'what looks wrong', pure: true },
  { name: 'metrics', holds: 'gauges for Prometheus' },
  { name: 'dashboards', holds: 'pages for Grafana', pure: true },
  { name: 'server', holds: 'HTTP' },
  { name: 'score', holds: 'runs against judgements', pure: true },
  { name: 'fusion', holds: 'one list out of many', pure: true },
  { name: 'inspect', holds: 'what a log contains', pure: true },
  { name: 'output', holds: 'tables, JSON' },
  { name: 'charts', holds: 'pictures, for files and pages', pure: true },
  { name: 'page', holds: 'reports and pages' },
  { name: 'live', holds: 'what the live page shows of a process' },
  { name: 'simulate', holds: 'traffic with known answers', pure: true },
  { name: 'replay', holds: 'the data path on files' },
  { name: 'demo', holds: 'all of it in memory' },
  { name: 'service', holds: 'all of it on Kafka and Redis' },
  { name: 'cli', holds: 'one file per command' },
];

export interface SourceFile {
  /** Below `src`, with slashes. */
  readonly path: string;
  readonly text: string;
  /** Without comments and strings. */
  readonly code: string;
  readonly imports: readonly string[];
}

const IMPORT = /(?:^|\n)(?:import|export)\s[^'"`;]*?from\s+'([^']+)'|import\(\s*'([^']+)'|(?:^|\n)import\s+'([^']+)'/g;

function read(path: string): SourceFile {
  const text = readFileSync(join(SRC, path), 'utf8');
  const imports = [...text.matchAll(IMPORT)].map((match) => match[1] ?? match[2] ?? match[3] ?? '');
  const code = text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g, "''")
    .replace(/\/\/.*$/gm, '');
  return { path: path.split(sep).join('/'), text, code, imports };
}

export const sources: readonly SourceFile[] = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path))
  .sort()
  .map(read);

/** undefined: the file is in no room. */
export function roomOf(path: string): Room | undefined {
  return HOUSE.find(({ name }) => path.startsWith(`${name}/`));
}

/** The files of `src` that a file imports. */
export function targets({ path, imports }: SourceFile): readonly string[] {
  return imports
    .filter((name) => name.startsWith('.'))
    .map((name) =>
      relative(SRC, resolve(SRC, dirname(path), name))
        .split(sep)
        .join('/'),
    );
}

export function isPure({ path }: SourceFile): boolean {
  const pure = roomOf(path)?.pure;
  if (pure === undefined || pure === true) return pure === true;
  return 'but' in pure ? !pure.but.test(path) : pure.only.test(path);
}

/** Coarse, so that the picture changes when the house does. Imports, at least; radius. */
const SIZES = [
  [16, 6],
  [4, 4.5],
  [1, 2.5],
] as const;
const LINE = 26;
const COLUMN = 22;
const TOP = 150;
const NAME = 24;
const SIZE = 470;
const FIRST_DOT = 640;
const WIDTH = FIRST_DOT + HOUSE.length * COLUMN + 80;

/** Rows and columns are the rooms; a dot means that the row's room imports from the column's, a larger one that it does so often. */
export function draw(): string {
  const rows = HOUSE.map((room) => sources.filter((file) => roomOf(file.path) === room));
  const y = (row: number): number => TOP + row * LINE + LINE / 2;
  const x = (column: number): number => FIRST_DOT + column * COLUMN;
  const end = TOP + HOUSE.length * LINE;
  const columns = HOUSE.map(({ name }, column) =>
    [
      `<text class="name" transform="translate(${x(column) + 4} ${TOP - 8}) rotate(-55)">${name}</text>`,
      // Down from the room itself: whoever imports from it stands below.
      `<line class="guide" x1="${x(column)}" y1="${y(column)}" x2="${x(column)}" y2="${end}"/>`,
    ].join('\n'),
  );
  const line = HOUSE.map(({ name, holds }, row) => {
    const lines = rows[row].reduce((sum, { text }) => sum + text.split('\n').length - 1, 0);
    const thousands = Math.ceil(lines / 500) / 2;
    const dots = HOUSE.map((to, column) => {
      const count = rows[row].flatMap(targets).filter((path) => roomOf(path) === to).length;
      if (count === 0 || column === row) return '';
      const [, radius] = SIZES.find(([least]) => count >= least) ?? SIZES[0];
      return `<circle class="dot" cx="${x(column)}" cy="${y(row)}" r="${radius}"><title>${name} imports from ${to.name}</title></circle>`;
    });
    return [
      `<text class="name" x="${NAME}" y="${y(row) + 4}">${name}</text>`,
      `<text class="holds" x="${NAME + 144}" y="${y(row) + 4}">${holds}</text>`,
      `<rect class="size" x="${SIZE}" y="${y(row) - 6}" width="${thousands * 20}" height="12"><title>up to ${thousands * 1000} lines</title></rect>`,
      `<line class="guide" x1="${FIRST_DOT - 14}" y1="${y(row)}" x2="${x(row)}" y2="${y(row)}"/>`,
      `<rect class="self" x="${x(row) - 6}" y="${y(row) - 6}" width="12" height="12"><title>${name}</title></rect>`,
      ...dots.filter((dot) => dot !== ''),
    ].join('\n');
  });
  const height = end + 70;
  const sizes = SIZES.map(([least, radius], i) => {
    const at = FIRST_DOT + i * 150;
    return `<circle class="dot" cx="${at}" cy="${end + 44}" r="${radius}"/><text class="holds" x="${at + 12}" y="${end + 48}">${least === 1 ? 'imports' : `at least ${least} imports`}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="rooms-title">
<title id="rooms-title">The rooms of src: each imports only from rooms above it</title>
<style>
svg { background: #fff; font: 12px system-ui, sans-serif }
.name { font-weight: 600; fill: #1b1f24 } .holds, .head { fill: #57606a }
.size { fill: #c8d7e6 } .self { fill: #d0d7de } .dot { fill: #0b65c2 } .guide { stroke: #e3e8ee }
@media (prefers-color-scheme: dark) { svg { background: #0d1117 } .name { fill: #e6edf3 } .holds, .head { fill: #9198a1 } .size { fill: #2b3f55 } .self { fill: #30363d } .dot { fill: #58a6ff } .guide { stroke: #21262d } }
</style>
<text class="head" x="${NAME}" y="${TOP - 12}">room</text>
<text class="head" x="${SIZE}" y="${TOP - 12}">lines</text>
${columns.join('\n')}
${line.join('\n')}
<rect class="size" x="${SIZE}" y="${end + 38}" width="20" height="12"/><text class="holds" x="${SIZE + 28}" y="${end + 48}">1,000 lines</text>
${sizes.join('\n')}
<text class="head" x="${FIRST_DOT - 6}" y="${end + 22}">A dot in the row of a room: it imports from the room of the column, which is above it. Grey: the room itself.</text>
</svg>
`;
}

if (process.argv[1] === import.meta.filename) writeFileSync(PICTURE, draw());
