import { setImmediate as nextTurn } from 'node:timers/promises';
import { MemoryStore } from '../accumulators/store/memory-store.ts';
import type { Settings } from '../config/settings.ts';
import { createDecoder, type Decoder } from '../consumers/decode/decoder.ts';
import { MemoryLog, MemorySource } from '../consumers/source/memory-source.ts';
import { Exporter } from '../exporter/exporter.ts';
import type { CohortHistory, HistoryQuestion, QualitySnapshot } from '../exporter/exporter-contract.ts';
import { isUndirected } from '../measures/direction.ts';
import { compile } from '../measures/scorer.ts';
import type { Scorer } from '../measures/scorer-contract.ts';
import { type RegressionSettings, USUAL_SETTINGS, type VariantSettings } from '../simulate/simulation-settings.ts';
import { Traffic } from '../simulate/traffic.ts';
import { NO_PERMISSIONS } from '../unit/resume.ts';
import { type ListSamples, samplesOf } from '../unit/samples.ts';
import { decoderLimits, unitShape, withPositions } from '../unit/unit-settings.ts';
import { type Clock, WallClock } from '../vocabulary/clock.ts';
import { MINUTE } from '../vocabulary/durations.ts';
import type { EpochMs } from '../vocabulary/events.ts';
import { fmix32, fnv1a32 } from '../vocabulary/user-words.ts';
import type { WorkerStatus } from '../worker/status.ts';
import { Worker } from '../worker/worker.ts';
import type { WorkerDeps, WorkerLog, WorkerSettings } from '../worker/worker-contract.ts';

interface DemoOptions {
  /** The settings, with the shop's experiment. */
  readonly settings: Settings;
  readonly seed: number;
  /** Simulated seconds per second. */
  readonly speed: number;
  /** Event time at the start. */
  readonly start: EpochMs;
  readonly newId: () => string;
  /** Seed of the join's hashes: random for each process, so that nobody can choose ids that collide. No result depends on it. */
  readonly hashSeed: number;
  readonly log: WorkerLog;
  readonly onClaim: WorkerDeps['onClaim'];
}

/** Number of lists that the page shows one by one. */
const USUAL_SAMPLES = 50;

const PUMP_EVERY_MS = 50;
/** Records to append before yielding to the event loop, so that a machine that falls behind still serves its page. */
const PUMP_RECORDS = 1000;

/** The usual shop has too few users and lists to show that two equal variants are equal. */
const TRAFFIC = { users: 20_000, rate: 60 } as const;
/** The speed for which the schedule is made. At a higher speed the regression comes sooner in real time, not later in event time. */
const USUAL_SPEED = 60;

/** The topics of the simulated shop, whatever the configuration says about Kafka. */
const TOPICS = ['impressions', 'feedback'] as const;

const PARTITIONS = 2;
const ROLES = TOPICS.map((topic) => ({ impressions: topic === 'impressions', feedback: topic === 'feedback' }));

/** Traffic arrives in batches, so only a longer pause in real time counts as silence. */
const LEAST_IDLE_MS = 2000;

/** Both are equally good, so that they differ only by the regression. The first is the control. */
const SHOP_VARIANTS: readonly VariantSettings[] = [
  { name: 'control', weight: 0.5, quality: 0.65 },
  { name: 'treatment', weight: 0.5, quality: 0.65 },
];

/** When the treatment's ranking breaks: soon enough to wait for, late enough to have a past to compare with. */
export function scheduledRegression(start: EpochMs, speed: number): RegressionSettings {
  const pace = MINUTE * Math.min(speed, USUAL_SPEED);
  const from = start + Math.max(15 * MINUTE, 1.5 * pace);
  return { variant: 'treatment', from, to: from + Math.max(15 * MINUTE, pace), share: 0.8 };
}

/**
 * Runs everything in one process with nothing installed: a simulated shop writes to a log in memory, the worker of the service
 * joins, scores and commits to a store in memory, and the exporter reads its windows. Time passes `speed` times as fast.
 */
export class Demo {
  readonly clock: Clock;
  readonly regression: RegressionSettings;
  /** The configured samples. */
  readonly samples: ListSamples | undefined;
  readonly #options: DemoOptions;
  readonly #traffic: Traffic;
  readonly #log = new MemoryLog(TOPICS.length, PARTITIONS);
  readonly #worker: Worker;
  readonly #exporter: Exporter;
  #isStopped = false;

  constructor(options: DemoOptions) {
    const { settings, speed, start, newId, hashSeed } = options;
    this.#options = options;
    this.clock = new WallClock(speed, start);
    this.regression = scheduledRegression(start, speed);
    this.#traffic = new Traffic({
      ...USUAL_SETTINGS,
      ...TRAFFIC,
      variants: SHOP_VARIANTS,
      seed: options.seed,
      events: Number.POSITIVE_INFINITY,
      start,
      regression: this.regression,
    });
    const store = new MemoryStore();
    const scorer = compile(settings.measures, settings.grading, settings.itemFile);
    this.samples = samplesOf(settings, scorer, newId());
    this.#worker = new Worker(workerSettings(settings, speed, scorer, hashSeed), {
      source: new MemorySource(this.#log),
      store,
      scorer,
      newId,
      clock: this.clock,
      decoders: () => decoders(settings),
      log: options.log,
      onClaim: options.onClaim,
      samples: this.samples,
      startOffset: async () => 0,
    });
    this.#exporter = new Exporter(settings, {
      store,
      namespace: settings.namespace,
      partitions: PARTITIONS,
      hashSeed,
    });
  }

  /** Runs until `stop`. */
  async run(): Promise<void> {
    const { speed } = this.#options;
    const stopPump = this.clock.every(PUMP_EVERY_MS * speed, () => this.#pump());
    const stopTrim = this.clock.every(1000 * speed, () => this.#trim());
    try {
      await this.#worker.run();
    } finally {
      stopPump();
      stopTrim();
    }
  }

  stop(): Promise<void> {
    this.#isStopped = true;
    return this.#worker.stop();
  }

  status(): WorkerStatus {
    return this.#worker.status();
  }

  get unready(): readonly string[] {
    return this.#worker.unready;
  }

  snapshot(): Promise<QualitySnapshot> {
    return this.#exporter.refresh();
  }

  history(question: HistoryQuestion): CohortHistory {
    return this.#exporter.history(question);
  }

  /** Appends the records that have arrived by now. */
  async #pump(): Promise<void> {
    while (!this.#isStopped && this.#append(this.clock.now())) await nextTurn();
  }

  /** Appends the next records that have arrived by `now`. Returns whether there may be more. */
  #append(now: EpochMs): boolean {
    for (let n = 0; n < PUMP_RECORDS; n++) {
      const record = this.#traffic.poll(now);
      if (record === undefined) return false;
      const partition = fmix32(fnv1a32(record.key)) % PARTITIONS;
      this.#log.append(TOPICS.indexOf(record.topic), partition, Buffer.from(record.value), record.at);
    }
    return true;
  }

  /** Deletes records that no unit would read again. */
  #trim(): void {
    for (const [partition, offsets] of this.#worker.committedReplayOffsets()) {
      for (let topic = 0; topic < TOPICS.length; topic++) this.#log.trim(topic, partition, offsets[topic]);
    }
  }
}

/** The settings of the demo's worker. Its clock runs `speed` times as fast, so durations in real time are multiplied by `speed`. */
function workerSettings(settings: Settings, speed: number, scorer: Scorer, hashSeed: number): WorkerSettings {
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

/** One decoder for each topic. */
function decoders(settings: Settings): readonly Decoder[] {
  const form = { adapter: 'canonical', tsUnit: 'ms', positionBase: 1 } as const;
  return ROLES.map((role) => createDecoder({ ...decoderLimits(settings), ...form, role }));
}

/**
 * Replaces the experiments by that of the simulated shop, with the measures and statistics of the configured experiment
 * `default`, if there is one. It begins with the demo, and decides at the shortest horizon, whose results come first.
 */
export function withShopExperiment(settings: Settings): Settings {
  const { attribution, detect, dimensions, experiments, measures } = settings;
  const configured = experiments.find(({ name }) => name === 'default');
  const experiment = {
    primary: (
      measures.find(({ canonical }) => canonical === 'ndcg@10') ??
      measures.find(({ canonical }) => !isUndirected(canonical)) ??
      measures[0]
    ).canonical,
    guardrails: [],
    alpha: 0.05,
    nStar: 5000,
    tolerance: 0.01,
    lowerIsBetter: detect.lowerIsBetter,
    interleaved: false,
    ...configured,
    name: 'default',
    dimension: 'variant',
    control: SHOP_VARIANTS[0].name,
    variants: new Map(SHOP_VARIANTS.map(({ name, weight }) => [name, weight] as const)),
    start: undefined,
    horizon: attribution.horizons[0],
  };
  return {
    ...settings,
    experiments: [experiment],
    dimensions: [...new Set([...dimensions, experiment.dimension])].sort(),
  };
}

/** Shows everything that the page can show. The ids of the demo belong to nobody, so they are not masked. */
export function withAllOfThePage(settings: Settings): Settings {
  const { samples = USUAL_SAMPLES, samplesIds = 'shown' } = settings.http;
  return { ...withPositions(settings), http: { ...settings.http, samples, samplesIds } };
}

/**
 * The demo has no past of several days, and its regression comes after a minute and a half. So it watches each variant in blocks
 * of one pane, against 24 earlier blocks, and decides after 36 panes.
 */
export function withQuickDetection(settings: Settings): Settings {
  const byVariant = settings.cohorts.filter((set) => set.join() === 'variant');
  const sets = byVariant.length === 0 ? settings.detect.sets : byVariant;
  return { ...settings, detect: { ...settings.detect, sets, step: settings.paneSize.ms } };
}
