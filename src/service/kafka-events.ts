import type { Settings } from '../config/settings.ts';
import type { KafkaEvents } from '../consumers/source/kafka/flow/events.ts';
import type { Worker } from '../worker/worker.ts';

/** What is asked of the service when Kafka tells something. */
interface Told {
  readonly worker: Worker | undefined;
  /** Of each topic. */
  readonly partitions: number;
}

/** Passes on to the worker what Kafka tells beside records. `service`: undefined while it still starts. */
export function eventsFor(service: () => Told | undefined, settings: Settings): KafkaEvents {
  const worker = (): Worker | undefined => service()?.worker;
  return {
    onGap: (gap) => {
      const { partition, topic } = gap;
      if (worker()?.gap(partition, topic, gap) === false) return 'not needed';
      if (settings.start.onGap === 'stop') worker()?.halt(partition, 'gap');
      return settings.start.onGap;
    },
    onLostLog: (lost) => worker()?.lost(lost.partition, lost.topic, lost),
    onRefused: ({ partition, topic, from, to }) => {
      if (worker()?.hasPassed(partition, topic, { from, to }) === true) return 'skip';
      if (settings.start.onUndecodable === 'stop') worker()?.halt(partition, 'codec');
      return settings.start.onUndecodable;
    },
    onUnpaired: (partitions) => {
      for (const partition of partitions) worker()?.halt(partition, 'pairing');
    },
    onPartitionCounts: (counts) => {
      const expected = service()?.partitions;
      if (expected !== undefined && counts.some((count) => count !== expected)) worker()?.haltAll('partitions');
    },
  };
}
