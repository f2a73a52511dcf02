import type { Settings } from '../config/settings.ts';
import { createDecoder } from '../consumers/decode/decoder.ts';
import type { Decoder } from '../consumers/decode/record.ts';
import type { Scorer } from '../measures/contract.ts';
import { NO_PERMISSIONS } from '../unit/resume.ts';
import { decoderLimits, unitShape } from '../unit/settings.ts';
import type { WorkerSettings } from '../worker/contract.ts';

/** What the simulated shop writes to, whatever the configuration says of Kafka. */
export const TOPICS = ['impressions', 'feedback'] as const;
export const PARTITIONS = 2;

const ROLES = TOPICS.map((topic) => ({ impressions: topic === 'impressions', feedback: topic === 'feedback' }));
/** Traffic comes in portions, so silence is only what lasts longer than these: in real time. */
const LEAST_IDLE_MS = 2000;

/** The worker of the demo. Its clock runs `speed` times as fast, so what is meant in real time is as much longer. */
export function workerSettings(settings: Settings, speed: number, scorer: Scorer, hashSeed: number): WorkerSettings {
  const { attribution, commit, measures, namespace } = settings;
  const shape = unitShape(settings, scorer, hashSeed);
  return {
    topics: TOPICS,
    unit: (partition) => ({
      ...shape,
      namespace,
      partition,
      partitions: PARTITIONS,
      generation: '1',
      permissions: NO_PERMISSIONS,
      fingerprint: { shape: '', additive: '' },
      join: { ...shape.join, topics: ROLES },
      sources: TOPICS.map((topic) => `${topic}:${partition}`),
    }),
    commitInterval: commit.interval * speed,
    idleAfter: Math.max(attribution.idleAfter, LEAST_IDLE_MS * speed),
    outOfOrderness: attribution.outOfOrderness,
    maxSkew: attribution.maxSkew,
    openLimit: Number.POSITIVE_INFINITY,
    stateLimit: Number.POSITIVE_INFINITY,
    rowLimit: Number.POSITIVE_INFINITY,
    sessionTimeout: 30_000,
    looks: { every: 60_000, partitions: PARTITIONS, measures, unitTimeout: attribution.unitTimeout },
  };
}

/** One per topic. */
export function decoders(settings: Settings): readonly Decoder[] {
  const form = { adapter: 'canonical', tsUnit: 'ms', positionBase: 1 } as const;
  return ROLES.map((role) => createDecoder({ ...decoderLimits(settings), ...form, role }));
}
