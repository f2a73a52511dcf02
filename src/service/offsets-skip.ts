import { encodeCheckpoint, type UnitCheckpoint } from '../accumulators/store/checkpoint.ts';
import { formatOf, unitKey } from '../accumulators/store/layout.ts';
import type { Store } from '../accumulators/store/port.ts';
import type { Bounds } from '../consumers/source/port.ts';
import type { TopicCheckpoint } from '../vocabulary/checkpoint.ts';
import type { EpochMs, Offset } from '../vocabulary/events.ts';
import { checkpointOf } from './offsets.ts';

/** The position was not moved; the message says why and what to do. */
export class SkipRefused extends Error {
  override readonly name = 'SkipRefused';
  readonly exitCode = 2;
}

/** Which unit, which of its topics, and the offset that is to be read next. */
export interface Skip {
  readonly namespace: string;
  readonly partition: number;
  /** Index in the configuration's order. */
  readonly topic: number;
  readonly topicName: string;
  readonly to: Offset;
}

/**
 * A checkpoint that goes on at `offset` in one topic. The records before it are not read again: those from the committed offset
 * on are skipped, and what was open in this topic is given up. Windows that could miss any of it are incomplete: all panes that
 * start before `until`, a time at or after everything that was skipped or given up, and before the watermark.
 */
export function skipped(
  checkpoint: UnitCheckpoint,
  topic: number,
  offset: Offset,
  until: EpochMs = Number.NEGATIVE_INFINITY,
): UnitCheckpoint {
  const { join } = checkpoint;
  const moved = (one: TopicCheckpoint): TopicCheckpoint => ({
    committed: offset,
    replay: offset,
    // The least that the topic's own watermark can have been: the unit's is the least of all topics.
    replayWatermark: Math.max(
      one.replayWatermark,
      join.watermark,
      ...one.idleAdvances.filter(({ before }) => before <= offset).map(({ watermark }) => watermark),
    ),
    idleAdvances: one.idleAdvances.filter(({ before }) => before > offset),
    clockDrops: [],
  });
  const topics = join.topics.map((one, t) => (t === topic ? moved(one) : one));
  return {
    ...checkpoint,
    format: formatOf({ topics }),
    incompleteBefore: Math.max(checkpoint.incompleteBefore, join.watermark, until),
    join: { ...join, topics },
    lastRecords: checkpoint.lastRecords.map((record, t) => (t === topic ? undefined : record)),
  };
}

/** How many offsets a skip passes. @throws SkipRefused when it goes back, nowhere, or beyond the log. */
export function recordsSkipped(
  checkpoint: UnitCheckpoint | undefined,
  { partition, topic, topicName, to }: Skip,
  bounds: Bounds,
): number {
  const where = `${topicName}, partition ${partition}`;
  const stored = checkpoint?.join.topics[topic];
  if (stored === undefined) {
    throw new SkipRefused(
      `${where}: nothing is stored of this partition yet, so there is no position to move. Start receval run first; where it ` +
        'begins is start.from',
    );
  }
  if (to <= stored.committed) {
    throw new SkipRefused(
      `${where}: --to ${to} is not above the committed offset ${stored.committed}: what was read already cannot be skipped`,
    );
  }
  if (to > bounds.end) {
    throw new SkipRefused(
      `${where}: --to ${to} is beyond the end of the log, which is ${bounds.end}: records that do not exist yet cannot be skipped`,
    );
  }
  return to - stored.committed;
}

/**
 * Takes the unit over, so that a running owner is fenced, and commits the moved position. Answers how many offsets were passed.
 * Rejects with a SkipRefused, or an error of the store; when that leaves open whether the commit was applied, calling again is
 * safe: it is refused if it was.
 */
export async function commitSkip(
  store: Store,
  skip: Skip,
  deps: {
    readonly bounds: Bounds;
    /** A time at or after everything that is skipped or given up. */
    readonly until: EpochMs;
    readonly newId: () => string;
  },
): Promise<number> {
  const unit = unitKey(skip.namespace, skip.partition);
  const token = deps.newId();
  const claimed = await store.claim(unit, token);
  const checkpoint = claimed.checkpoint === undefined ? undefined : checkpointOf(claimed.checkpoint, skip.partition);
  const records = recordsSkipped(checkpoint, skip, deps.bounds);
  if (checkpoint === undefined) throw new Error('unreachable: a skip without a checkpoint is refused');
  const answer = await store.commit({
    unit,
    token,
    seq: claimed.seq + 1,
    cid: deps.newId(),
    parent: claimed.cid,
    checkpoint: encodeCheckpoint(skipped(checkpoint, skip.topic, skip.to, deps.until)),
    rows: new Map(),
    deletes: [],
  });
  if (answer === 'OK' || answer === 'ALREADY') return records;
  throw new SkipRefused(
    `partition ${skip.partition} was claimed by a worker at the same moment (${answer}): nothing was moved. Stop that worker, then try again`,
  );
}
