import type { Fusion } from '../fusion/fusion.ts';
import type { Ties } from '../score/order.ts';
import { REPEATS, type Repeats } from '../score/repeats.ts';
import type { RunColumns } from '../score/run-format.ts';
import { UsageError } from './failure.ts';
import { methodNamed } from './fuse-method.ts';
import { columnsOf, mustDiffer, type NamedFile, namedFile, number, whole, word } from './score-settings.ts';
import { mustBeWritable } from './written-file.ts';

export const RUN_FORMATS = ['trec', 'flagr'] as const;
export type RunFormat = (typeof RUN_FORMATS)[number];

/** Without `mean`: the mean over all orders is not an order. */
const FUSE_TIES = ['docno', 'first', 'last'] as const;

export interface FuseFlags {
  readonly run?: readonly string[];
  readonly lists?: readonly string[];
  readonly method?: string;
  readonly output?: string;
  readonly as?: string;
  readonly tag?: string;
  readonly qrels?: string;
  readonly relevantFrom?: string;
  readonly format?: string;
  readonly columns?: string;
  readonly ties?: string;
  readonly repeated?: string;
  readonly depth?: string;
  readonly top?: string;
}

export interface FuseSettings {
  readonly files: readonly NamedFile[];
  readonly method: Fusion;
  /** undefined: standard output. */
  readonly output: string | undefined;
  readonly as: RunFormat;
  readonly tag: string;
  readonly qrels: string | undefined;
  readonly relevantFrom: number;
  readonly format: RunFormat | undefined;
  readonly columns: RunColumns | undefined;
  readonly ties: Ties | undefined;
  /** undefined: by the columns. */
  readonly repeated: Repeats | undefined;
  readonly depth: number;
  readonly top: number;
}

/** @throws UsageError for what does not go together */
export function readFuseSettings(flags: FuseFlags): FuseSettings {
  const { run = [], lists = [], qrels, output } = flags;
  const files = [...run, ...lists].map(namedFile);
  if (files.length === 0) {
    throw new UsageError('name what to merge: --run FILE --run FILE, or --lists FILE for lists of several voters');
  }
  if (run.length > 0 && lists.length > 0) {
    throw new UsageError('--run and --lists do not go together: give all files with --run, each in its own format');
  }
  if (flags.method === undefined) throw new UsageError('--method is missing: such as --method rrf; --help names them');
  const method = methodNamed(flags.method, '--method', 'it takes one; receval score --fuse compares several');
  if (method.trained && qrels === undefined) {
    throw new UsageError(`--qrels is missing: ${method.name} learns from judged queries`);
  }
  if (!method.trained && qrels !== undefined) {
    throw new UsageError(`--qrels is for methods that learn; ${method.name} does not. To score: receval score --fuse`);
  }
  const inputs = [...files.map(({ path }) => path), ...(qrels === undefined ? [] : [qrels])];
  if (inputs.filter((path) => path === '-').length > 1) {
    throw new UsageError('standard input (-) can be read only once');
  }
  mustDiffer(files, lists.length > 0 ? '--lists' : '--run');
  if (flags.tag?.trim() === '') throw new UsageError('--tag: expected a name of the merged run, got none');
  if (output !== '-') mustBeWritable('--output', output);
  const format = lists.length > 0 ? 'flagr' : flags.format;
  return {
    files,
    method,
    output: output === '-' ? undefined : output,
    as: flags.as === undefined ? 'trec' : word('as', flags.as, RUN_FORMATS),
    tag: flags.tag ?? method.name,
    qrels,
    relevantFrom: flags.relevantFrom === undefined ? 1 : number('relevant-from', flags.relevantFrom, 0, 30),
    format: format === undefined ? undefined : word('format', format, RUN_FORMATS),
    columns: columnsOf(flags.columns),
    ties: flags.ties === undefined ? undefined : word('ties', flags.ties, FUSE_TIES),
    repeated: flags.repeated === undefined ? undefined : word('repeated', flags.repeated, REPEATS),
    depth: flags.depth === undefined ? Number.POSITIVE_INFINITY : whole('depth', flags.depth, 1),
    top: flags.top === undefined ? Number.POSITIVE_INFINITY : whole('top', flags.top, 1),
  };
}
