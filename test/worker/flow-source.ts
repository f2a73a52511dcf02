import type { KafkaEvents } from '../../src/consumers/source/kafka/access/kafka-settings.ts';
import { Flow } from '../../src/consumers/source/kafka/flow/flow.ts';
import type { FlowClient } from '../../src/consumers/source/kafka/flow/placement.ts';
import type { Bounds, LogSource, SourceHandler } from '../../src/consumers/source/source-port.ts';
import { settle } from '../manual-clock.ts';

/** The flow of Kafka's source, without Kafka: the test says what the group assigns. */
export class FlowSource implements LogSource {
  readonly #topics: readonly string[];
  readonly #bounds: readonly Bounds[];
  readonly #onGap: KafkaEvents['onGap'];
  #flow: Flow | undefined;
  #end = (): void => {};

  /** `bounds`: by topic, of every partition. */
  constructor(topics: readonly string[], bounds: readonly Bounds[], onGap: KafkaEvents['onGap'] = () => 'stop') {
    this.#topics = topics;
    this.#bounds = bounds;
    this.#onGap = onGap;
  }

  run(handler: SourceHandler): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#end = resolve;
      this.#flow = new Flow({
        topics: this.#topics,
        handler,
        events: {
          onGap: this.#onGap,
          onLostLog: () => {},
          onRefused: () => 'stop',
          onUnpaired: () => {},
          onPartitionCounts: () => {},
        },
        log: () => {},
        bounds: (partition, topic) => this.bounds(partition, topic),
        sleep: settle,
        fail: reject,
      });
    });
  }

  /** The group has joined: these partitions of every topic are ours, again or still. */
  join(client: FlowClient, partitions: readonly number[]): void {
    this.#flow?.joined(client, Object.fromEntries(this.#topics.map((topic) => [topic, partitions])));
  }

  /** A fetch has failed. */
  doubt(): void {
    this.#flow?.doubted();
  }

  seek(...place: Parameters<Flow['seek']>): void {
    this.#flow?.seek(...place);
  }

  pause(partition: number, topic: number): void {
    this.#flow?.pause(partition, topic);
  }

  resume(partition: number, topic: number): void {
    this.#flow?.resume(partition, topic);
  }

  setFetching(...order: Parameters<Flow['setFetching']>): void {
    this.#flow?.setFetching(...order);
  }

  async bounds(_partition: number, topic: number): Promise<Bounds> {
    return this.#bounds[topic];
  }

  sendOffsets(): void {}

  async stop(): Promise<void> {
    await this.#flow?.end();
    this.#end();
  }
}

/** All that follows from what the test has said. */
export async function rest(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await settle();
}
