import { collectDefaultMetrics, Registry } from 'prom-client';
import type { TopicCounts } from '../checkpoint.ts';
import type { Settings } from '../config/settings.ts';
import type { QualitySnapshot } from '../exporter.ts';
import type { WorkerStatus } from '../worker-status.ts';
import { catalogue, type Metric, PREFIX, UNWANTED_PROCESS_METRICS } from './catalogue.ts';
import { Exposition, labelText } from './exposition.ts';
import { Pipeline } from './pipeline.ts';
import { type QualityText, qualityText } from './quality.ts';
import { Scores } from './scores.ts';

export type MetricsSettings = Pick<Settings, 'attribution' | 'cohorts' | 'kafka' | 'limits' | 'measures'>;

export interface MetricsOptions {
  readonly role: 'exporter' | 'worker' | 'all';
  /** Of receval, and of Node. */
  readonly version: string;
  readonly node: string;
}

/** What is new; undefined: nothing. */
export interface MetricsUpdate {
  readonly snapshot?: QualitySnapshot | undefined;
  readonly status?: WorkerStatus | undefined;
}

/** How prom-client writes what Node could not measure yet. */
const NOT_A_NUMBER = /^.* Nan\n/gm;

/** The page of one process. Its text is made when something is new, never at a scrape. */
export class Metrics {
  readonly contentType: string = Registry.PROMETHEUS_CONTENT_TYPE;
  readonly #settings: MetricsSettings;
  readonly #options: MetricsOptions;
  readonly #exporterMetrics: readonly Metric[];
  readonly #workerMetrics: readonly Metric[];
  readonly #sharedMetrics: readonly Metric[];
  /** Process and Node: prom-client knows how to measure them. */
  readonly #process = new Registry();
  readonly #pipeline: Pipeline;
  readonly #scores: Scores;
  #snapshot: QualitySnapshot | undefined;
  #quality: QualityText;
  #capped = 0;
  #text = '';

  constructor(settings: MetricsSettings, options: MetricsOptions) {
    const { role } = options;
    const all = catalogue(settings);
    this.#settings = settings;
    this.#options = options;
    this.#exporterMetrics = role === 'worker' ? [] : all.filter((metric) => metric.role === 'exporter');
    this.#workerMetrics = role === 'exporter' ? [] : all.filter((metric) => metric.role === 'worker');
    this.#sharedMetrics = all.filter((metric) => metric.role === 'both');
    this.#pipeline = new Pipeline(settings);
    this.#scores = new Scores(settings);
    collectDefaultMetrics({ register: this.#process, prefix: PREFIX });
    for (const name of UNWANTED_PROCESS_METRICS) this.#process.removeSingleMetric(name);
    this.#quality = qualityText(this.#exporterMetrics, settings, undefined);
    this.#text = this.#page();
  }

  /** As it was made last, for a scrape. */
  get text(): string {
    return this.#text;
  }

  /** A unit was claimed whose checkpoint held these counts: they are not counted again. Needed when others owned the unit. */
  claimed(partition: number, counts: readonly TopicCounts[]): void {
    this.#pipeline.claimed(partition, counts);
  }

  /** Takes over what is new and makes the text. Must not be called while a call is running. */
  async update({ snapshot, status }: MetricsUpdate): Promise<void> {
    if (snapshot !== undefined) this.#takeSnapshot(snapshot);
    if (status !== undefined) {
      this.#pipeline.update(status);
      this.#scores.update(status.units);
    }
    // In parts, so that no part blocks for long: the text of the snapshot was made above.
    const process = await this.#process.metrics();
    this.#text = `${this.#page()}\n${process.replace(NOT_A_NUMBER, '')}`;
  }

  #takeSnapshot(snapshot: QualitySnapshot): void {
    const last = this.#snapshot;
    this.#snapshot = snapshot;
    if (this.#exporterMetrics.length === 0) return;
    const isSame =
      last?.rows === snapshot.rows && last.windows === snapshot.windows && last.decisions === snapshot.decisions;
    if (!isSame) {
      this.#quality = qualityText(this.#exporterMetrics, this.#settings, snapshot);
    }
    this.#capped += this.#quality.capped;
  }

  #page(): string {
    const shared = new Exposition(this.#sharedMetrics);
    const { version, node } = this.#options;
    shared.series('receval_build_info')(labelText({ version, node }), 1);
    shared.series('receval_series_capped_total')('', this.#capped + this.#scores.capped);
    const worker = new Exposition(this.#workerMetrics);
    if (this.#workerMetrics.length > 0) {
      this.#scores.write(worker);
      this.#pipeline.write(worker);
    }
    return [this.#quality.text, shared.text(), worker.text()].filter((text) => text !== '').join('\n');
  }
}
