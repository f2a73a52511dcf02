import { type Batch, type LogRecord, RunBatch } from '../src/consumers/source/source-port.ts';
import type { EpochMs, Offset } from '../src/vocabulary/events.ts';
import { runOf } from '../test/consumers/source/run-of.ts';
import type { GrowthCase } from './growth-cases.ts';
import { randomStream } from './workload.ts';

const TOPICS = 2;
const CHUNK = 200;

/** Of so many experiments, each of which shows every second list in variant `a` and the others in `b`. */
export function experimentNames(count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => `e${i}`);
}

/** Batches, as they are read from Kafka: each has the values of its records one behind the other. */
export type Second = readonly Batch[];

/** The traffic of one second after the other. */
export class Traffic {
  readonly #random = randomStream(1);
  readonly #next: Offset[][];
  readonly #cohorts: number;
  readonly #items: number;
  readonly #impressions: number;
  readonly #feedback: number;
  readonly #experiments: readonly string[];
  #request = 0;

  constructor({ partitions, cohorts, rate, items, feedback, experiments }: GrowthCase) {
    this.#impressions = Math.round(rate / (1 + feedback));
    this.#feedback = rate - this.#impressions;
    this.#next = Array.from({ length: TOPICS }, () => new Array<Offset>(partitions).fill(0));
    this.#cohorts = cohorts;
    this.#items = items;
    this.#experiments = experimentNames(experiments);
  }

  second(now: EpochMs): Second {
    const random = this.#random;
    const records = this.#next.map((partitions) => partitions.map((): LogRecord[] => []));
    const put = (topic: number, request: number, event: object): void => {
      const partition = request % this.#next[topic].length;
      const value = Buffer.from(JSON.stringify(event));
      records[topic][partition].push({ offset: this.#next[topic][partition]++, timestamp: now, value });
    };
    const first = this.#request;
    for (let i = 0; i < this.#impressions; i++) {
      const length = this.#items;
      const items = Array.from({ length }, (_, slot) => ({ id: `itm_${slot}_${i}`, score: 1 - slot / length }));
      const segment = `s${Math.floor(random() * this.#cohorts)}`;
      const userId = `u_${Math.floor(random() * 1e8)}`;
      const experiments = Object.fromEntries(this.#experiments.map((name) => [name, i % 2 === 0 ? 'a' : 'b']));
      const context = { userId, cohorts: { segment }, experiments };
      put(0, this.#request, { requestId: `r${this.#request++}`, ts: now, ...context, items });
    }
    for (let i = 0; i < this.#feedback; i++) {
      const shown = Math.floor(random() * this.#impressions);
      const itemId = `itm_${Math.floor(random() * this.#items)}_${shown}`;
      const request = first + shown;
      put(1, request, { requestId: `r${request}`, itemId, ts: now, action: 'click', eventId: `e${request}_${i}` });
    }
    return records.flatMap((byPartition, topic) =>
      byPartition.flatMap((all, partition) =>
        Array.from({ length: Math.ceil(all.length / CHUNK) }, (_, i) => {
          const chunk = all.slice(CHUNK * i, CHUNK * (i + 1));
          return new RunBatch(partition, topic, [runOf(chunk)], chunk[chunk.length - 1].offset + 1);
        }),
      ),
    );
  }
}
