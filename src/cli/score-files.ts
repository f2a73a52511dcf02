import { basename } from 'node:path';
import type { Measure } from '../measures/definition.ts';
import type { GradeLimit } from '../measures/gain.ts';
import { MeasureError } from '../measures/grammar/scan.ts';
import { GradedLists } from '../score/graded-lists.ts';
import { Ungrouped } from '../score/groups.ts';
import type { Judgements } from '../score/judgements.ts';
import { missingOf, presetMeasures, repeatsOf, tiesOf } from '../score/preset.ts';
import type { QrelsColumns } from '../score/qrels-format.ts';
import { QrelsReader } from '../score/qrels-reader.ts';
import { sortCommand } from '../score/remedies.ts';
import type { RunLayout } from '../score/run-format.ts';
import { RunReader, runNames } from '../score/run-reader.ts';
import type { MissingQuery, RunEvidence, RunScore, ScoreResult } from '../score/score-result.ts';
import { FileScoring } from '../score/scoring.ts';
import { type ScoringSettings, scoringSettings } from '../score/scoring-settings.ts';
import { notice, UsageError } from './failure.ts';
import type { FusedScore } from './score-fused.ts';
import { isReadOnce, ScoreInputs } from './score-inputs.ts';
import type { NamedFile, ScoreSettings } from './score-settings.ts';
import { layoutsOf, type VoteFile } from './vote-files.ts';

/** A run that was read; its name is chosen once all are read. */
interface ReadRun {
  readonly file: NamedFile;
  /** The run's name in the file. */
  readonly own: string | undefined;
  readonly isOneOfMany: boolean;
  finish(name: string): {
    readonly run: RunScore;
    readonly missing: readonly MissingQuery[];
    readonly evidence?: RunEvidence;
  };
}

/** Reads and scores all files, one after the other. Only one list at a time is in memory if a run's lines are grouped by query. */
export async function scoreFiles(settings: ScoreSettings): Promise<ScoreResult> {
  const { runs, qrels } = settings;
  const { fuse } = settings;
  const paths = [...runs.map(({ path }) => path), ...(qrels === undefined ? [] : [qrels])];
  const inputs = await ScoreInputs.of(paths, fuse.length === 0 ? 1 : 3);
  try {
    if (qrels !== undefined) await inputs.headOfJudgements(qrels);
    const votes = qrels === undefined ? [] : await layoutsOf(inputs, runs, settings);
    const preset = settings.preset ?? commonPreset(votes);
    const measures = readMeasures(settings, preset);
    const scoring = await settingsOf(settings, preset, measures);
    const read: ReadRun[] = [];
    if (qrels === undefined) {
      for (const run of runs) read.push(await readLists(inputs, run, scoring));
    } else {
      const judgements = await readQrels(inputs, qrels, scoring.gradeLimit, settings.qrelsColumns);
      for (const { file, layout } of votes) read.push(...(await readRun(inputs, file, layout, scoring, judgements)));
      if (fuse.length > 0) {
        const { scoreFused } = await import('./score-fused.ts');
        const fused = await scoreFused(inputs, votes, fuse, scoring, judgements);
        for (const one of fused) read.push(readFused(one));
      }
    }
    const names = runNames(read.map(({ file, own, isOneOfMany }) => ({ ...namesOf(file), own, isOneOfMany })));
    const finished = read.map((run, i) => run.finish(names[i]));
    return {
      measures,
      reading: { preset, defaults: { relevantFrom: settings.relevantFrom } },
      runs: finished.map(({ run }) => run),
      missing: finished.flatMap(({ missing }) => missing),
      evidence: finished.flatMap(({ evidence }) => evidence ?? []),
    };
  } finally {
    inputs.end();
  }
}

function namesOf({ name, path }: NamedFile): { readonly given: string | undefined; readonly file: string } {
  return { given: name, file: path === '-' ? 'standard input' : basename(path) };
}

/** The convention of all runs; undefined: there are none. */
function commonPreset(votes: readonly VoteFile[]): string | undefined {
  const presetOf = ({ layout }: VoteFile): string => layout.columns.preset;
  const other = votes.find((vote) => presetOf(vote) !== presetOf(votes[0]));
  if (other === undefined) return votes.length === 0 ? undefined : presetOf(votes[0]);
  const [flagr, trec] = presetOf(other) === 'flagr' ? [other, votes[0]] : [votes[0], other];
  const both = `${flagr.file.path} has the columns of PyFLAGR, and ${trec.file.path} has not`;
  throw new UsageError(`--preset is needed: ${both}, and each has its own convention: --preset trec or --preset flagr`);
}

function readMeasures(settings: ScoreSettings, preset: string | undefined): readonly Measure[] {
  const { relevantFrom, qrels } = settings;
  const command = qrels === undefined ? 'lists' : 'score';
  const { measures, problems } = presetMeasures(settings.measures, preset, { relevantFrom }, command);
  if (problems.length > 0) throw new UsageError(`--measures: ${problems.join('\n  ')}`);
  if (measures.length === 0) throw new UsageError('--measures: name at least one, such as ndcg@10');
  return measures;
}

async function settingsOf(
  settings: ScoreSettings,
  preset: string | undefined,
  measures: readonly Measure[],
): Promise<ScoringSettings> {
  const { relevantFrom, depth, rows, pValues } = settings;
  const isReport = settings.report !== undefined || settings.output === 'html';
  const hasErrors = pValues || isReport || settings.plot?.kind === 'intervals';
  const ties = settings.ties ?? tiesOf(preset);
  if (ties === 'mean' && Number.isFinite(depth)) {
    throw new UsageError('--depth cuts one order of the list: it does not go with --ties mean');
  }
  const tests = pValues ? await import('../score/correlation-p.ts') : undefined;
  try {
    return scoringSettings({
      measures,
      relevantFrom,
      preset,
      ties: settings.ties,
      depth,
      missing: settings.missing ?? missingOf(preset),
      unjudged: settings.unjudged,
      repeats: settings.repeated ?? repeatsOf(preset),
      keepsQueries: rows.perQuery || hasErrors,
      compares: hasErrors,
      correlationTest: tests?.correlationTest,
      catalogue: settings.catalogue,
    });
  } catch (error) {
    if (error instanceof MeasureError) throw new UsageError(`--measures: ${error.message}`);
    throw error;
  }
}

async function readQrels(
  inputs: ScoreInputs,
  path: string,
  limit: GradeLimit,
  columns: QrelsColumns | undefined,
): Promise<Judgements> {
  const reader = new QrelsReader(path, limit, columns);
  await inputs.readAll(path, reader, () => reader.judgements.rows.count);
  if (reader.ungraded > 0) notice(`${path}: rows without a grade, which nobody judged: ${reader.ungraded}`);
  return reader.judgements;
}

async function readLists(inputs: ScoreInputs, file: NamedFile, settings: ScoringSettings): Promise<ReadRun> {
  const lists = new GradedLists(file.path, settings, settings.ties ?? tiesOf(settings.preset));
  await inputs.readAll(file.path, lists, () => lists.count);
  return { file, own: undefined, isOneOfMany: false, finish: (name) => ({ run: lists.finish(name), missing: [] }) };
}

function readFused({ name, scoring }: FusedScore): ReadRun {
  const file = { name, path: name };
  return { file, own: undefined, isOneOfMany: false, finish: (final) => scoring.finish(undefined, final) };
}

async function readRun(
  inputs: ScoreInputs,
  file: NamedFile,
  layout: RunLayout,
  settings: ScoringSettings,
  judgements: Judgements,
): Promise<readonly ReadRun[]> {
  const read = async (gather: boolean): Promise<readonly ReadRun[]> => {
    const scoring = new FileScoring(file.path, settings, judgements);
    const reader = new RunReader(file.path, layout, gather, scoring);
    await inputs.readAll(file.path, reader, () => reader.rows);
    const { voters } = scoring;
    return voters.map((voter) => ({
      file,
      own: voter ?? reader.tag,
      isOneOfMany: voters.length > 1,
      finish: (name) => scoring.finish(voter, name),
    }));
  };
  try {
    return await read(false);
  } catch (error) {
    if (!(error instanceof Ungrouped)) throw error;
    if (isReadOnce(file.path)) {
      throw new Error(`${error.message}: sort them first (${sortCommand(layout)}), or give the file by its name`);
    }
    notice(`${error.message}: the whole file is kept in memory`);
    return read(true);
  }
}
