import { statSync } from 'node:fs';
import { DEFAULT_FIELDS } from '../consumers/decode/decoder.ts';
import { isDimensionName } from '../consumers/decode/dimensions.ts';
import type { ReplayFile, ReplayInputs } from '../replay/file-replay.ts';
import { suggestion } from '../vocabulary/spelling.ts';
import { UsageError } from './failure.ts';
import { mustBeReadable } from './readable.ts';

export interface InputFlags {
  readonly impressions?: readonly string[];
  readonly feedback?: readonly string[];
  readonly events?: readonly string[];
}

/** The logs that the flags name. @throws UsageError when they do not go together, Error for a file that is not there. */
export function readInputs({ impressions = [], feedback = [], events = [] }: InputFlags): ReplayInputs {
  const sides = impressions.length + feedback.length > 0;
  if (sides && events.length > 0) {
    throw new UsageError('--events holds both sides in one log: give it alone, or give --impressions and --feedback');
  }
  if (!sides && events.length === 0) {
    throw new UsageError(
      'name the logs: --impressions FILE... --feedback FILE..., or --events FILE... for both in one',
    );
  }
  if (sides && impressions.length === 0)
    throw new UsageError('--impressions is missing: feedback alone shows no ranking');
  const all = [...impressions, ...feedback, ...events].map(parseFile);
  if (all.filter((file) => file.path === '-').length > 1)
    throw new UsageError('standard input (-) can be read only once');
  mustBeReadable(all.map(({ path }) => path));
  if (events.length > 0) return { events: events.map(parseFile) };
  return { impressions: impressions.map(parseFile), feedback: feedback.map(parseFile) };
}

/** Names of all files. */
function pathsOf(inputs: ReplayInputs): readonly string[] {
  return ('events' in inputs ? inputs.events : [...inputs.impressions, ...inputs.feedback]).map(({ path }) => path);
}

/** Bytes of all files; undefined with standard input or a pipe. */
export function bytesOf(inputs: ReplayInputs): number | undefined {
  const paths = pathsOf(inputs);
  if (paths.some((path) => path === '-' || !statSync(path).isFile())) return undefined;
  return paths.reduce((sum, path) => sum + statSync(path).size, 0);
}

/** `FILE@field=value[,field=value]`, split at the last `@`; an `@` that is not followed by such pairs belongs to the name. */
function parseFile(text: string): ReplayFile {
  const at = text.lastIndexOf('@');
  const pairs = at < 0 ? [] : text.slice(at + 1).split(',');
  if (at <= 0 || !pairs.every((pair) => /^[A-Za-z][A-Za-z0-9_]*=/.test(pair)))
    return { path: text, defaults: new Map() };
  const defaults = new Map<string, string>();
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    const field = pair.slice(0, equals);
    mustBeField(text, field);
    if (defaults.has(field)) throw new UsageError(`${text}: the field "${field}" is given twice`);
    defaults.set(field, pair.slice(equals + 1));
  }
  return { path: text.slice(0, at), defaults };
}

function mustBeField(text: string, field: string): void {
  const fields: readonly string[] = DEFAULT_FIELDS;
  if (fields.includes(field) || isDimensionName(field)) return;
  throw new UsageError(
    `${text}: "${field}" is neither a field nor the name of a dimension${suggestion(field, fields)}`,
  );
}
