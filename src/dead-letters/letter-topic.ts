import { isRecordRefused } from '../consumers/source/kafka/access/faults.ts';
import type { KafkaConnection } from '../consumers/source/kafka/access/kafka-settings.ts';
import { KafkaProducer } from '../consumers/source/kafka/access/producer.ts';
import type { Clock } from '../vocabulary/clock.ts';
import { type DeadLetter, errorHeaders } from './letter.ts';
import { LetterRefused, type LetterWriter } from './letter-queue.ts';

/**
 * A topic of letters: key, value and headers as they were read, followed by headers that say what is wrong. The record's time is
 * that of writing, so that retention and brokers' limits on times do not apply to the times of bad records.
 */
export class LetterTopic implements LetterWriter {
  readonly #topic: string;
  readonly #clock: Clock;
  readonly #connection: KafkaConnection;
  #producer: KafkaProducer | undefined;

  constructor(topic: string, connection: KafkaConnection, clock: Clock) {
    this.#topic = topic;
    this.#connection = connection;
    this.#clock = clock;
  }

  async write(letters: readonly DeadLetter[]): Promise<void> {
    const at = this.#clock.now();
    try {
      const producer = await this.#connected();
      await producer.write(
        letters.map((letter) => ({
          topic: this.#topic,
          key: letter.key,
          value: letter.value,
          headers: [...letter.headers, ...errorHeaders(letter)],
          at,
        })),
      );
    } catch (error) {
      if (!isRecordRefused(error)) throw error;
      const advice = `raise max.message.bytes of the topic ${this.#topic} above that of the topics that are read, and do not compact it`;
      throw new LetterRefused(`Kafka takes no such record: ${advice}`, { cause: error });
    }
  }

  async close(): Promise<void> {
    const producer = this.#producer;
    this.#producer = undefined;
    await producer?.close();
  }

  /** Returns a connected producer. One that could not connect is discarded. */
  async #connected(): Promise<KafkaProducer> {
    if (this.#producer !== undefined) return this.#producer;
    // A letter written twice is better than an error that needs a new producer: letters contain their offsets.
    const producer = new KafkaProducer(this.#connection, { idempotent: false });
    try {
      await producer.connect();
    } catch (error) {
      await producer.close().catch(() => {});
      throw error;
    }
    this.#producer = producer;
    return producer;
  }
}
