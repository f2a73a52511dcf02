import type { LogRecord } from '../../src/consumers/source/source-port.ts';
import { Collector, until } from '../consumers/source/kafka/collector.ts';
import { sourceOver } from '../consumers/source/kafka/fixture.ts';
import { Told } from '../consumers/source/kafka/told.ts';
import type { RunningKafka } from '../services/kafka.ts';

export type Plain = string | null;

/** A record as text; bytes that are no UTF-8 are hexadecimal digits behind 0x. */
export interface Written {
  readonly key: Plain;
  readonly value: Plain;
  readonly headers: readonly (readonly [name: string, value: Plain])[];
}

const plain = (bytes: Uint8Array | null): Plain => {
  if (bytes === null) return null;
  const buffer = Buffer.from(bytes);
  const text = buffer.toString();
  return Buffer.from(text).equals(buffer) ? text : `0x${buffer.toString('hex')}`;
};

function written({ value, envelope }: LogRecord): Written {
  return {
    key: plain(envelope?.key ?? null),
    value: plain(value),
    headers: envelope?.headers.map((header) => [header.name, plain(header.value)]) ?? [],
  };
}

/** What stands in partition 0 of a topic, once there are so many records. */
export async function lettersIn(kafka: RunningKafka, topic: string, count: number): Promise<readonly Written[]> {
  const read = new Collector(sourceOver(kafka, [topic], new Told(), { envelopes: true }));
  await until(`${count} letters in ${topic}`, () => read.offsets().length >= count);
  await read.stop();
  return read.batches.flatMap(({ records }) => records.map(written));
}

/** The value of the last header of this name. */
export function header({ headers }: Written, name: string): Plain | undefined {
  return headers.findLast(([one]) => one === name)?.[1];
}
