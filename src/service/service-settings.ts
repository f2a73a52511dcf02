import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { generationName } from '../accumulators/store/generation.ts';
import { ConfigError } from '../config/problems.ts';
import type { Settings } from '../config/settings.ts';
import { MOST_STATE_BYTES } from '../config/simple.ts';
import { createDecoder, type Decoder } from '../consumers/decode/decoder.ts';
import type { KafkaConnection } from '../consumers/source/kafka/access/kafka-settings.ts';
import type { Scorer } from '../measures/scorer-contract.ts';
import { fingerprint } from '../unit/fingerprint.ts';
import type { Damage, Permissions } from '../unit/resume.ts';
import { decoderLimits, hoursKept, unitShape } from '../unit/unit-settings.ts';
import { DAY } from '../vocabulary/durations.ts';
import { stateWithin } from '../worker/memory-load.ts';
import type { WorkerSettings } from '../worker/worker-contract.ts';

/** Share of V8's heap that rows may take. */
const ROW_SHARE = 0.5;
/** Looks are taken once a minute (specification: statistics 4.3). */
const LOOK_EVERY_MS = 60_000;
const FOURTEEN_DAYS_MS = 14 * DAY;

/** Addresses of the brokers, and how to authenticate. */
export function kafkaConnection({ kafka: { brokers, tls, sasl } }: Settings, clientId: string): KafkaConnection {
  return { brokers, tls, sasl, clientId };
}

/** What decides how units begin. */
export interface Begun {
  /** For each damaged partition its damage; it is counted again. */
  readonly damaged: ReadonlyMap<number, Damage>;
  /** Generation of units without stored state: the first if nothing at all is stored, else the second of the start, as a lost unit may have left rows. */
  readonly generation: string;
}

/** Where nothing is lost. */
export const WHOLE: Begun = { damaged: new Map(), generation: generationName(1, true) };

/** The worker of the service for topics of this many partitions. */
export function workerSettings(
  settings: Settings,
  scorer: Scorer,
  partitions: number,
  permissions: Permissions,
  hashSeed: number,
  { damaged, generation } = WHOLE,
): WorkerSettings {
  const { attribution, kafka, limits } = settings;
  const shape = unitShape(settings, scorer, hashSeed);
  const marks = fingerprint(settings);
  return {
    topics: kafka.topics.map((topic) => topic.name),
    unit: (partition) => ({
      ...shape,
      namespace: settings.namespace,
      partition,
      partitions,
      topicNames: kafka.topics.map((topic) => topic.name),
      generation,
      permissions: { ...permissions, damaged: damaged.get(partition) },
      fingerprint: marks,
      sources: kafka.topics.map((topic) => `${topic.name}:${partition}`),
    }),
    commitInterval: settings.commit.interval,
    commitsPerSecond: settings.commit.perSecond,
    idleAfter: attribution.idleAfter,
    outOfOrderness: attribution.outOfOrderness,
    maxSkew: attribution.maxSkew,
    openLimit: openLimit(limits),
    stateLimit: stateLimit(limits),
    rowLimit: rowLimit(),
    sessionTimeout: kafka.sessionTimeout,
    looks: { every: LOOK_EVERY_MS, partitions, measures: settings.measures, unitTimeout: attribution.unitTimeout },
  };
}

/** The decoder of each topic. @throws ConfigError if the records of a topic are rows of one item each */
export function serviceDecoders(settings: Settings): readonly Decoder[] {
  return settings.kafka.topics.map(({ role, name, adapter, tsUnit, timeZone, positionBase, drop }) => {
    if (typeof adapter === 'object' && 'list' in adapter) {
      const message = `rows of one item each are read from files only: write whole lists to the topic "${name}", and set its adapter under kafka.topics`;
      throw new ConfigError([{ path: 'inputs.impressions.adapter.list', message }]);
    }
    return createDecoder({ ...decoderLimits(settings), role, adapter, tsUnit, timeZone, positionBase, drop });
  });
}

/** Time to live of rows: after this time without a write, their namespace was abandoned. */
export function rowTtl(settings: Settings): number {
  return hoursKept(settings) + FOURTEEN_DAYS_MS;
}

/** Most open impressions of a worker; Infinity: only bytes are limited. */
export function openLimit({ openImpressions }: Settings['limits']): number {
  return openImpressions === 'auto' ? Number.POSITIVE_INFINITY : openImpressions;
}

/** Most bytes of state of a worker. */
export function stateLimit({ stateBytes }: Settings['limits']): number {
  return stateBytes === 'auto' ? Math.min(stateWithin(memoryLimit()), MOST_STATE_BYTES) : stateBytes;
}

/** Most bytes of a worker's state in V8's heap, which --max-old-space-size bounds. The rest of its state is outside of that heap. */
function rowLimit(): number {
  return Math.floor(ROW_SHARE * getHeapStatistics().heap_size_limit);
}

/** Bytes that this process may use: the limit of its container, or else the machine's memory. */
export function memoryLimit(): number {
  const limit = process.constrainedMemory();
  return limit > 0 && limit < totalmem() ? limit : totalmem();
}
