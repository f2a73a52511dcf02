import { CheckpointError, decodeCheckpoint, type UnitCheckpoint } from '../accumulators/store/checkpoint.ts';
import { unitKey } from '../accumulators/store/layout.ts';
import type { Fields, Store } from '../accumulators/store/port.ts';
import type { Settings } from '../config/settings.ts';
import type { KafkaAdmin } from '../consumers/source/kafka/access/admin.ts';
import type { Bounds } from '../consumers/source/port.ts';
import type { EpochMs, Offset } from '../vocabulary/events.ts';
import { checkPartitions } from './checks.ts';

/** Where one topic of one unit stands. What is stored is undefined while nobody has committed to the unit. */
export interface TopicOffsets {
  readonly partition: number;
  readonly topic: string;
  /** What the log holds: [start, end). */
  readonly start: Offset;
  readonly end: Offset;
  /** Set while a transaction is open: what stands from here on waits for its end. */
  readonly openFrom: Offset | undefined;
  readonly committed: Offset | undefined;
  readonly replay: Offset | undefined;
  /** Records from the committed offset to the end. */
  readonly lag: number | undefined;
  /** What the Kafka group has committed, as a witness; undefined: nothing. */
  readonly group: Offset | undefined;
  /** Combined watermark of the unit; undefined: it has seen nothing yet. */
  readonly watermark: EpochMs | undefined;
  readonly generation: string | undefined;
  /** The begin of the random token of the unit's owner; undefined: it was never claimed. */
  readonly owner: string | undefined;
}

export class NoSuchPartition extends Error {
  override readonly name = 'NoSuchPartition';
  readonly exitCode = 2;
}

const TOKEN_SHOWN = 8;

/**
 * All units, or one. Reads only. Rejects with a StartRefused for topics that do not fit, with a
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
  const group = await admin.questions.committedBy(settings.kafka.groupId);
  const hashes = await store.read(wanted.map((partition) => unitKey(settings.namespace, partition)));
  const rows = wanted.map((partition, i) =>
    settings.kafka.topics.map(async ({ name }, topic) => {
      const bounds = await admin.questions.bounds(partition, topic);
      return offsetsOf({ partition, name, topic, bounds, hash: hashes[i], witness: group[topic][partition] });
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
  witness,
}: {
  readonly partition: number;
  readonly name: string;
  readonly topic: number;
  readonly bounds: Bounds;
  readonly hash: Fields;
  readonly witness: number | undefined;
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
    group: witness === undefined || witness < 0 ? undefined : witness,
    watermark: watermark === Number.NEGATIVE_INFINITY ? undefined : watermark,
    generation: checkpoint?.generation,
    owner: hash.get('token')?.slice(0, TOKEN_SHOWN),
  };
}

/** What is stored of a unit; undefined: nothing. @throws CheckpointError that names the partition */
export function checkpointOf(hash: Fields, partition: number): UnitCheckpoint | undefined {
  if (!hash.has('format')) return undefined;
  try {
    return decodeCheckpoint(hash);
  } catch (error) {
    if (!(error instanceof CheckpointError)) throw error;
    throw new CheckpointError(`partition ${partition}: ${error.message}`);
  }
}
