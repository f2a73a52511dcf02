import type { Settings } from '../../src/config/settings.ts';
import type { JoinSettings } from '../../src/consumers/join/api.ts';
import { type SimulationSettings, USUAL_FAULTS, USUAL_SETTINGS } from '../../src/simulate/simulation-settings.ts';

export interface ProofParameters {
  /** Records of the simulated traffic, before what is planted beside it. */
  readonly events: number;
  readonly brokers: 1 | 3;
  readonly partitions: number;
  readonly workers: number;
  readonly exporters: number;
  /** Workers ended by SIGKILL. */
  readonly kills: number;
  /** Workers stopped for longer than their session, so that others take over, and then let continue. */
  readonly freezes: number;
  /** Redis ended by SIGKILL and started again over its files. */
  readonly redisRestarts: number;
  readonly seed: number;
  /** Records produced per second. */
  readonly pace: number;
}

/** Impressions first, then feedback in the order of the configuration. */
export const TOPICS: readonly string[] = ['impressions', 'clicks', 'conversions'];
export const NAMESPACE = 'proof';
export const GROUP = 'proof';
/** The longest window: it holds all of the traffic. */
export const WHOLE = '24h';
/** Short, so that a worker that was killed is soon missed. */
export const SESSION_MS = 10_000;
const WINDOW_MS = 900_000;
const SPAN_MS = 7_200_000;
const FAR_ENOUGH_MS = 5_400_000;

/** What is left out. */
const BOTS = { '/bot': { exists: true } };

/**
 * The configuration of all processes, as JSON, which is YAML too. Lists in it are short, so that limits are met. A machine that is
 * busy must not be silent for as long as `idleAfter` while traffic is still written.
 */
export function configuration(brokers: readonly string[], redisUrl: string, idleAfter = '30s'): string {
  return JSON.stringify({
    namespace: NAMESPACE,
    kafka: {
      brokers,
      groupId: GROUP,
      sessionTimeout: `${SESSION_MS}ms`,
      topics: {
        impressions: { name: TOPICS[0], drop: BOTS },
        feedback: [TOPICS[1], TOPICS[2]].map((name) => ({ name, drop: BOTS })),
      },
    },
    redis: { url: redisUrl },
    attribution: { horizons: ['1m', '5m', '15m'], idleAfter },
    limits: { feedbackPerImpression: 3 },
    measures: ['mrr', 'precision@5', 'ndcg@10', 'recall@10', 'ap@10', 'ctr@10'],
    windows: ['1h', WHOLE],
    // The longest holds all of the traffic, and so reaches back before it.
    incompleteWindows: 'show',
    cohorts: [[], ['variant'], ['variant', 'country']],
  });
}

/**
 * Two hours of traffic that ended long ago: nothing in it is of the future, and no topic is taken to be silent while it is
 * written, but when it has ended, silence closes everything.
 */
export function simulation({ events, seed }: ProofParameters, now: number): SimulationSettings {
  return {
    ...USUAL_SETTINGS,
    seed,
    events,
    rate: (1000 * events) / SPAN_MS,
    start: now - SPAN_MS - FAR_ENOUGH_MS,
    window: WINDOW_MS,
    faults: { ...USUAL_FAULTS, late: 0.004, duplicate: 0.004, orphan: 0.003 },
  };
}

/** What the plain reference needs to know of the configuration. */
export type ReferenceSettings = Pick<
  Settings,
  'attribution' | 'cohorts' | 'grading' | 'kafka' | 'limits' | 'measures' | 'statistics'
>;

export function joinSettings({ attribution, kafka, limits }: ReferenceSettings): JoinSettings {
  return {
    topics: kafka.topics.map(({ role }) => role),
    horizons: attribution.horizons.map(({ ms }) => ms),
    outOfOrderness: attribution.outOfOrderness,
    backward: attribution.backward,
    futureSkew: attribution.futureSkew,
    feedbackPerImpression: limits.feedbackPerImpression,
    actions: [],
  };
}
