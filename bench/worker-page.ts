import type { Mark } from './figures.ts';
import type { Expected } from './kafka-workload.ts';
import { TOPICS } from './kafka-workload.ts';
import type { Progress } from './progress.ts';

/** The default of `attribution.outOfOrderness`. */
const OUT_OF_ORDERNESS_MS = 10_000;

interface Series {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
}

/** What workers show on `/metrics` at one time: the texts of their pages, one after the other. */
export class WorkerPage {
  readonly #series: readonly Series[];

  constructor(text: string) {
    this.#series = [...text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)].map(([, name, labels, value]) => ({
      name,
      labels: new Map(
        [...(labels ?? '').matchAll(/(\w+)="([^"]*)"/g)].map(([, label, text]) => [label, text] as const),
      ),
      value: Number(value),
    }));
  }

  /** CPU, and the records that have been joined, when the page was made. */
  mark(progress: Progress, at: number): Mark {
    const events = this.#latest().reduce((sum, { topic, partition, latest }) => {
      return sum + progress.joined(topic, partition, latest);
    }, 0);
    return { at, events, cpuUs: this.cpuSeconds * 1e6 };
  }

  /** By partition: how old the youngest record of its topics is at this time, of the topic in which it is older. */
  ages(now: number): ReadonlyMap<string, number> {
    const ages = new Map<string, number>();
    for (const { partition, latest } of this.#latest())
      ages.set(partition, Math.max(now - latest, ages.get(partition) ?? 0));
    return ages;
  }

  /** Of all topics of partitions: the time of the youngest record. */
  #latest(): readonly { readonly topic: string; readonly partition: string; readonly latest: number }[] {
    return this.#of('receval_watermark_timestamp_seconds').map(({ labels, value }) => {
      const latest = Math.round(value * 1000) + OUT_OF_ORDERNESS_MS;
      return { topic: labels.get('topic') ?? '', partition: labels.get('partition') ?? '', latest };
    });
  }

  /** Of all threads, since the start of the process. */
  get cpuSeconds(): number {
    return this.#sum('receval_process_cpu_seconds_total', {});
  }

  /** Impressions that are open. */
  get open(): number {
    return this.#sum('receval_open_impressions', {});
  }

  /** Records read and committed. */
  get committed(): number {
    return this.#sum('receval_events_total', {});
  }

  /** Where what was counted and committed differs from what must be; empty: nowhere. */
  differences({ topics, scored }: Expected): readonly string[] {
    const found: string[] = [];
    const compare = (what: string, is: number, must: number): void => {
      if (is !== must) found.push(`${what}: ${is} instead of ${must}`);
    };
    for (const [t, topic] of TOPICS.entries()) {
      const { read, drops } = topics[t];
      compare(`${topic} read`, this.#sum('receval_events_total', { topic }), read);
      const reasons = this.#of('receval_drops_total').map(({ labels }) => labels.get('reason') ?? '');
      for (const reason of new Set([...reasons, ...Object.keys(drops)])) {
        compare(`${topic} ${reason}`, this.#sum('receval_drops_total', { topic, reason }), drops[reason] ?? 0);
      }
    }
    compare('scored', this.#sum('receval_scored_impressions_total', { horizon: '30m', by: '' }), scored);
    return found;
  }

  #of(wanted: string): readonly Series[] {
    return this.#series.filter(({ name }) => name === wanted);
  }

  #sum(name: string, labels: Readonly<Record<string, string>>): number {
    return this.#of(name)
      .filter((series) => Object.entries(labels).every(([label, value]) => series.labels.get(label) === value))
      .reduce((sum, { value }) => sum + value, 0);
  }
}
