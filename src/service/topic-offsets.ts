import { isLarge } from '../accumulators/admission-state.ts';
import { encodeCheckpoint, storedCheckpoint, type UnitCheckpoint } from '../accumulators/store/checkpoint-codec.ts';
import { CheckpointError } from '../accumulators/store/json.ts';
import { formatOf, unitKey } from '../accumulators/store/layout.ts';
import type { Fields, Store } from '../accumulators/store/store-port.ts';
import type { Settings } from '../config/settings.ts';
import type { KafkaAdmin } from '../consumers/source/kafka/access/admin.ts';
import type { Bounds } from '../consumers/source/source-port.ts';
import type { TopicCheckpoint } from '../vocabulary/checkpoint.ts';
import type { EpochMs, Offset } from '../vocabulary/events.ts';
import { checkPartitions } from './checks.ts';

/** Offsets of one topic of one unit. The stored ones are undefined until the unit is committed for the first time. */
export interface TopicOffsets {
  readonly partition: number;
  readonly topic: string;
  /** Bounds of the log: [start, end). */
  readonly start: Offset;
  readonly end: Offset;
  /** While a transaction is open: records from this offset on wait for its end. */
  readonly openFrom: Offset | undefined;
  readonly committed: Offset | undefined;
  readonly replay: Offset | undefined;
  /** Number of records from the committed offset to the end. */
  readonly lag: number | undefined;
  /** The offset that the Kafka group has committed; undefined: none. */
  readonly group: Offset | undefined;
  /** Combined watermark of the unit; undefined: it has seen no event yet. */
  readonly watermark: EpochMs | undefined;
  readonly generation: string | undefined;
  /** The first characters of the random token of the unit's owner; undefined: it was never claimed. */
  readonly owner: string | undefined;
}

/** A unit, one of its topics, and the offset to read next. */
export interface Skip {
  readonly namespace: string;
  readonly partition: number;
  /** Index of the topic in the configuration. */
  readonly topic: number;
  readonly topicName: string;
  readonly to: Offset;
}

class NoSuchPartition extends Error {
  override readonly name = 'NoSuchPartition';
  readonly exitCode = 2;
}

const TOKEN_SHOWN = 8;

/**
 * Reads the offsets of all units, or of one. Changes nothing. Rejects with a StartRefused for topics that do not fit, with a
 * NoSuchPartition, or with an error of Kafka or Redis.
 */
export async function readOffsets(
  settings: Settings,
  { admin, store }: { readonly admin: KafkaAdmin; readonly store: Store },
  only: number | undefined,
): Promise<readonly TopicOffsets[]> {
  const partitions = checkPartitions(settings, await admin.questions.partitionCounts());
  mustBePartition(only ?? 0, partitions);
  const wanted = only === undefined ? Array.from({ length: partitions }, (_, partition) => partition) : [only];
  const group = await admin.committedBy(settings.kafka.groupId);
  const hashes = await store.read(wanted.map((partition) => unitKey(settings.namespace, partition)));
  const rows = wanted.map((partition, i) =>
    settings.kafka.topics.map(async ({ name }, topic) => {
      const bounds = await admin.questions.bounds(partition, topic);
      return offsetsOf({ partition, name, topic, bounds, hash: hashes[i], committedByGroup: group[topic][partition] });
    }),
  );
  return Promise.all(rows.flat());
}

/** @throws NoSuchPartition */
export function mustBePartition(partition: number, partitions: number): void {
  if (partition < partitions) return;
  throw new NoSuchPartition(
    `there is no partition ${partition}: the topics have ${partitions}, from 0 to ${partitions - 1}`,
  );
}

function offsetsOf({
  partition,
  name,
  topic,
  bounds,
  hash,
  committedByGroup,
}: {
  readonly partition: number;
  readonly name: string;
  readonly topic: number;
  readonly bounds: Bounds;
  readonly hash: Fields;
  readonly committedByGroup: number | undefined;
}): TopicOffsets {
  const checkpoint = checkpointOf(hash, partition);
  const stored = checkpoint?.join.topics[topic];
  const watermark = checkpoint?.join.watermark;
  return {
    partition,
    topic: name,
    start: bounds.start,
    end: bounds.end,
    openFrom: bounds.openFrom,
    committed: stored?.committed,
    replay: stored?.replay,
    lag: stored === undefined ? undefined : Math.max(0, bounds.end - stored.committed),
    group: committedByGroup === undefined || committedByGroup < 0 ? undefined : committedByGroup,
    watermark: watermark === Number.NEGATIVE_INFINITY ? undefined : watermark,
    generation: checkpoint?.generation,
    owner: hash.get('token')?.slice(0, TOKEN_SHOWN),
  };
}

/** The stored checkpoint of a unit; undefined: nothing is stored. @throws CheckpointError that names the partition */
export function checkpointOf(hash: Fields, partition: number): UnitCheckpoint | undefined {
  try {
    return storedCheckpoint(hash);
  } catch (error) {
    if (!(error instanceof CheckpointError)) throw error;
    throw new CheckpointError(`partition ${partition}: ${error.message}`, error.stop);
  }
}

/** The position was not moved; the message says why and what to do. */
export class SkipRefused extends Error {
  override readonly name = 'SkipRefused';
  readonly exitCode = 2;
}

/**
 * A checkpoint that resumes at `offset` in one topic. Earlier records are not read again: those from the committed offset on are
 * skipped, and the open impressions of this topic are discarded. Windows that could miss any of them are incomplete: all panes
 * that start before `until`, a time at or after everything that was skipped or discarded, and before the watermark.
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
    // A lower bound of the topic's own watermark: that of the unit is the minimum over all topics.
    replayWatermark: Math.max(
      one.replayWatermark,
      join.watermark,
      ...one.idleAdvances.filter(({ before }) => before <= offset).map(({ watermark }) => watermark),
    ),
    idleAdvances: one.idleAdvances.filter(({ before }) => before > offset),
    clockDrops: [],
    ...(one.hasGap === true ? { hasGap: true } : {}),
  });
  const topics = join.topics.map((one, t) => (t === topic ? moved(one) : one));
  return {
    ...checkpoint,
    format: formatOf({ topics }, checkpoint, checkpoint.panes.admission.some(isLarge), checkpoint.generation),
    incompleteBefore: Math.max(checkpoint.incompleteBefore, join.watermark, until),
    join: { ...join, topics },
    lastRecords: checkpoint.lastRecords.map((record, t) => (t === topic ? undefined : record)),
  };
}

/** Returns the number of offsets that are skipped. @throws SkipRefused if the new offset is not ahead, or beyond the log */
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
 * Claims the unit, so that a running owner is fenced, and commits the moved position. Returns how many offsets were skipped.
 * Rejects with a SkipRefused, or an error of the store; when that leaves open whether the commit was applied, calling again is
 * safe: it is refused if it was.
 */
export async function commitSkip(
  store: Store,
  skip: Skip,
  deps: {
    readonly bounds: Bounds;
    /** A time at or after everything that is skipped or discarded. */
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
