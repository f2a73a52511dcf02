import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { parseMeasure } from '../../src/measures/grammar/measure-name.ts';
import { presetFor } from '../../src/measures/grammar/presets.ts';

/** What a peer says of one measure: an entry of values.py. */
export interface PeerValues {
  readonly peer: string;
  /** Run and judgements, or one file of graded lists. */
  readonly files: readonly [run: string, qrels: string] | readonly [lists: string];
  readonly flags: readonly string[];
  readonly measure: string;
  readonly values: Readonly<Record<string, number>>;
  /** After the point, where the peer rounds. */
  readonly digits: number | null;
}

export interface Agreement {
  readonly peer: string;
  readonly preset: string;
  readonly measures: number;
  readonly compared: number;
  /** Measures whose values differ, with how often and the worst case. */
  readonly mismatches: readonly string[];
}

interface ScoreOutput {
  readonly runs: readonly {
    readonly mean: Readonly<Record<string, number | null>>;
    readonly perQuery: Readonly<Record<string, Readonly<Record<string, number | null>>>>;
  }[];
}

/** Doubles that are added in another order differ in their last bits. */
const TOLERANCE = 1e-12;

/** Scores the peers' lists by `receval score`, once per pair of files and flags, and holds every value against theirs. */
export function agreements(receval: readonly string[], folder: string, all: readonly PeerValues[]): Agreement[] {
  const groups = grouped(all, ({ peer, files, flags }) => JSON.stringify([peer, files, flags]));
  const found = [...groups.values()].flatMap((entries) => {
    const [{ files, flags }] = entries;
    const output = score(receval, folder, files, flags, [...new Set(entries.map(({ measure }) => measure))]);
    return entries.map((entry) => ({ entry, preset: flags[1], ...differences(entry, output) }));
  });
  return [...grouped(found, ({ entry, preset }) => JSON.stringify([entry.peer, preset])).values()].map((some) => ({
    peer: some[0].entry.peer,
    preset: some[0].preset,
    measures: new Set(some.map(({ entry }) => entry.measure)).size,
    compared: some.reduce((sum, { compared }) => sum + compared, 0),
    mismatches: some.flatMap(({ mismatch }) => mismatch ?? []),
  }));
}

function score(
  [program, ...args]: readonly string[],
  folder: string,
  [run, qrels]: PeerValues['files'],
  flags: readonly string[],
  measures: readonly string[],
): ScoreOutput {
  const files =
    qrels === undefined ? ['--lists', join(folder, run)] : ['--run', join(folder, run), '--qrels', join(folder, qrels)];
  const asked = [...files, ...flags, '--measures', measures.join(','), '--per-query', '--output', 'json'];
  return JSON.parse(execFileSync(program, [...args, 'score', ...asked], { encoding: 'utf8', maxBuffer: 2 ** 30 }));
}

/** The printed name of a measure under a preset, by which the output knows it. */
export function printed(measure: string, preset: string): string {
  const [name] = /^[a-z0-9]+/.exec(measure) ?? [measure];
  const { name: known } = parseMeasure(name === 'err' ? 'err(gmax=4)' : name, { relevantFrom: 1 });
  const set = presetFor(preset, known);
  const own = /\((.*)\)/.exec(measure)?.[1];
  const params = [...(own === undefined ? [] : [own]), ...(set === undefined ? [] : [`preset=${preset}`])];
  const cut = /@\d+$/.exec(measure)?.[0] ?? '';
  const text = `${known}${params.length === 0 ? '' : `(${params.join(',')})`}${cut}`;
  return parseMeasure(text, { relevantFrom: 1 }).canonical;
}

function differences(
  { files, flags, measure, values, digits, peer }: PeerValues,
  { runs: [{ mean, perQuery }] }: ScoreOutput,
): { readonly compared: number; readonly mismatch: string | undefined } {
  const name = printed(measure, flags[1]);
  let wrong = 0;
  let worst = '';
  let largest = 0;
  for (const [query, theirs] of Object.entries(values)) {
    const ours = query === 'all' ? mean[name] : perQuery[query]?.[name];
    const limit = digits === null ? TOLERANCE * Math.max(1, Math.abs(theirs)) : 0.5000001 * 10 ** -digits;
    const off = typeof ours === 'number' ? Math.abs(ours - theirs) : Number.POSITIVE_INFINITY;
    if (off <= limit) continue;
    wrong++;
    if (off > largest) {
      largest = off;
      worst = `query ${query}: ${theirs}, receval ${ours}`;
    }
  }
  const compared = Object.keys(values).length;
  if (wrong === 0) return { compared, mismatch: undefined };
  return { compared, mismatch: `${peer}: ${name} of ${files[0]}: ${wrong} of ${compared} differ, most at ${worst}` };
}

function grouped<T>(all: readonly T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const known = groups.get(keyOf(one));
    if (known === undefined) groups.set(keyOf(one), [one]);
    else known.push(one);
  }
  return groups;
}
