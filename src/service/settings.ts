import { totalmem } from 'node:os';
import type { Settings } from '../config/settings.ts';
import { createDecoder } from '../consumers/decode/decoder.ts';
import type { Decoder } from '../consumers/decode/record.ts';
import type { KafkaConnection } from '../consumers/source/kafka-settings.ts';
import { fingerprint } from '../fingerprint.ts';
import type { Scorer } from '../measures/contract.ts';
import type { Permissions } from '../resume.ts';
import { decoderLimits, unitShape } from '../unit/settings.ts';
import type { WorkerSettings } from '../worker/contract.ts';

/** Bytes that one open impression may come to, feedback and bookkeeping included (performance.md section 2). */
const BYTES_PER_IMPRESSION = 800;
/** Share of the memory that open state may take. */
const STATE_SHARE = 0.5;
/** Once a minute (statistics.md section 4). */
const LOOK_EVERY_MS = 60_000;
const FOURTEEN_DAYS_MS = 14 * 86_400_000;

/** Where the brokers are, and how to get in. */
export function kafkaConnection({ kafka: { brokers, tls, sasl } }: Settings, clientId: string): KafkaConnection {
  return { brokers, tls, sasl, clientId };
}

/** The worker of the service for topics of this many partitions. */
export function workerSettings(
  settings: Settings,
  scorer: Scorer,
  partitions: number,
  permissions: Permissions,
  hashSeed: number,
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
      generation: '1',
      permissions,
      fingerprint: marks,
      sources: kafka.topics.map((topic) => `${topic.name}:${partition}`),
    }),
    commitInterval: settings.commit.interval,
    idleAfter: attribution.idleAfter,
    outOfOrderness: attribution.outOfOrderness,
    maxSkew: attribution.maxSkew,
    openLimit: openLimit(limits),
    sessionTimeout: kafka.sessionTimeout,
    looks: { every: LOOK_EVERY_MS, partitions, measures: settings.measures, unitTimeout: attribution.unitTimeout },
  };
}

export function serviceDecoders(settings: Settings): readonly Decoder[] {
  return settings.kafka.topics.map(({ role, adapter, tsUnit, positionBase }) =>
    createDecoder({ ...decoderLimits(settings), role, adapter, tsUnit, positionBase }),
  );
}

/** Rows that nobody writes for so long belong to a namespace that was given up. */
export function rowTtl(settings: Settings, scorer: Scorer): number {
  return unitShape(settings, scorer, 0).panes.keepHours + FOURTEEN_DAYS_MS;
}

/** Open impressions that a worker holds at most. */
export function openLimit({ openImpressions }: Settings['limits']): number {
  if (openImpressions !== 'auto') return openImpressions;
  return Math.floor((STATE_SHARE * memoryLimit()) / BYTES_PER_IMPRESSION);
}

/** Bytes that this process may use: the limit of its container, or else what the machine has. */
export function memoryLimit(): number {
  const limit = process.constrainedMemory();
  return limit > 0 && limit < totalmem() ? limit : totalmem();
}
