import { randomUUID } from 'node:crypto';
import type { DurationMs, EpochMs, Offset } from '../../../../vocabulary/events.ts';
import type { UndecodableBatch } from '../../port.ts';
import { openBatch, Records } from '../codecs/records.ts';
import type { Message } from '../flow/batches.ts';
import { offsetOf } from '../flow/chunks.ts';
import type { KafkaClient } from './admin.ts';
import { MAX_BYTES, MAX_BYTES_PER_PARTITION } from './settings.ts';

/** Offsets of one topic partition that are to be read: [from, to). */
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
  /** Record timestamp. */
  readonly timestamp: EpochMs;
  readonly hasKey: boolean;
  readonly value: Uint8Array | null;
}

/** A record batch that cannot be decoded. */
export interface SampledRefusal {
  readonly topic: string;
  readonly partition: number;
  readonly from: Offset;
  readonly to: Offset;
  readonly reason: string;
}

export interface Sample {
  readonly records: readonly SampledRecord[];
  readonly refused: readonly SampledRefusal[];
  /** false: the time was over before all ranges were read. */
  readonly complete: boolean;
}

/**
 * Reads these ranges once, in a consumer group of its own that commits nothing and is gone afterwards. `groupPrefix`: how its
 * name begins, so that rights by prefix can cover it. Rejects with kafkajs' error.
 */
export async function sample(
  client: KafkaClient,
  groupPrefix: string,
  ranges: readonly SampleRange[],
  timeout: DurationMs,
): Promise<Sample> {
  const wanted = ranges.filter(({ from, to }) => to > from);
  if (wanted.length === 0) return { records: [], refused: [], complete: true };
  const groupId = `${groupPrefix}-${randomUUID()}`;
  const consumer = client.consumer({
    groupId,
    maxBytesPerPartition: MAX_BYTES_PER_PARTITION,
    maxBytes: MAX_BYTES,
    maxWaitTimeInMs: 100,
    retry: { retries: 2, restartOnFailure: async () => false },
  });
  const open = new Map(wanted.map((range) => [keyOf(range.topic, range.partition), range] as const));
  const records: SampledRecord[] = [];
  const refused = new Map<string, SampledRefusal>();
  const note = ({ topic, partition }: SampleRange, { from, to, reason }: UndecodableBatch): void => {
    refused.set(`${topic} ${partition} ${from}`, { topic, partition, from, to, reason });
  };
  let finish: (complete: boolean) => void = () => {};
  let fail: (error: unknown) => void = () => {};
  const finished = new Promise<boolean>((resolve, reject) => {
    finish = resolve;
    fail = reject;
  });
  // It may fail before anybody waits for it.
  finished.catch(() => {});
  const reached = (topic: string, partition: number, first: Offset, next: Offset): void => {
    const key = keyOf(topic, partition);
    const end = open.get(key)?.to;
    // A batch from before the seek begins at the end of the log.
    if (end === undefined || first >= end || next < end) return;
    open.delete(key);
    if (open.size === 0) finish(true);
  };
  consumer.on(consumer.events.CRASH, ({ payload }) => fail(payload.error));
  consumer.on(consumer.events.END_BATCH_PROCESS, ({ payload }) => {
    const { topic, partition, batchSize, firstOffset, lastOffset } = payload;
    if (batchSize === 0) reached(topic, partition, Number(firstOffset), Number(lastOffset) + 1);
  });
  const timer = setTimeout(() => finish(false), timeout);
  try {
    await consumer.connect();
    // From the end, so that what comes before the seek is no record of a range.
    await consumer.subscribe({ topics: [...new Set(wanted.map(({ topic }) => topic))], fromBeginning: false });
    await consumer.run({
      autoCommit: false,
      eachBatch: async ({ batch }) => {
        const range = open.get(keyOf(batch.topic, batch.partition));
        if (range === undefined) return;
        await readRange(
          range,
          batch.messages,
          (record) => records.push(record),
          (refusal) => note(range, refusal),
        );
        // Not in the types. The first message may stand for a batch that began before it.
        const fetched = Number(Reflect.get(batch, 'fetchedOffset'));
        reached(batch.topic, batch.partition, fetched, offsetOf(batch.lastOffset()) + 1);
      },
    });
    for (const { topic, partition, from } of wanted) consumer.seek({ topic, partition, offset: String(from) });
    return { complete: await finished, records, refused: [...refused.values()] };
  } finally {
    clearTimeout(timer);
    await consumer.disconnect();
    const admin = client.admin();
    try {
      await admin.connect();
      await admin.deleteGroups([groupId]);
    } catch {
      // A group without members and offsets is removed by the broker as well.
    } finally {
      await admin.disconnect();
    }
  }
}

/** Reads the messages of one fetch as far as they lie in the range. */
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
  }
}

function keyOf(topic: string, partition: number): string {
  return `${topic} ${partition}`;
}
