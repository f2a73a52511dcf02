import { storedCheckpoint, type UnitCheckpoint } from '../accumulators/store/checkpoint-codec.ts';
import { CheckpointError, readKey } from '../accumulators/store/json.ts';
import { unitKeys } from '../accumulators/store/layout.ts';
import type { Store } from '../accumulators/store/store-port.ts';
import type { Settings } from '../config/settings.ts';
import { type Asking, type Unreadable, unreadableText } from '../consumers/source/kafka/flow/brokers.ts';
import { fingerprint } from '../unit/fingerprint.ts';
import { type Damage, type Permissions, resume, StateMismatch } from '../unit/resume.ts';
import { assertNever, type DurationMs } from '../vocabulary/events.ts';
import { STATE_LOST_ADVICE } from '../worker/status.ts';
import { neededRetention, retentionFinding } from './doctor-topics.ts';
import { type EndingRun, endingText, endingToo, runNames } from './ending-runs.ts';
import { WHOLE } from './service-settings.ts';

/** The service must not start; the message says what to do. */
export class StartRefused extends Error {
  override readonly name = 'StartRefused';
  readonly exitCode = 2;
}

/** Checks that this user may read what a worker reads. @throws StartRefused */
export function checkReadable(unreadable: readonly Unreadable[], connection: Asking): void {
  if (unreadable.length === 0) return;
  throw new StartRefused(unreadable.map((one) => unreadableText(one, connection)).join('\n'));
}

/** Checks that every topic exists and that all have the same number of partitions. Returns this number. @throws StartRefused */
export function checkPartitions(settings: Settings, counts: readonly number[]): number {
  const topics = settings.kafka.topics.map((topic, i) => ({ name: topic.name, partitions: counts[i] ?? 0 }));
  const missing = topics.filter((topic) => topic.partitions === 0).map((topic) => topic.name);
  if (missing.length > 0) {
    throw new StartRefused(
      `there is no topic ${missing.join(', ')} on ${settings.kafka.brokers.join(', ')}: create it with as many partitions as the others, or correct kafka.topics`,
    );
  }
  if (new Set(counts).size > 1) {
    throw new StartRefused(
      `the topics differ in their number of partitions (${topics.map((t) => `${t.name} ${t.partitions}`).join(', ')}): ` +
        'an impression and its feedback must be in the same partition, so give all topics the same number',
    );
  }
  return counts[0];
}

/**
 * For the log of a worker that counted `expected` partitions of each topic at its start: the topics that have another number now,
 * and what to do; undefined: there are none.
 */
export function changedPartitions(
  { brokers, topics }: { readonly brokers: readonly string[]; readonly topics: readonly { readonly name: string }[] },
  counts: readonly number[],
  expected: number,
): string | undefined {
  const changed = topics
    .map(({ name }, i) => ({ name, partitions: counts[i] ?? 0 }))
    .filter(({ partitions }) => partitions !== expected);
  if (changed.length === 0) return undefined;
  const gone = changed.filter(({ partitions }) => partitions === 0);
  if (gone.length > 0) {
    return (
      `there is no topic ${gone.map(({ name }) => name).join(', ')} on ${brokers.join(', ')} any more: it was deleted. Create it again ` +
      `with ${partitionsOf(expected)}, or correct kafka.topics, and restart. If records of it were counted, the new topic is another ` +
      'log: take another namespace and kafka.groupId for it, too'
    );
  }
  const now = changed.map(({ name, partitions }) => `${name} has ${partitions}`).join(', ');
  const found = `each topic had ${partitionsOf(expected)} at the start, and now ${now}`;
  if (changed.some(({ partitions }) => partitions < expected)) {
    return (
      `${found}: a topic with fewer was deleted and created again. Give all topics the same number, take another namespace and ` +
      'kafka.groupId, and restart'
    );
  }
  return (
    `${found}: keys may go to other partitions than before. Give all topics the same number, stop all workers, and start one once ` +
    'with --accept-partitions'
  );
}

function partitionsOf(count: number): string {
  return `${count} partition${count === 1 ? '' : 's'}`;
}

/**
 * Checks that every topic keeps its records as long as they may be needed, if this is known. `kept`: one for each topic;
 * undefined: without limit, or unknown. @throws StartRefused
 */
export function checkRetention(settings: Settings, kept: readonly (DurationMs | undefined)[]): void {
  const needed = neededRetention(settings);
  const short = settings.kafka.topics.flatMap(({ name }, t) => {
    const duration = kept[t];
    return duration === undefined || duration >= needed ? [] : [retentionFinding(needed, name, duration).message];
  });
  if (short.length > 0) throw new StartRefused(`${short.join('\n')}, or choose shorter horizons`);
}

/** The stored checkpoints, by partition. */
export interface StoredUnits {
  /** undefined: nothing is stored for the partition, or it is unreadable. */
  readonly stored: readonly (UnitCheckpoint | undefined)[];
  /** Partitions whose checkpoint is damaged. This stops only their own units. */
  readonly unreadable: ReadonlySet<number>;
}

/** Reads the checkpoint of each unit. Rejects with a CheckpointError for an unknown format. */
export async function readCheckpoints(store: Store, namespace: string, partitions: number): Promise<StoredUnits> {
  const units = unitKeys(namespace, partitions);
  const hashes = await store.read(units);
  const unreadable = new Set<number>();
  const stored = hashes.map((fields, partition) => {
    try {
      return readKey(units[partition], () => storedCheckpoint(fields));
    } catch (error) {
      if (!(error instanceof CheckpointError) || error.stop !== 'damaged') throw error;
      unreadable.add(partition);
      return undefined;
    }
  });
  return { stored, unreadable };
}

/** What was read of the stored state besides its checkpoints; default: nothing ends, and nothing is damaged. */
interface StoredFacts {
  /** The result of `readEndingRuns`. */
  readonly ending?: readonly EndingRun[];
  /** The damage of each damaged partition. */
  readonly damaged?: ReadonlyMap<number, Damage>;
  /** The field of `StoredUnits`. */
  readonly unreadable?: ReadonlySet<number> | undefined;
}

/**
 * Checks that the stored state fits the configuration, or that the difference was permitted, and that it was not lost: a group
 * that has committed offsets must have its state. @throws StateMismatch, StartRefused
 */
export function checkStored(
  settings: Settings,
  stored: readonly (UnitCheckpoint | undefined)[],
  committedByGroup: readonly (readonly number[])[],
  permissions: Permissions & { readonly rebuild: boolean },
  { ending = [], damaged = new Map(), unreadable = new Set() }: StoredFacts = {},
): void {
  const runs = runNames(settings);
  const current = {
    generation: WHOLE.generation,
    fingerprint: fingerprint(settings),
    partitions: stored.length,
    topicNames: settings.kafka.topics.map(({ name }) => name),
    runs,
    join: { topics: settings.kafka.topics, horizons: settings.attribution.horizons },
  };
  // Runs that would end are reported together with what they hold, if nothing else prevents the start.
  try {
    for (const checkpoint of stored) resume(checkpoint, current, { ...permissions, restartExperiments: true });
  } catch (error) {
    if (!(error instanceof StateMismatch) || error.stop !== 'configuration' || ending.length === 0) throw error;
    throw new StateMismatch(error.stop, `${error.message}\n${endingToo(ending)}`);
  }
  const there = stored.filter((one) => one !== undefined);
  if (permissions.rebuild && there.length === stored.length && damaged.size === 0) throw new StartRefused(NOTHING_LOST);
  const isSame = there.every((one) => one.fingerprint.shape === current.fingerprint.shape);
  if (permissions.newGeneration === 'earliest' && there.length > 0 && isSame) throw new StartRefused(NOTHING_CHANGED);
  if (ending.length > 0 && isSame && !permissions.restartExperiments) throw new StartRefused(endingText(ending));
  if (permissions.rebuild) return;
  const lost = stored.flatMap((checkpoint, partition) =>
    checkpoint === undefined && !unreadable.has(partition) && wasRead(committedByGroup, partition) ? [partition] : [],
  );
  if (lost.length === 0) return;
  throw new StartRefused(
    `the group ${settings.kafka.groupId} has committed offsets for partition ${lost.join(', ')}, but ` +
      `the namespace "${settings.namespace}" in Redis holds no state for it: the state was lost, or redis.url or namespace is ` +
      `not the right one. A new namespace needs a new kafka.groupId, too. Else ${STATE_LOST_ADVICE}`,
  );
}

const COUNT_AGAIN =
  'To count again under the same settings what Kafka still holds, take a new namespace and a new kafka.groupId, or stop all workers, ' +
  'delete what is stored in the namespace (docs/operations.md, "Recovery"), and start one once with --rebuild';

const NOTHING_LOST =
  '--rebuild counts lost state again, and of no partition is the state lost or damaged: nothing was done. Start without it to go on where the ' +
  'workers were. After a change of settings that gives rows another meaning, start with --new-generation --from earliest instead. ' +
  COUNT_AGAIN;

const NOTHING_CHANGED =
  '--new-generation --from earliest counts again after a change of settings that gives rows another meaning, and all that is stored ' +
  `has that of this configuration: nothing was done. Start without these flags to go on where the workers were. ${COUNT_AGAIN}`;

/**
 * Whether the group has read this partition before: if nothing is stored for it, its state was lost. `committedByGroup`: by
 * topic, then partition.
 */
export function wasRead(committedByGroup: readonly (readonly number[])[], partition: number): boolean {
  return committedByGroup.some((topic) => isMark(topic[partition]));
}

/**
 * -1: never committed. Kafka's client writes -2 for an offset out of range, which also shows that the group has read
 * (specification: faults K13).
 */
function isMark(offset: number | undefined): boolean {
  return offset !== undefined && offset !== -1;
}

/** Why an exporter is not ready although it runs: empty gauges would look like a shop without visitors. Empty if something is stored. */
export function emptiness(namespace: string, nothingStored: 'not yet' | 'no more' | undefined): readonly string[] {
  switch (nothingStored) {
    case undefined:
      return [];
    case 'not yet':
      return [
        `nothing is stored in the namespace "${namespace}": no worker has committed yet, or what was stored is gone; /readyz of the workers says which`,
      ];
    case 'no more':
      return [`what was stored in the namespace "${namespace}" is gone from Redis: ${STATE_LOST_ADVICE}`];
    default:
      return assertNever(nothingStored);
  }
}
