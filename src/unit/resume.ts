import type { PanesState } from '../accumulators/panes-settings.ts';
import type { RunState } from '../accumulators/runs.ts';
import type { Fingerprint, UnitCheckpoint } from '../accumulators/store/checkpoint-codec.ts';
import { changedSettings, missingParts } from '../accumulators/store/fingerprint-difference.ts';
import type { JoinCheckpoint } from '../vocabulary/checkpoint.ts';
import type { EpochMs, Offset } from '../vocabulary/events.ts';

/** What this start was allowed to do, once (specification: commit 6). */
export interface Permissions {
  readonly newGeneration: boolean;
  readonly acceptPartitions: boolean;
}

export const NO_PERMISSIONS: Permissions = { newGeneration: false, acceptPartitions: false };

/** Where a unit resumes. */
export interface Resumed {
  readonly generation: string;
  /** undefined: from the beginning. */
  readonly join: JoinCheckpoint | undefined;
  /** undefined: rows start empty. */
  readonly panes: PanesState | undefined;
  /** Runs of experiments that were stored; others start now. undefined: none is stored. */
  readonly runs: readonly RunState[] | undefined;
  /** By topic: the first offset that was not read before. There a run starts that is not among `runs`. Empty: nothing was read. */
  readonly unread: readonly Offset[];
  readonly incompleteBefore: EpochMs;
  /** `incompleteBefore` is still to rise. */
  readonly hasGap: boolean;
  /** The generation whose rows are to be deleted; undefined: none. */
  readonly replaced:
    | { readonly generation: string; readonly panes: PanesState; readonly runs: readonly RunState[] }
    | undefined;
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

/**
 * Decides how a unit resumes from what is stored. If the meaning of rows has changed, this is refused, or starts a new
 * generation at the replay offsets of the old one. What was only added starts empty, and windows are incomplete until it has
 * filled them.
 * @throws StateMismatch
 */
export function resume(
  stored: UnitCheckpoint | undefined,
  current: { readonly generation: string; readonly fingerprint: Fingerprint; readonly partitions: number },
  permissions: Permissions,
): Resumed {
  if (stored === undefined) {
    return {
      generation: current.generation,
      join: undefined,
      panes: undefined,
      runs: undefined,
      unread: [],
      incompleteBefore: Number.NEGATIVE_INFINITY,
      hasGap: true,
      replaced: undefined,
    };
  }
  const unread = stored.join.topics.map((topic) => topic.committed);
  if (stored.partitions !== current.partitions && !permissions.acceptPartitions) {
    throw new StateMismatch(
      'partitions',
      `the topics have ${current.partitions} partitions, the stored state was built with ${stored.partitions}: ` +
        (current.partitions < stored.partitions ? FEWER_PARTITIONS : MORE_PARTITIONS),
    );
  }
  if (stored.fingerprint.shape !== current.fingerprint.shape) {
    if (!permissions.newGeneration) throw changed(changedSettings(stored.fingerprint, current.fingerprint));
    return {
      generation: String(Number(stored.generation) + 1),
      join: fromReplayOffsets(stored.join),
      panes: undefined,
      runs: undefined,
      unread,
      incompleteBefore: Number.NEGATIVE_INFINITY,
      hasGap: true,
      replaced: { generation: stored.generation, panes: stored.panes, runs: stored.runs },
    };
  }
  const grown =
    stored.partitions !== current.partitions || missingParts(stored.fingerprint, current.fingerprint).length > 0;
  return {
    generation: stored.generation,
    join: stored.join,
    panes: stored.panes,
    runs: stored.runs,
    unread,
    // What closed up to W lacks what was added; an impression at W or later has not closed yet.
    incompleteBefore: grown ? Math.max(stored.incompleteBefore, stored.join.watermark) : stored.incompleteBefore,
    hasGap: stored.hasGap,
    replaced: undefined,
  };
}

const MORE_PARTITIONS =
  'keys that go to one partition now went to another before. To continue, stop all workers, and start one once with ' +
  '--accept-partitions: windows are then marked incomplete until they no longer reach back to the change';

const FEWER_PARTITIONS =
  'Kafka takes none away, so these are other topics, or were created again. Correct kafka.topics, or take another namespace and kafka.groupId';

/**
 * The same logs from the replay offsets on, with nothing judged. Those of feedback are later than those of impressions, so lists that
 * had closed are read again without their feedback: what is below a replay offset is a gap.
 */
function fromReplayOffsets(join: JoinCheckpoint): JoinCheckpoint {
  return {
    watermark: Number.NEGATIVE_INFINITY,
    topics: join.topics.map(({ undecodable: _, clockBlocks: __, ...topic }) => ({
      ...topic,
      committed: topic.replay,
      clockDrops: [],
      hasGap: true as const,
    })),
    counts: join.counts,
  };
}

function changed(lines: readonly string[]): StateMismatch {
  return new StateMismatch(
    'configuration',
    `the configuration gives rows another meaning than the stored ones have:\n${lines.map((line) => `  ${line}`).join('\n')}\n` +
      'Set these back, or stop all workers and start one once with --new-generation: rows then start empty',
  );
}
