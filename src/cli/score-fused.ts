import type { FusedItem } from '../fusion/ballots.ts';
import type { Fusion } from '../fusion/fusion.ts';
import { ItemRows } from '../score/item-rows.ts';
import type { Judgements } from '../score/judgements.ts';
import { bytesOf } from '../score/line-fields.ts';
import { FileScoring } from '../score/scoring.ts';
import type { ScoringSettings } from '../score/scoring-settings.ts';
import { notice } from './failure.ts';
import { emptyNotes, FileLessons, fuseQuery } from './fuse-files.ts';
import type { ScoreInputs } from './score-inputs.ts';
import { type VoteFile, VoteFiles } from './vote-files.ts';

export interface FusedScore {
  readonly name: string;
  readonly scoring: FileScoring;
}

/**
 * Merges the runs by each method and scores the results. A merged list keeps its order. Methods that learn are taught by the
 * judgements of all queries except the one being merged.
 */
export async function scoreFused(
  inputs: ScoreInputs,
  files: readonly VoteFile[],
  methods: readonly Fusion[],
  settings: ScoringSettings,
  judgements: Judgements,
): Promise<readonly FusedScore[]> {
  const teacher = methods.some(({ trained }) => trained)
    ? new FileLessons(judgements, settings.relevantFrom)
    : undefined;
  const votes = await VoteFiles.survey(inputs, files, settings, (list, voter) => teacher?.watch(list, voter));
  const fused = methods.map((method) => ({ method, scoring: new FileScoring(method.name, settings, judgements) }));
  const rows = new ItemRows();
  const empty = methods.map(() => 0);
  let queries = 0;
  for await (const gathered of votes.gathered()) {
    const { query } = gathered;
    if (judgements.queries.find(query) < 0) continue;
    const training = teacher?.lessons.without(query);
    queries++;
    for (const [m, { method, scoring }] of fused.entries()) {
      fill(rows, fuseQuery(method, gathered, training));
      if (rows.count === 0) empty[m]++;
      if (rows.count > 0) scoring.lists(undefined, query, rows);
    }
  }
  for (const [m, method] of methods.entries()) {
    for (const text of emptyNotes(method, empty[m], queries)) notice(text);
  }
  return fused.map(({ method, scoring }) => ({ name: method.name, scoring }));
}

function fill(rows: ItemRows, items: readonly FusedItem[]): void {
  rows.clear();
  for (const [place, { item, score }] of items.entries()) {
    const id = bytesOf(item);
    rows.add(id, 0, id.length, score, place + 1, place + 1);
  }
}
