import type { PanesState } from '../accumulators/panes-settings.ts';
import { isRun, KEPT_AFTER_END, type RunName, type RunState, type Since } from '../accumulators/runs.ts';
import type { Fingerprint, UnitCheckpoint } from '../accumulators/store/checkpoint-codec.ts';
import {
  changedSettings,
  hasPart,
  horizonsOf,
  missingFromPanes,
} from '../accumulators/store/fingerprint-difference.ts';
import { generationName, parseGeneration } from '../accumulators/store/generation.ts';
import { damagedCheckpoint } from '../accumulators/store/json.ts';
import type { JoinCheckpoint } from '../vocabulary/checkpoint.ts';
import type { EpochMs, Offset } from '../vocabulary/events.ts';

/** What this start may do, once (specification: commit 6). */
export interface Permissions {
  /** Whether rows may start empty; 'earliest': what Kafka still holds is counted again, from the beginning. */
  readonly newGeneration: boolean | 'earliest';
  readonly acceptPartitions: boolean;
  readonly restartExperiments: boolean;
  /** Damaged state of the unit, which is counted again from the earliest record; default: none. */
  readonly damaged?: Damage | undefined;
}

/** The rows of this generation, or the checkpoint of this commit, cannot be read. State that another worker stores later is not meant. */
export type Damage = { readonly generation: string } | { readonly cid: string };

export const NO_PERMISSIONS: Permissions = { newGeneration: false, acceptPartitions: false, restartExperiments: false };

/** The state from which a unit resumes. */
export interface Resumed {
  readonly generation: string;
  /** What is open; undefined: the unit reads from the beginning. */
  readonly join: JoinCheckpoint | undefined;
  /** The panes that go on; undefined: rows start empty. */
  readonly panes: PanesState | undefined;
  /** Runs of experiments that were stored, those that have ended included; others start now. */
  readonly runs: readonly RunState[];
  /** Runs whose keys are to be deleted: they ended long ago. */
  readonly expired: readonly RunState[];
  /** From when on each later part is in the rows, as in `UnitCheckpoint`. */
  readonly since: Since;
  /** The first offset of each topic that was not read before, at which a run that is not among `runs` starts. Empty: nothing was read. */
  readonly unread: readonly Offset[];
  readonly incompleteBefore: EpochMs;
  /** The latest end of panes that were lost, as in `UnitCheckpoint`. */
  readonly lostUpTo: EpochMs;
  /** Whether `incompleteBefore` is still to rise. */
  readonly hasGap: boolean;
  /** The time before which lists are left out of all sums. */
  readonly feedbackFrom: EpochMs;
  /** The generation whose rows are to be deleted; undefined: none. */
  readonly replaced: { readonly generation: string; readonly panes: PanesState } | undefined;
}

/** The stored state does not fit the configuration; the message lists what differs and what to do. */
export class StateMismatch extends Error {
  override readonly name = 'StateMismatch';
  readonly exitCode = 2;
  readonly stop: 'configuration' | 'partitions';

  constructor(stop: 'configuration' | 'partitions', message: string) {
    super(message);
    this.stop = stop;
  }
}

/** What the configuration asks of a unit. */
interface Current {
  readonly generation: string;
  readonly fingerprint: Fingerprint;
  readonly partitions: number;
  readonly topicNames?: readonly string[] | undefined;
  readonly runs: readonly RunName[];
  /** Its topics and horizons, of which only the number matters here. */
  readonly join: { readonly topics: readonly unknown[]; readonly horizons: readonly unknown[] };
}

/**
 * Decides how a unit resumes from what is stored. If the meaning of rows has changed, the start is refused or begins a new
 * generation at the replay offsets of the old one. A part that was only added starts empty, and windows lack it until it has filled them.
 * A run that is no longer configured ends only if that is permitted; it is kept for a while, and goes on if it is configured again.
 * @throws StateMismatch, and a CheckpointError for a state that cannot come from the configuration under which it was stored
 */
export function resume(stored: UnitCheckpoint | undefined, current: Current, permissions: Permissions): Resumed {
  if (stored === undefined) {
    return {
      generation: current.generation,
      join: undefined,
      panes: undefined,
      runs: [],
      expired: [],
      since: {},
      unread: [],
      incompleteBefore: Number.NEGATIVE_INFINITY,
      lostUpTo: Number.NEGATIVE_INFINITY,
      hasGap: true,
      feedbackFrom: Number.NEGATIVE_INFINITY,
      replaced: undefined,
    };
  }
  mustBeOf(stored.topicNames, current.topicNames);
  const unread = stored.join.topics.map((topic) => topic.committed);
  if (stored.partitions !== current.partitions && !permissions.acceptPartitions) {
    throw new StateMismatch(
      'partitions',
      `the topics have ${current.partitions} partitions, the stored state was built with ${stored.partitions}: ` +
        (current.partitions < stored.partitions ? FEWER_PARTITIONS : MORE_PARTITIONS),
    );
  }
  const isChanged = stored.fingerprint.shape !== current.fingerprint.shape;
  const { damaged } = permissions;
  const isRebuilt = damaged !== undefined && 'generation' in damaged && damaged.generation === stored.generation;
  if (isChanged && !permissions.newGeneration) {
    throw changed(changedSettings(stored.fingerprint, current.fingerprint));
  }
  if (isChanged || isRebuilt) {
    const isFromEarliest = isRebuilt || permissions.newGeneration === 'earliest';
    if (!isFromEarliest) mustHaveTopics(stored, current);
    return {
      generation: generationName(
        parseGeneration(stored.generation).number + 1,
        parseGeneration(current.generation).hasChecksums,
      ),
      join: isFromEarliest ? undefined : fromReplayOffsets(stored, current),
      panes: undefined,
      ...runsAfter(stored, []),
      since: {},
      unread: isFromEarliest ? [] : unread,
      incompleteBefore: Number.NEGATIVE_INFINITY,
      lostUpTo: Number.NEGATIVE_INFINITY,
      hasGap: true,
      feedbackFrom: isFromEarliest ? Number.NEGATIVE_INFINITY : stored.feedbackFrom,
      replaced: { generation: stored.generation, panes: stored.panes },
    };
  }
  mustFit(stored, current);
  const ending = endingRuns(stored, current.runs);
  if (ending.length > 0 && !permissions.restartExperiments) {
    throw new StateMismatch('configuration', `${endsText(ending.map(({ name }) => name))}. ${RESTART_ADVICE}`);
  }
  const { watermark } = stored.join;
  const hasMore = stored.partitions !== current.partitions;
  return {
    generation: stored.generation,
    join: stored.join,
    panes: stored.panes,
    ...runsAfter(stored, current.runs),
    since: laterParts(stored, current.fingerprint),
    unread,
    // Lists that closed up to the watermark may lack records of the added partitions; later ones have not closed yet.
    incompleteBefore: hasMore ? Math.max(stored.incompleteBefore, watermark) : stored.incompleteBefore,
    lostUpTo: stored.lostUpTo,
    hasGap: stored.hasGap,
    feedbackFrom: stored.feedbackFrom,
    replaced: undefined,
  };
}

/** @throws StateMismatch if what is stored was counted from other logs, whose offsets mean nothing in these */
function mustBeOf(stored: readonly string[] | undefined, current: readonly string[] | undefined): void {
  if (stored === undefined || current === undefined || stored.join() === current.join()) return;
  throw new StateMismatch(
    'configuration',
    `what is stored in this namespace was counted from the topics ${stored.join(', ')}, and kafka.topics names ${current.join(', ')}: ` +
      'the offsets of one log mean nothing in another. Two services must not share a namespace: take another namespace and kafka.groupId, or ' +
      'name the same topics in the same order',
  );
}

/** The runs that go on in the stored state, but would end under this configuration. */
export function endingRuns({ runs }: Pick<UnitCheckpoint, 'runs'>, current: readonly RunName[]): readonly RunState[] {
  return runs.filter((state) => state.ended === undefined && !current.some(isRun(state)));
}

export function endsText(names: readonly string[]): string {
  return `the configuration ends the run of ${names.length === 1 ? 'the experiment' : 'the experiments'} ${names.join(', ')}`;
}

export const RESTART_ADVICE =
  'Set back what differs, or start once with --restart-experiments: the experiment then begins at zero, or goes on where it was if it ran ' +
  'with these settings in the week before. Lists that are open at the switch count in neither run. What it has found so far is kept for a ' +
  'week: receval compare --earlier shows it, and it goes on if the configuration is set back';

/** The runs from now on, those that end marked as ended, and apart from them the runs that ended too long ago to be kept. */
function runsAfter(
  { runs, generation, join }: UnitCheckpoint,
  current: readonly RunName[],
): Pick<Resumed, 'runs' | 'expired'> {
  const after = runs.map((state): RunState => {
    const { ended, ...run } = state;
    if (!current.some(isRun(state))) return { ...state, ended: ended ?? { at: join.watermark, generation } };
    // A run of another generation stays as it is: its rows mean something else.
    if (ended === undefined || ended.generation !== generation) return state;
    // Lists that were accepted while the run had ended are not part of it.
    return { ...run, begins: join.topics.map((topic) => topic.committed) };
  });
  const isOver = ({ ended }: RunState): boolean => ended !== undefined && ended.at + KEPT_AFTER_END <= join.watermark;
  return { runs: after.filter((state) => !isOver(state)), expired: after.filter(isOver) };
}

/** From when on each later part is in the rows: from the watermark, as later impressions have not closed yet. */
function laterParts({ fingerprint, since, join }: UnitCheckpoint, current: Fingerprint): Since {
  const added = missingFromPanes(fingerprint, current);
  const kept = Object.entries(since).filter(([part]) => hasPart(current, part));
  return Object.fromEntries([...kept, ...added.map((part) => [part, join.watermark] as const)]);
}

const MORE_PARTITIONS =
  'keys that go to one partition now went to another before. To continue, stop all workers, and start one once with ' +
  '--accept-partitions: windows are then marked incomplete until they no longer reach back to the change';

const FEWER_PARTITIONS =
  'Kafka takes none away, so these are other topics, or were created again. Correct kafka.topics, or take another namespace and kafka.groupId';

/** A new generation goes on from an offset of each topic, so there must be as many topics as there were. */
function mustHaveTopics({ join }: Pick<UnitCheckpoint, 'join'>, current: Pick<Current, 'join'>): void {
  const [before, now] = [join.topics.length, current.join.topics.length];
  if (before === now) return;
  throw new StateMismatch(
    'configuration',
    `the stored state is that of ${before} topics, and kafka.topics names ${now}: --new-generation goes on from where each topic is, ` +
      'and does not know which of them are which. Set kafka.topics back, or start once with --new-generation --from earliest, which counts ' +
      'again what Kafka still holds',
  );
}

/** Rejects stored numbers of topics and horizons that the same settings cannot have given. */
function mustFit({ join: { topics, counts } }: Pick<UnitCheckpoint, 'join'>, current: Pick<Current, 'join'>): void {
  const { topics: ours, horizons } = current.join;
  if (topics.length !== ours.length) throw damagedCheckpoint(`topics: expected ${ours.length}, found ${topics.length}`);
  const late = counts[0].impressions.late.length;
  if (late !== horizons.length) throw damagedCheckpoint(`counts: expected ${horizons.length} horizons, found ${late}`);
}

/**
 * A join that reads the same logs from the replay offsets on, with nothing judged. The replay offsets of feedback are later in event
 * time than those of impressions, so lists that had closed are read again without their feedback. What is below a replay offset is
 * therefore a gap, unless nothing valid precedes it.
 */
function fromReplayOffsets({ join, fingerprint }: UnitCheckpoint, current: Current): JoinCheckpoint {
  const [before, now] = [horizonsOf(fingerprint), horizonsOf(current.fingerprint)];
  const late = (counted: readonly number[]): number[] =>
    current.join.horizons.map((_, h) => counted[before.indexOf(now[h])] ?? 0);
  return {
    watermark: Number.NEGATIVE_INFINITY,
    topics: join.topics.map(({ undecodable: _, clockBlocks: __, ...topic }) => ({
      ...topic,
      committed: topic.replay,
      clockDrops: [],
      hasGap: true as const,
      ...(topic.replayWatermark === Number.NEGATIVE_INFINITY ? {} : { isBeginning: true as const }),
    })),
    // Counts of late events go on for each horizon that is still configured.
    counts: join.counts.map(({ impressions, feedback, ...more }) => ({
      ...more,
      impressions: { ...impressions, late: late(impressions.late) },
      feedback: { ...feedback, late: late(feedback.late) },
    })),
  };
}

function changed(lines: readonly string[]): StateMismatch {
  return new StateMismatch(
    'configuration',
    `the configuration gives rows another meaning than the stored ones have:\n${lines.map((line) => `  ${line}`).join('\n')}\n` +
      'Set these back, or stop all workers and start one once with --new-generation: rows then start empty. ' +
      'With --new-generation --from earliest they are counted again from the earliest record that Kafka still holds',
  );
}
