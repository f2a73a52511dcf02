import { setTimeout as sleep } from 'node:timers/promises';
import type { KafkaSource } from '../../../../src/consumers/source/kafka/kafka.ts';
import type { Batch } from '../../../../src/consumers/source/source-port.ts';

/** Runs a source and keeps what it delivers. */
export class Collector {
  readonly batches: Batch[] = [];
  readonly assignments: (readonly number[])[] = [];
  readonly ended: Promise<Error | undefined>;
  readonly #source: KafkaSource;

  constructor(
    source: KafkaSource,
    assigned: (partitions: readonly number[]) => void | Promise<void> = () => {},
    handle: (batch: Batch) => void | Promise<void> = () => {},
  ) {
    this.#source = source;
    this.ended = source
      .run({
        assigned: async (partitions) => {
          this.assignments.push(partitions);
          await assigned(partitions);
        },
        batch: async (batch) => {
          this.batches.push(kept(batch));
          await handle(batch);
        },
      })
      .then(
        () => undefined,
        (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
      );
  }

  /** Offsets of one topic partition, in the order of delivery. */
  offsets(topic = 0, partition = 0): number[] {
    return this.#of(topic, partition).flatMap(({ records }) => records.map(({ offset }) => offset));
  }

  values(topic = 0, partition = 0): (string | null)[] {
    return this.#of(topic, partition).flatMap(({ records }) =>
      records.map(({ value }) => (value === null ? null : Buffer.from(value).toString())),
    );
  }

  #of(topic: number, partition: number): Batch[] {
    return this.batches.filter((batch) => batch.topic === topic && batch.partition === partition);
  }

  async stop(): Promise<void> {
    await this.#source.stop();
    const error = await this.ended;
    if (error !== undefined) throw error;
  }
}

/** A batch with bytes of its own: those of the source are valid only until it is handled. */
function kept(batch: Batch): Batch {
  const records = batch.records.map((record) => {
    const value = copy(record.value);
    if (record.envelope === undefined) return { ...record, value };
    const { key, headers } = record.envelope;
    const copies = headers.map((header) => ({ ...header, value: copy(header.value) }));
    return { ...record, value, envelope: { key: copy(key), headers: copies } };
  });
  const { partition, topic, next, undecodable } = batch;
  return { partition, topic, next, undecodable, records };
}

function copy(bytes: Uint8Array | null): Uint8Array | null {
  return bytes === null ? null : Uint8Array.from(bytes);
}

/** Waits for something to become true; the patience is for machines that are slow. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>, patience = 300_000): Promise<void> {
  const end = Date.now() + patience;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`gave up waiting: ${what}`);
    await sleep(20);
  }
}

export const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);
