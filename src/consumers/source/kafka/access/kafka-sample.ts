import type { DurationMs, EpochMs, Offset } from '../../../../vocabulary/events.ts';
import type { UndecodableBatch } from '../../source-port.ts';
import { openBatch, Records } from '../codecs/records.ts';
import type { Message } from '../flow/batches.ts';
import { offsetOf } from '../flow/chunks.ts';
import type { KafkaClient } from './admin.ts';
import { adminOf } from './client.ts';

/** Offsets of one topic partition to read: [from, to). */
export interface SampleRange {
  readonly topic: string;
  readonly partition: number;
  readonly from: Offset;
  readonly to: Offset;
}

export interface SampledRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: Offset;
  /** The record's timestamp. */
  readonly timestamp: EpochMs;
  readonly hasKey: boolean;
  readonly value: Uint8Array | null;
}

/** A record batch that cannot be decoded. */
interface SampledRefusal {
  readonly topic: string;
  readonly partition: number;
  readonly from: Offset;
  readonly to: Offset;
  readonly reason: string;
}

export interface Sample {
  readonly records: readonly SampledRecord[];
  readonly refused: readonly SampledRefusal[];
  /** false if the time was over before all ranges were read. */
  readonly complete: boolean;
}

/** Reads these ranges once, partition by partition. It needs no consumer group, and leaves no trace. Rejects with kafkajs' error. */
export async function sample(
  client: KafkaClient,
  ranges: readonly SampleRange[],
  timeout: DurationMs,
): Promise<Sample> {
  const wanted = ranges.filter(({ from, to }) => to > from);
  if (wanted.length === 0) return { records: [], refused: [], complete: true };
  const records: SampledRecord[] = [];
  const refused = new Map<string, SampledRefusal>();
  const admin = adminOf(client);
  const time = new AbortController();
  const timer = setTimeout(() => time.abort(), timeout);
  const isOver = new Promise<false>((resolve) => time.signal.addEventListener('abort', () => resolve(false)));
  const readAll = async (): Promise<boolean> => {
    await admin.connect();
    for (const range of wanted) {
      const { topic, partition, to } = range;
      for (let from = range.from; from < to; ) {
        const { messages, next } = await admin.fetchBatch(topic, partition, from);
        if (time.signal.aborted) return false;
        await readRange(
          range,
          messages,
          (record) => records.push(record),
          (refusal) => refused.set(`${topic} ${partition} ${refusal.from}`, { topic, partition, ...refusal }),
        );
        // A compacted log may end before the range does.
        if (next === from) break;
        from = next;
      }
    }
    return true;
  };
  try {
    const read = readAll();
    // The read may fail after the caller has stopped waiting.
    read.catch(() => {});
    const complete = await Promise.race([read, isOver]);
    return { complete, records: [...records], refused: [...refused.values()] };
  } finally {
    clearTimeout(timer);
    await admin.disconnect();
  }
}

/** Reads the messages of one fetch that are in the range. */
async function readRange(
  { topic, partition, from, to }: SampleRange,
  messages: readonly Message[],
  keep: (record: SampledRecord) => void,
  refuse: (refusal: UndecodableBatch) => void,
): Promise<void> {
  const isWanted = (offset: Offset): boolean => offset >= from && offset < to;
  for (const { offset: digits, timestamp, key, value, stand } of messages) {
    const last = offsetOf(digits);
    if (last < from) continue;
    if (stand === undefined) {
      if (!isWanted(last)) continue;
      keep({ topic, partition, offset: last, timestamp: Number(timestamp), hasKey: key !== null, value });
      continue;
    }
    if (stand.kind === 'aborted') continue;
    const read = stand.kind === 'batch' ? await openBatch(stand.bytes) : stand.refusal;
    if (!(read instanceof Records)) {
      if (read.from < to) refuse(read);
      continue;
    }
    while (read.next()) {
      const { offset, hasKey } = read;
      if (!isWanted(offset)) continue;
      keep({ topic, partition, offset, timestamp: read.timestamp ?? -1, hasKey, value: read.value });
    }
    read.forget();
  }
}
