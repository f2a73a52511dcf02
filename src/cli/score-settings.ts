import { existsSync, statSync } from 'node:fs';
import type { Command } from 'commander';
import type { Fusion } from '../fusion/fusion.ts';
import { splitMeasures } from '../measures/grammar/measure-name.ts';
import { COUNT_NAMES } from '../measures/grammar/other-tools.ts';
import { type ItemCatalogue, NO_CATALOGUE } from '../measures/item-catalogue.ts';
import { TIES, type Ties } from '../score/order.ts';
import { NAMES, type Names, PRESET_NAMES } from '../score/preset.ts';
import { type QrelsColumns, qrelsColumns } from '../score/qrels-format.ts';
import { REPEATS, type Repeats } from '../score/repeats.ts';
import { FORMATS, type Format, type RunColumns, runColumns } from '../score/run-format.ts';
import { UNJUDGED, type Unjudged } from '../score/scoring-settings.ts';
import { suggestion } from '../vocabulary/spelling.ts';
import { USUAL_FILE } from '../vocabulary/usual-file.ts';
import { UsageError } from './failure.ts';
import { outputForm, tableColumns } from './terminal.ts';
import { isSameFile, mustBePlotFile, mustBeReportFile, mustSpareFiles } from './written-file.ts';

export const SCORE_OUTPUTS = ['table', 'json', 'csv', 'md', 'html', 'latex'] as const;
export type ScoreOutput = (typeof SCORE_OUTPUTS)[number];

export interface ScoreFlags {
  readonly run?: readonly string[];
  readonly qrels?: string;
  readonly lists?: readonly string[];
  readonly measures?: string;
  readonly preset?: string;
  readonly relevantFrom?: string;
  readonly format?: string;
  readonly columns?: string;
  readonly qrelsColumns?: string;
  readonly missing?: string;
  readonly unjudged?: string;
  readonly repeated?: string;
  readonly depth?: string;
  readonly ties?: string;
  readonly perQuery?: boolean;
  readonly query?: string;
  readonly fuse?: readonly string[];
  readonly names: string;
  readonly pValues?: boolean;
  readonly output: string;
  readonly report?: string;
  readonly wide?: boolean;
  readonly digits?: string;
  readonly plot?: string;
  readonly plotFile?: string;
  readonly size: string;
  readonly grid?: boolean;
  readonly config?: string;
}

/** A file, and the name that the user gave its run. */
export interface NamedFile {
  readonly name: string | undefined;
  readonly path: string;
}

export interface PlotSettings {
  readonly kind: 'bar' | 'line' | 'intervals';
  readonly file: string | undefined;
  /** In inches. */
  readonly width: number;
  readonly height: number;
  readonly grid: boolean;
}

export interface ScoreSettings {
  readonly runs: readonly NamedFile[];
  /** undefined: `runs` are graded lists. */
  readonly qrels: string | undefined;
  /** Methods to merge the runs by; the merged runs are scored as well. */
  readonly fuse: readonly Fusion[];
  readonly measures: readonly string[];
  readonly preset: string | undefined;
  readonly relevantFrom: number;
  readonly catalogue: ItemCatalogue;
  readonly format: Format | undefined;
  readonly columns: RunColumns | undefined;
  readonly qrelsColumns: QrelsColumns | undefined;
  readonly missing: 'skip' | 'zero' | undefined;
  readonly unjudged: Unjudged;
  /** undefined: as the preset says. */
  readonly repeated: Repeats | undefined;
  readonly depth: number;
  readonly ties: Ties | undefined;
  readonly rows: { readonly perQuery: boolean; readonly query: string | undefined };
  readonly names: Names;
  /** Whether counts of items are shown with the measures. */
  readonly withCounts: boolean;
  readonly pValues: boolean;
  readonly output: ScoreOutput;
  /** Path of the report; undefined: none is written. */
  readonly report: string | undefined;
  /** Greatest width of a plain table, in columns. */
  readonly tableColumns: number;
  readonly digits: number | undefined;
  readonly plot: PlotSettings | undefined;
}

export const REPORT =
  'also write everything as one self-contained page, with curves, and the queries that won and lost';
const USUAL_MEASURES = ['ap', 'mrr', 'ndcg@10', 'precision@10', 'recall@10'];
const MISSING = ['skip', 'zero'] as const;
const PLOTS = ['bar', 'line', 'intervals'] as const;

/** @throws UsageError for what does not go together */
export async function readScoreSettings(flags: ScoreFlags, command: Command): Promise<ScoreSettings> {
  const asked = flags.query === undefined || flags.query === 'all' ? undefined : flags.query;
  const configured = await configuredSettings(flags.config, command);
  const files = filesOf(flags);
  mustBeReportFile('--report', flags.report);
  const names = word('names', flags.names, NAMES);
  const wanted = flags.measures === undefined ? configured.measures : splitMeasures(flags.measures);
  const isCount = (name: string): boolean => COUNT_NAMES.some((count) => count === name);
  return {
    ...files,
    fuse: await methodsOf(flags),
    catalogue: configured.catalogue,
    measures: wanted.filter((name) => !isCount(name)),
    preset: flags.preset === undefined ? undefined : word('preset', flags.preset.toLowerCase(), PRESET_NAMES),
    relevantFrom:
      flags.relevantFrom === undefined ? configured.relevantFrom : number('relevant-from', flags.relevantFrom, 0, 30),
    columns: columnsOf(flags.columns),
    qrelsColumns: qrelsColumnsOf(flags.qrelsColumns),
    missing: flags.missing === undefined ? undefined : word('missing', flags.missing, MISSING),
    unjudged: word('unjudged', flags.unjudged ?? 'count', UNJUDGED),
    repeated: flags.repeated === undefined ? undefined : word('repeated', flags.repeated, REPEATS),
    depth: flags.depth === undefined ? Number.POSITIVE_INFINITY : whole('depth', flags.depth, 1),
    ties: flags.ties === undefined ? undefined : word('ties', flags.ties, TIES),
    rows: { perQuery: (flags.perQuery === true && flags.query !== 'all') || asked !== undefined, query: asked },
    names,
    withCounts: names !== 'receval' || wanted.some(isCount),
    pValues: flags.pValues === true,
    output: outputForm(flags.output, SCORE_OUTPUTS),
    report: flags.report,
    tableColumns: tableColumns(process.stdout, flags.wide),
    digits: flags.digits === undefined ? undefined : whole('digits', flags.digits, 0, 15),
    plot: plotOf(flags),
  };
}

function filesOf({
  run,
  qrels,
  lists,
  format,
  missing,
  unjudged,
  repeated,
}: ScoreFlags): Pick<ScoreSettings, 'runs' | 'qrels' | 'format'> {
  const asked = format === undefined ? undefined : word('format', format, FORMATS);
  const areLists = lists !== undefined || asked === 'lists';
  if (lists !== undefined && (run !== undefined || (asked !== undefined && asked !== 'lists'))) {
    throw new UsageError('--lists holds lists with their grades: give it without --run and without another --format');
  }
  const runs = (lists ?? run ?? []).map(namedFile);
  if (runs.length === 0) {
    throw new UsageError('name what to score: --run FILE --qrels FILE, or --lists FILE for lists with their grades');
  }
  if (areLists && qrels !== undefined) {
    throw new UsageError('--qrels is for runs: graded lists say what is relevant themselves');
  }
  if (areLists && missing !== undefined) {
    throw new UsageError(
      '--missing is for judged queries that a run lacks: graded lists lack none, and an empty one counts 0',
    );
  }
  if (areLists && repeated !== undefined) {
    throw new UsageError('--repeated is for runs: measures of graded lists say what a repeated item counts (dup=)');
  }
  if (areLists && unjudged !== undefined) {
    throw new UsageError('--unjudged is for runs: graded lists say what is relevant themselves');
  }
  if (!areLists && qrels === undefined) throw new UsageError('--qrels is missing: it says which items are relevant');
  const inputs = [...runs.map(({ path }) => path), ...(qrels === undefined ? [] : [qrels])];
  if (inputs.filter((path) => path === '-').length > 1)
    throw new UsageError('standard input (-) can be read only once');
  return { runs, qrels, format: areLists ? 'lists' : asked };
}

/** The code of the methods is loaded only if they are requested. */
async function methodsOf({ fuse = [], lists, format, run = [] }: ScoreFlags): Promise<readonly Fusion[]> {
  if (fuse.length === 0) return [];
  if (lists !== undefined || format === 'lists') {
    throw new UsageError('--fuse merges runs: graded lists do not say which items are the same');
  }
  for (const { path } of run.map(namedFile)) {
    if (path === '-' || (existsSync(path) && !statSync(path).isFile()))
      throw new UsageError('--fuse reads the runs again: give files by their names, not standard input or a pipe');
  }
  mustDiffer(run.map(namedFile), '--run');
  const { methodNamed } = await import('./fuse-method.ts');
  const methods = fuse.map((text) =>
    methodNamed(
      text,
      '--fuse',
      `write --fuse ${fuse
        .join(' ')
        .split(/,(?![^(]*\))/)
        .join(' ')}`,
    ),
  );
  const twice = methods.find(({ name }, i) => methods.findIndex((other) => other.name === name) < i);
  if (twice !== undefined) throw new UsageError(`--fuse: the same method twice (${twice.name}); leave one out`);
  return methods;
}

/** A file that is named twice would vote twice; if it has two names, that is intended. @throws UsageError */
export function mustDiffer(files: readonly NamedFile[], flag: string): void {
  const twice = files.find(({ name, path }, i) =>
    files.slice(0, i).some((other) => other.name === name && (other.path === path || isSameFile(other.path, path))),
  );
  if (twice !== undefined) {
    throw new UsageError(
      `${flag}: ${twice.path} is named twice, and its lists would vote twice: leave one out. If that is intended, give each a name: first=${twice.path} second=${twice.path}`,
    );
  }
}

/** `NAME=FILE`, split at the first `=`; an existing file whose name contains one is taken as it is. */
export function namedFile(text: string): NamedFile {
  const equals = text.indexOf('=');
  if (equals <= 0 || existsSync(text)) return { name: undefined, path: text };
  return { name: text.slice(0, equals), path: text.slice(equals + 1) };
}

/** The settings of the configuration, if there is one; its code is loaded only then. */
async function configuredSettings(
  config: string | undefined,
  command: Command,
): Promise<Pick<ScoreSettings, 'measures' | 'relevantFrom' | 'catalogue'>> {
  if (config === undefined && !existsSync(USUAL_FILE)) {
    return { measures: USUAL_MEASURES, relevantFrom: 1, catalogue: NO_CATALOGUE };
  }
  const [{ readSettings }, { withCatalogue }] = await Promise.all([
    import('./replay.ts'),
    import('../config/catalogue-file.ts'),
  ]);
  const read = readSettings(config === undefined ? {} : { config }, 'score');
  mustSpareFiles(command, [read.catalogue]);
  const { measures, relevantFrom, itemFile = NO_CATALOGUE } = await withCatalogue(read);
  return { measures: measures.map(({ canonical }) => canonical), relevantFrom, catalogue: itemFile };
}

export function columnsOf(text: string | undefined): RunColumns | undefined {
  if (text === undefined) return undefined;
  const columns = runColumns(text);
  if (typeof columns === 'string') throw new UsageError(`--columns: ${columns}`);
  return columns;
}

function qrelsColumnsOf(text: string | undefined): QrelsColumns | undefined {
  if (text === undefined) return undefined;
  const columns = qrelsColumns(text);
  if (typeof columns === 'string') throw new UsageError(`--qrels-columns: ${columns}`);
  return columns;
}

function plotOf({ plot, plotFile, size, grid }: ScoreFlags): PlotSettings | undefined {
  if (plot === undefined) {
    if (plotFile !== undefined) throw new UsageError('--plot-file needs --plot bar, --plot line or --plot intervals');
    return undefined;
  }
  if (plotFile !== undefined) mustBePlotFile('--plot-file', plotFile);
  const sides = /^(\d+(?:\.\d+)?)x(\d+(?:\.\d+)?)$/i.exec(size);
  const [width, height] = sides === null ? [0, 0] : [Number(sides[1]), Number(sides[2])];
  if (!(width >= 3 && width <= 60 && height >= 2 && height <= 60)) {
    throw new UsageError(`--size: expected WIDTHxHEIGHT in inches, such as 12x6 (3x2 to 60x60), got "${size}"`);
  }
  return { kind: word('plot', plot, PLOTS), file: plotFile, width, height, grid: grid === true };
}

export function word<Word extends string>(flag: string, text: string, words: readonly Word[]): Word {
  const found = words.find((one) => one === text);
  if (found === undefined) throw new UsageError(`--${flag}: no "${text}"${suggestion(text, words)}`);
  return found;
}

export function whole(flag: string, text: string, least: number, most = 1e9): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  const range = most === 1e9 ? `from ${least}` : `from ${least} to ${most}`;
  throw new UsageError(`--${flag}: expected a whole number ${range}, got "${text}"`);
}

export function number(flag: string, text: string, above: number, most: number): number {
  const value = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (value > above && value <= most) return value;
  throw new UsageError(`--${flag}: expected a number above ${above}, at most ${most}, got "${text}"`);
}
