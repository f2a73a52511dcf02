import { NO_CATALOGUE } from '../../src/measures/item-catalogue.ts';
import { GradedLists } from '../../src/score/graded-lists.ts';
import { type BlockReader, Blocks } from '../../src/score/line-blocks.ts';
import type { Ties } from '../../src/score/order.ts';
import { presetMeasures, repeatsOf } from '../../src/score/preset.ts';
import { QrelsReader } from '../../src/score/qrels-reader.ts';
import type { Repeats } from '../../src/score/repeats.ts';
import { runColumns } from '../../src/score/run-format.ts';
import { runLayout } from '../../src/score/run-layout.ts';
import { RunReader } from '../../src/score/run-reader.ts';
import type { MissingQuery, QueryScore, RunEvidence, RunScore } from '../../src/score/score-result.ts';
import { FileScoring } from '../../src/score/scoring.ts';
import { type ScoringSettings, scoringSettings, type Unjudged } from '../../src/score/scoring-settings.ts';

export interface Choices {
  readonly measures: readonly string[];
  readonly preset?: string | undefined;
  readonly ties?: Ties;
  readonly relevantFrom?: number;
  readonly depth?: number;
  readonly missing?: 'skip' | 'zero';
  readonly unjudged?: Unjudged;
  readonly repeats?: Repeats;
  /** Bytes of each part that the reader is given. */
  readonly part?: number;
  readonly gather?: boolean;
  /** Given by the user. */
  readonly format?: 'trec' | 'flagr';
  readonly columns?: string;
  /** Whether the sums of each query are kept, for comparisons. */
  readonly compares?: boolean;
}

export interface InMemory {
  readonly runs: readonly RunScore[];
  readonly missing: readonly MissingQuery[];
  readonly evidence: readonly RunEvidence[];
  readonly tag: string | undefined;
}

export function settingsOf({ measures: texts, preset, ties, ...others }: Choices): ScoringSettings {
  const relevantFrom = others.relevantFrom ?? 1;
  const { measures, problems } = presetMeasures(texts, preset, { relevantFrom });
  if (problems.length > 0) throw new Error(problems.join('; '));
  return scoringSettings({
    measures,
    relevantFrom,
    preset,
    ties,
    depth: others.depth ?? Number.POSITIVE_INFINITY,
    missing: others.missing ?? 'skip',
    unjudged: others.unjudged ?? 'count',
    repeats: others.repeats ?? repeatsOf(preset),
    keepsQueries: true,
    compares: others.compares ?? false,
    correlationTest: undefined,
    catalogue: NO_CATALOGUE,
  });
}

function feed(reader: BlockReader, text: string | Buffer, part: number): void {
  const bytes = Buffer.from(text);
  const blocks = new Blocks('file', reader);
  for (let at = 0; at < bytes.length; at += part) blocks.add(Buffer.from(bytes.subarray(at, at + part)));
  blocks.end();
}

/** Scores a run as the command does, without files. */
export function scoreText(run: string | Buffer, qrels: string | Buffer, choices: Choices): InMemory {
  const part = choices.part ?? 1 << 20;
  const { format, columns } = choices;
  const named = columns === undefined ? undefined : runColumns(columns);
  if (typeof named === 'string') throw new Error(named);
  const layout = runLayout('run', Buffer.from(run), { format, columns: named });
  const settings = settingsOf({ preset: layout.columns.preset, ...choices });
  const reader = new QrelsReader('qrels', settings.gradeLimit);
  feed(reader, qrels, part);
  const scoring = new FileScoring('run', settings, reader.judgements);
  const runReader = new RunReader('run', layout, choices.gather ?? false, scoring);
  feed(runReader, run, part);
  const finished = scoring.voters.map((voter) => scoring.finish(voter, voter ?? 'run'));
  return {
    runs: finished.map((one) => one.run),
    missing: finished.flatMap((one) => one.missing),
    evidence: finished.map((one) => one.evidence),
    tag: runReader.tag,
  };
}

export function scoreLists(lists: readonly object[], choices: Choices): RunScore {
  const reader = new GradedLists('lists', settingsOf(choices), choices.ties);
  feed(reader, lists.map((list) => `${JSON.stringify(list)}\n`).join(''), choices.part ?? 1 << 20);
  return reader.finish('lists');
}

/** What can be compared of a run: values by query, in the order of the file. */
export function plain({ mean, queries, counts, perQuery }: RunScore): object {
  const query = ({ query: name, counts: own, values }: QueryScore): object => ({ name, own, values: [...values] });
  return { mean, queries, counts, perQuery: perQuery.map(query) };
}
