import type { RunState } from '../../src/accumulators/runs.ts';
import type { Commit, Fields } from '../../src/accumulators/store/store-port.ts';
import type { TopicCheckpoint, TopicCounts } from '../../src/vocabulary/checkpoint.ts';
import type { EpochMs, Offset } from '../../src/vocabulary/events.ts';
import type { Inputs } from './inputs.ts';

/** What the commits that led to one stored state have said: a rollback takes it back with the state. */
export interface Lineage {
  readonly commits: number;
  /** Where the unit began to read, by topic. */
  readonly begin: readonly Offset[];
  readonly committed: readonly Offset[];
  readonly replay: readonly Offset[];
  readonly watermark: EpochMs;
  readonly counts: readonly TopicCounts[];
  /** By topic. */
  readonly inputs: readonly Inputs[];
  /** The runs of experiments, and where they began. */
  readonly runs: readonly RunState[];
  /** What the looks of these runs have found: fields of their hash. */
  readonly looks: ReadonlyMap<string, string>;
}

/** Of a commit that is sent: beside what it says. */
export interface Sent {
  readonly begin: readonly Offset[];
  readonly inputs: readonly Inputs[];
}

/** The lineage after one more commit, which is the first one if there is none before. */
export function grown(before: Lineage | undefined, sent: Sent, commit: Commit): Lineage {
  const topics: readonly TopicCheckpoint[] = parsed(commit.checkpoint, 'topics');
  const watermark: number | null = parsed(commit.checkpoint, 'watermark');
  const runs: readonly RunState[] = parsed(commit.checkpoint, 'runs');
  return {
    commits: (before?.commits ?? 0) + 1,
    begin: before?.begin ?? sent.begin,
    committed: topics.map(({ committed }) => committed),
    replay: topics.map(({ replay }) => replay),
    watermark: watermark ?? Number.NEGATIVE_INFINITY,
    counts: parsed(commit.checkpoint, 'counts'),
    inputs: sent.inputs,
    runs,
    looks: new Map([...looksBefore(before, runs), ...looksIn(commit)]),
  };
}

/** What looks had found before, if they were of the same runs: those of a new run start again. */
export function looksBefore(before: Lineage | undefined, runs: readonly RunState[]): ReadonlyMap<string, string> {
  const goesOn = runs.every(({ run }, r) => run === before?.runs[r].run);
  return goesOn && before !== undefined ? before.looks : new Map();
}

function looksIn({ rows }: Commit): readonly (readonly [string, string])[] {
  return [...rows].flatMap(([key, fields]) => (key.includes(':looks:') ? [...fields] : []));
}

/** What the product wrote, read without the product's codecs. */
function parsed<T>(checkpoint: Fields, field: string): T {
  return JSON.parse(checkpoint.get(field) ?? 'null');
}

export function impressionsOf(row: string | undefined): number {
  if (row === undefined) return 0;
  const { impressions }: { readonly impressions: number } = JSON.parse(row);
  return impressions;
}
