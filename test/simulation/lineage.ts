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
  /** Lists from before this time are in no sum. */
  readonly feedbackFrom: EpochMs;
  readonly counts: readonly TopicCounts[];
  /** By topic. */
  readonly inputs: readonly Inputs[];
  /** The runs of experiments, and where they began; those that have ended come last. */
  readonly runs: readonly RunState[];
  /** By run: when it went on. */
  readonly spans: ReadonlyMap<string, readonly RunSpan[]>;
  /** What the looks of the runs that go on have found: fields of their hash. */
  readonly looks: ReadonlyMap<string, string>;
  /** By run: the same of those that have ended. */
  readonly endedLooks: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

/** A run takes what is read from `begins` on and below `until`, by topic, and closes up to `to`. */
export interface RunSpan {
  readonly begins: readonly Offset[];
  readonly until: readonly Offset[];
  readonly to: EpochMs;
}

/** Of a commit that is sent: beside what it says. */
export interface Sent {
  readonly begin: readonly Offset[];
  readonly inputs: readonly Inputs[];
  /** Variants of whose experiment nothing may be known but what was seen after a look that the commit tells of. */
  readonly forgotten: ReadonlySet<string>;
}

/** The lineage after one more commit, which is the first one if there is none before. */
export function grown(before: Lineage | undefined, sent: Sent, commit: Commit): Lineage {
  const topics: readonly TopicCheckpoint[] = parsed(commit.checkpoint, 'topics');
  const watermark = parsed<number | null>(commit.checkpoint, 'watermark') ?? Number.NEGATIVE_INFINITY;
  const feedbackFrom = parsed<number | null>(commit.checkpoint, 'feedbackFrom') ?? Number.NEGATIVE_INFINITY;
  const runs: readonly RunState[] = parsed(commit.checkpoint, 'runs');
  const committed = topics.map((topic) => topic.committed);
  const goOn = goingOn(runs);
  const ended = goingOn(before?.runs ?? []).filter(({ run }) => goOn.every((one) => one.run !== run));
  return {
    commits: (before?.commits ?? 0) + 1,
    begin: before?.begin ?? sent.begin,
    committed,
    replay: topics.map(({ replay }) => replay),
    watermark,
    feedbackFrom,
    counts: parsed(commit.checkpoint, 'counts'),
    inputs: sent.inputs,
    runs,
    spans: new Map([
      ...(before?.spans ?? []),
      ...goOn.map((run) => [run.run, spansAfter(before, run, { until: committed, to: watermark })] as const),
    ]),
    looks: looksAfter(looksBefore(before, runs), commit),
    endedLooks: new Map([
      ...(before?.endedLooks ?? []),
      ...ended.map(({ run }) => [run, before?.looks ?? new Map()] as const),
    ]),
  };
}

export function goingOn(runs: readonly RunState[]): readonly RunState[] {
  return runs.filter(({ ended }) => ended === undefined);
}

function spansAfter(
  before: Lineage | undefined,
  { run, begins }: RunState,
  end: Pick<RunSpan, 'until' | 'to'>,
): readonly RunSpan[] {
  const spans = before?.spans.get(run) ?? [];
  const last = spans.at(-1);
  const goesOn = last !== undefined && goingOn(before?.runs ?? []).some((one) => one.run === run);
  if (goesOn) return [...spans.slice(0, -1), { ...last, ...end }];
  return [...spans, { begins, ...end }];
}

/** What looks had found before of the run that goes on: nothing of a new one. */
export function looksBefore(before: Lineage | undefined, runs: readonly RunState[]): ReadonlyMap<string, string> {
  const [{ run }] = goingOn(runs);
  const isSame = goingOn(before?.runs ?? []).some((one) => one.run === run);
  return (isSame ? before?.looks : before?.endedLooks.get(run)) ?? new Map();
}

function looksAfter(before: ReadonlyMap<string, string>, { rows, removes }: Commit): ReadonlyMap<string, string> {
  const gone = new Set([...(removes ?? [])].flatMap(([key, fields]) => (key.includes(':looks:') ? fields : [])));
  const set = [...rows].flatMap(([key, fields]) => (key.includes(':looks:') ? [...fields] : []));
  return new Map([...[...before].filter(([field]) => !gone.has(field)), ...set]);
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
