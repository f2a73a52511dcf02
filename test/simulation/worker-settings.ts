import { fingerprint } from '../../src/unit/fingerprint.ts';
import { NO_PERMISSIONS } from '../../src/unit/resume.ts';
import type { DurationMs } from '../../src/vocabulary/events.ts';
import type { WorkerSettings } from '../../src/worker/worker-contract.ts';
import { SESSION_MS } from './faults.ts';
import type { SimulatedSettings } from './scenario.ts';
import { configurationOf, MEASURES } from './scoring.ts';

export const NAMESPACE = 'sim';
/** Most by which a clock may be wrong that judges: with more the worker pauses. */
export const CLOCK_ERROR_MS: DurationMs = 30_000;

/** Shorter than that of the service, so that a short history has many looks. */
const LOOK_EVERY_MS: DurationMs = 20_000;

/** Some commits come before their time. */
const COMMIT_BYTES = 20_000;

/** What the product's worker is told of a history. */
export function workerSettings(
  settings: SimulatedSettings,
  { openLimit, stateLimit }: Pick<WorkerSettings, 'openLimit' | 'stateLimit'>,
): WorkerSettings {
  const { join, partitions, panes, experiments, commitInterval, commitsPerSecond, idleAfter, maxSkew } = settings;
  const topics = join.topics.map((_, topic) => `t${topic}`);
  return {
    topics,
    unit: (partition) => ({
      namespace: NAMESPACE,
      partition,
      partitions,
      generation: '1',
      // Ramps are meant.
      permissions: { ...NO_PERMISSIONS, restartExperiments: true },
      fingerprint: fingerprint(configurationOf(join, topics)),
      join,
      panes,
      experiments,
      sources: topics,
    }),
    commitInterval,
    commitsPerSecond,
    commitBytes: COMMIT_BYTES,
    idleAfter,
    outOfOrderness: join.outOfOrderness,
    maxSkew,
    openLimit,
    stateLimit,
    rowLimit: Number.POSITIVE_INFINITY,
    sessionTimeout: SESSION_MS,
    looks: { every: LOOK_EVERY_MS, partitions, measures: MEASURES, unitTimeout: 600_000 },
  };
}
