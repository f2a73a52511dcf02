import { setImmediate as nextTurn } from 'node:timers/promises';
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { StoreUsage } from '../accumulators/store/store-port.ts';
import type { Settings } from '../config/settings.ts';
import type { AccessState } from '../connections/access-files.ts';
import type { Validity } from '../connections/tls.ts';
import { LETTER_OUTCOMES, type LetterCounts, NO_LETTERS } from '../dead-letters/letter-queue.ts';
import type { ComparedMeasure, Comparison } from '../experiment/comparison.ts';
import type { QualitySnapshot } from '../exporter/exporter-contract.ts';
import { LABELS } from '../statistics/decision.ts';
import type { TopicCounts } from '../vocabulary/checkpoint.ts';
import { type Clock, Turns } from '../vocabulary/clock.ts';
import type { DurationMs, EpochMs } from '../vocabulary/events.ts';
import type { WorkerStatus } from '../worker/status.ts';
import { Exposition, joinLabels, labelText } from './exposition.ts';
import { EXPERIMENT_METRICS, type MetricSpec, metricSpecs, PREFIX, UNWANTED_PROCESS_METRICS } from './metric-specs.ts';
import { Pipeline } from './pipeline.ts';
import { Quality } from './quality.ts';
import { Scores } from './scores.ts';

type MetricsSettings = Pick<
  Settings,
  'attribution' | 'cohorts' | 'experiments' | 'incompleteWindows' | 'itemFile' | 'kafka' | 'limits' | 'measures'
>;

export interface MetricsOptions {
  readonly role: 'exporter' | 'worker' | 'all';
  /** Versions of receval and of Node. */
  readonly version: string;
  readonly node: string;
  /** Memory that the process may use, in bytes; undefined: not known. */
  readonly memoryLimit?: number | undefined;
  /** Most open impressions of a worker; undefined: not known, or no limit. */
  readonly openLimit?: number | undefined;
  /** Most bytes of state of a worker; undefined: not known, or no limit. */
  readonly stateLimit?: number | undefined;
}

/** News; undefined: there is none. */
export interface MetricsUpdate {
  readonly snapshot?: QualitySnapshot | undefined;
  readonly status?: WorkerStatus | undefined;
  readonly deadLetters?: LetterCounts | undefined;
  readonly access?: readonly AccessState[] | undefined;
  /** undefined: not known now, and no longer shown. */
  readonly redis?: StoreUsage | undefined;
}

/** prom-client's output for values that Node could not measure yet. */
const NOT_A_NUMBER = /^.* Nan\n/gm;

/**
 * The metrics of one process. `take` adds up what is new, so that nothing is lost if a unit is gone before the next scrape; only `text`
 * renders.
 */
export class Metrics {
  readonly contentType: string = Registry.PROMETHEUS_CONTENT_TYPE;
  readonly #options: MetricsOptions;
  readonly #workerMetrics: readonly MetricSpec[];
  readonly #sharedMetrics: readonly MetricSpec[];
  /** Metrics of the process and of Node, which prom-client measures. */
  readonly #process = new Registry();
  readonly #pipeline: Pipeline;
  readonly #scores: Scores;
  readonly #quality: Quality;
  #compared: readonly Comparison[] = [];
  /** The gauges of `#compared`; undefined: not rendered yet. */
  #experiments: string | undefined;
  #deadLetters = NO_LETTERS;
  #access: readonly AccessState[] = [];
  #redis: StoreUsage | undefined;
  /** Numbers of keys whose rows were found to be lost. */
  #lostByExporter = 0;
  #lostByWorker = 0;
  /** Settles when the last piece of work that was queued is done. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(settings: MetricsSettings, options: MetricsOptions) {
    const { role } = options;
    const all = metricSpecs(settings);
    this.#options = options;
    const isOfExperiments = (metric: MetricSpec): boolean => EXPERIMENT_METRICS.includes(metric);
    const ofQuality = all.filter((metric) => metric.role === 'exporter' && !isOfExperiments(metric));
    this.#quality = new Quality(role === 'worker' ? [] : ofQuality, settings);
    this.#workerMetrics = role === 'exporter' ? [] : all.filter((metric) => metric.role === 'worker');
    this.#sharedMetrics = all.filter((metric) => metric.role === 'both');
    this.#pipeline = new Pipeline(settings);
    this.#scores = new Scores(settings);
    collectDefaultMetrics({ register: this.#process, prefix: PREFIX });
    for (const name of UNWANTED_PROCESS_METRICS) this.#process.removeSingleMetric(name);
  }

  /**
   * Called when a unit was claimed whose checkpoint contained these counts, which must not be counted again. Necessary if others owned
   * the unit before.
   */
  claimed(partition: number, counts: readonly TopicCounts[]): void {
    this.#pipeline.claimed(partition, counts);
  }

  /** The recent health of each topic. */
  get topics(): Pipeline['topics'] {
    return this.#pipeline.topics;
  }

  /**
   * Takes what is new, without rendering it, in turns of the event loop. The arguments must reflect the moment of the call: totals are
   * added up in the order of the calls, and those of a unit that is claimed afterwards come later.
   */
  async take({ snapshot, status, deadLetters, access, redis }: MetricsUpdate): Promise<void> {
    this.#redis = redis;
    this.#lostByExporter = Math.max(this.#lostByExporter, snapshot?.lost?.found ?? 0);
    this.#lostByWorker = Math.max(this.#lostByWorker, status?.lostKeys ?? 0);
    if (deadLetters !== undefined) this.#deadLetters = deadLetters;
    if (access !== undefined) this.#access = access;
    if (status !== undefined) this.#pipeline.update(status);
    await this.#inTurn(async () => {
      if (status !== undefined) {
        const turns = new Turns();
        for (const _ of this.#scores.updating(status.units)) await turns.step();
      }
      if (snapshot === undefined) return;
      await nextTurn();
      this.#quality.take(snapshot);
      this.#takeExperiments(snapshot.experiments);
    });
  }

  /** Renders all that was taken before the call, and what the process and Node measure now, in turns of the event loop. */
  text(): Promise<string> {
    return this.#inTurn(async () => {
      // With many cohorts, the work so far has taken long enough for a turn, and so will each of the following parts.
      await nextTurn();
      const results = [this.#quality.text(), this.#experimentsText()];
      await nextTurn();
      const process = await this.#process.metrics();
      return `${this.#page(results)}\n${process.replace(NOT_A_NUMBER, '')}`;
    });
  }

  /** Runs one piece of work at a time, in the order of the calls, so that no text shows partial sums. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  #takeExperiments(experiments: readonly Comparison[]): void {
    if (this.#compared === experiments) return;
    this.#compared = experiments;
    this.#experiments = undefined;
  }

  #experimentsText(): string {
    if (this.#options.role === 'worker') return '';
    this.#experiments ??= experimentsText(this.#compared);
    return this.#experiments;
  }

  /** @param results texts of what is read from the store */
  #page(results: readonly string[]): string {
    const shared = new Exposition(this.#sharedMetrics);
    const { version, node, memoryLimit, openLimit, stateLimit } = this.#options;
    shared.series('receval_build_info')(labelText({ version, node }), 1);
    shared.series('receval_series_capped_total')('', this.#quality.capped + this.#scores.capped);
    shared.series('receval_lost_keys_total')('', this.#lostByExporter + this.#lostByWorker);
    if (memoryLimit !== undefined) shared.series('receval_memory_limit_bytes')('', memoryLimit);
    writeAccess(shared, this.#access);
    if (this.#redis !== undefined) writeRedis(shared, this.#redis);
    const worker = new Exposition(this.#workerMetrics);
    if (this.#workerMetrics.length > 0) {
      if (openLimit !== undefined) worker.series('receval_open_impressions_limit')('', openLimit);
      if (stateLimit !== undefined) worker.series('receval_state_bytes_limit')('', stateLimit);
      this.#scores.write(worker);
      this.#pipeline.write(worker);
      const letters = worker.series('receval_dead_letters_total');
      for (const outcome of LETTER_OUTCOMES) letters(labelText({ outcome }), this.#deadLetters[outcome]);
    }
    return [...results, shared.text(), worker.text()].filter((text) => text !== '').join('\n');
  }
}

function writeRedis(page: Exposition, { usedBytes, limitBytes, evicted, evictionPolicy }: StoreUsage): void {
  page.series('receval_redis_memory_used_bytes')('', usedBytes);
  if (limitBytes !== undefined) page.series('receval_redis_memory_limit_bytes')('', limitBytes);
  page.series('receval_redis_evicted_keys_total')('', evicted);
  page.series('receval_redis_may_evict')('', Number(evictionPolicy !== undefined));
}

/** Writes the state of access files, by setting; without files there are no series. */
function writeAccess(page: Exposition, states: readonly AccessState[]): void {
  for (const { setting, problem, validity, caValidity } of states) {
    page.series('receval_access_problem')(labelText({ setting }), problem === undefined ? 0 : 1);
    writeLife(page, setting, validity);
    writeLife(page, `${setting}.ca`, caValidity);
  }
}

function writeLife(page: Exposition, setting: string, validity: Validity | undefined): void {
  if (validity === undefined) return;
  const labels = labelText({ setting });
  page.series('receval_certificate_not_before_timestamp_seconds')(labels, validity.begins.getTime() / 1000);
  page.series('receval_certificate_not_after_timestamp_seconds')(labels, validity.ends.getTime() / 1000);
}

/** The value of a gauge for one measure of one variant; null: no series. */
const OF_MEASURES: Readonly<Record<string, (compared: ComparedMeasure) => number | null>> = {
  receval_experiment_effect: ({ effect }) => effect,
  receval_experiment_ci_lower: ({ ci }) => ci?.[0] ?? null,
  receval_experiment_ci_upper: ({ ci }) => ci?.[1] ?? null,
  receval_experiment_p_value: ({ pTwoSided }) => pTwoSided,
  receval_experiment_log_e_value: ({ logE }) => logE,
  receval_experiment_mde: ({ mde }) => mde,
};

/** Renders the gauges of all experiments. An absent value has no series; HELP and TYPE are always present. */
export function experimentsText(comparisons: readonly Comparison[]): string {
  const page = new Exposition(EXPERIMENT_METRICS);
  for (const [name, shownOf] of Object.entries(OF_MEASURES)) {
    const add = page.series(name);
    for (const { experiment, variants } of comparisons) {
      for (const { variant, measures } of variants) {
        for (const compared of measures) {
          const { measure, horizon } = compared;
          const value = shownOf(compared);
          if (value !== null) add(labelText({ experiment, variant, measure, horizon }), value);
        }
      }
    }
  }
  const split = page.series('receval_experiment_srm_p_value');
  const empty = page.series('receval_experiment_empty_share');
  const decided = page.series('receval_experiment_decision');
  for (const { experiment, srm, impressions, emptyLists, variants } of comparisons) {
    if (srm.p !== null) split(labelText({ experiment }), srm.p);
    for (const [variant, lists] of Object.entries(impressions))
      if (lists > 0) empty(labelText({ experiment, variant }), emptyLists?.[variant].share ?? 0);
    for (const { variant, decision } of variants) {
      const labels = labelText({ experiment, variant });
      for (const label of LABELS)
        decided(joinLabels(labels, labelText({ decision: label })), Number(decision === label));
    }
  }
  return page.text();
}

/** How long a text is reused, counted from the beginning of its rendering. */
const MAX_AGE: DurationMs = 1000;

interface MetricsPageDeps {
  readonly metrics: Pick<Metrics, 'take' | 'text'>;
  /** The process's knowledge of itself, as of the call. */
  readonly status: () => MetricsUpdate;
  readonly clock: Pick<Clock, 'now'>;
}

interface Rendering {
  readonly began: EpochMs;
  readonly text: Promise<string>;
}

/**
 * The served page of metrics. It is rendered when it is requested, from what is true then, and at most once a second. Requests that
 * arrive meanwhile, or within that second, share the text, so that many readers cost no more than one.
 */
export class MetricsPage {
  readonly #deps: MetricsPageDeps;
  #last: Rendering | undefined;
  #isRendering = false;

  constructor(deps: MetricsPageDeps) {
    this.#deps = deps;
  }

  /** Rejects if the page cannot be rendered; the next call tries again. */
  text(): Promise<string> {
    const now = this.#deps.clock.now();
    if (this.#last !== undefined && (this.#isRendering || isFresh(this.#last, now))) return this.#last.text;
    this.#isRendering = true;
    const text = this.#render();
    this.#last = { began: now, text };
    text.catch(() => {
      if (this.#last?.text === text) this.#last = undefined;
    });
    return text;
  }

  async #render(): Promise<string> {
    const { metrics, status } = this.#deps;
    try {
      await metrics.take(status());
      return await metrics.text();
    } finally {
      this.#isRendering = false;
    }
  }
}

/** Whether a text may be reused. If the clock was set back, its age is unknown. */
function isFresh({ began }: Rendering, now: EpochMs): boolean {
  return now >= began && now - began < MAX_AGE;
}
