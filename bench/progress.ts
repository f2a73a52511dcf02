import type { EpochMs } from '../src/vocabulary/events.ts';
import { type KafkaRecord, PARTITIONS, TOPICS } from './kafka-workload.ts';

/**
 * How many records a worker has joined when the watermarks of its topics stand at given times: unlike the counters on its
 * page, which are of the last commit, watermarks are of now.
 */
export class Progress {
  /** By topic and partition: the latest event time among the first records. */
  readonly #reached = new Map<string, EpochMs[]>();

  constructor(records: readonly KafkaRecord[]) {
    for (const topic of TOPICS) for (let p = 0; p < PARTITIONS; p++) this.#reached.set(`${topic} ${p}`, []);
    for (const { topic, partition, ts } of records) {
      const reached = this.#reached.get(`${TOPICS[topic]} ${partition}`);
      reached?.push(Math.max(ts, reached[reached.length - 1] ?? Number.NEGATIVE_INFINITY));
    }
  }

  /** `latest`: the latest event time that was seen there. */
  joined(topic: string, partition: string, latest: EpochMs): number {
    const reached = this.#reached.get(`${topic} ${partition}`) ?? [];
    let low = 0;
    let high = reached.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (reached[middle] <= latest) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
