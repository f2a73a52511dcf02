import type { TopicCounts } from '../vocabulary/checkpoint.ts';
import type { HistogramCounts, UnitStatus, WorkerStatus } from '../worker/status.ts';
import type { Exposition } from './exposition.ts';
import { type TopicJoin, TopicJoins } from './joins.ts';
import { ClaimLedger, LifetimeLedger } from './ledger.ts';
import {
  type CounterSeries,
  claimCounters,
  lifetimeCounters,
  type PipelineSettings,
  PROCESS_COUNTERS,
} from './pipeline-counters.ts';
import { writeGauges, writeJoins } from './pipeline-gauges.ts';

/**
 * What a worker tells of itself as metrics. Every counter, with every reason, code, outcome and horizon, is there at 0
 * before anything happened, and only ever moves up.
 */
export class Pipeline {
  readonly #lifetime: readonly CounterSeries<readonly TopicCounts[]>[];
  readonly #claim: readonly CounterSeries<UnitStatus>[];
  readonly #lifetimeLedger: LifetimeLedger;
  readonly #claimLedger: ClaimLedger;
  readonly #process: number[] = PROCESS_COUNTERS.map(() => 0);
  readonly #joins: TopicJoins;
  /** Topics that carry feedback. */
  readonly #ofFeedback: ReadonlySet<string>;
  #status: WorkerStatus | undefined;

  constructor(settings: PipelineSettings) {
    const { topics } = settings.kafka;
    this.#joins = new TopicJoins(topics.map(({ name }) => name));
    this.#ofFeedback = new Set(topics.flatMap(({ name, role }) => (role.feedback ? [name] : [])));
    this.#lifetime = lifetimeCounters(settings);
    this.#claim = claimCounters(settings);
    this.#lifetimeLedger = new LifetimeLedger(this.#lifetime.length);
    this.#claimLedger = new ClaimLedger(this.#claim.length);
  }

  /** A unit was claimed whose checkpoint held these counts: whoever made them has told of them. */
  claimed(partition: number, counts: readonly TopicCounts[]): void {
    this.#lifetimeLedger.claimed(partition, numbers(this.#lifetime, counts));
    this.#joins.claimed(partition, counts);
  }

  /** Of the topics that carry feedback. */
  get joins(): readonly TopicJoin[] {
    return this.#joins.topics.filter(({ topic }) => this.#ofFeedback.has(topic));
  }

  update(status: WorkerStatus): void {
    const { units } = status;
    this.#status = {
      ...status,
      commitDuration: highest(this.#status?.commitDuration, status.commitDuration),
      feedbackDelay: highest(this.#status?.feedbackDelay, status.feedbackDelay),
    };
    this.#lifetimeLedger.update(new Map(units.map((unit) => [unit.partition, numbers(this.#lifetime, unit.counts)])));
    this.#claimLedger.update(new Map(units.map((unit) => [unit.partition, numbers(this.#claim, unit)])));
    this.#joins.update(status);
    for (const [i, { of }] of PROCESS_COUNTERS.entries()) this.#process[i] = Math.max(this.#process[i], of(status));
  }

  write(page: Exposition): void {
    write(page, this.#lifetime, this.#lifetimeLedger.sums);
    write(page, this.#claim, this.#claimLedger.sums);
    write(page, PROCESS_COUNTERS, this.#process);
    if (this.#status !== undefined) writeGauges(page, this.#status);
    writeJoins(page, this.joins);
  }
}

/** Counts of units that left fall out of what is told; a histogram must not go down. */
function highest(before: HistogramCounts | undefined, now: HistogramCounts): HistogramCounts {
  if (before === undefined) return now;
  const counts = now.counts.map((count, i) => Math.max(count, before.counts[i]));
  return { bounds: now.bounds, counts, sum: Math.max(now.sum, before.sum) };
}

function numbers<Source>(series: readonly CounterSeries<Source>[], source: Source): readonly number[] {
  return series.map(({ of }) => of(source));
}

function write(
  page: Exposition,
  series: readonly { readonly name: string; readonly labels: string }[],
  sums: readonly number[],
): void {
  for (const [i, { name, labels }] of series.entries()) page.series(name)(labels, sums[i]);
}
