import { randomUUID } from 'node:crypto';
import kafkajs from 'kafkajs';
import type { DurationMs, EpochMs, Offset } from '../../events.ts';
import type { KafkaClient } from './kafka-admin.ts';
import { offsetOf } from './kafka-chunks.ts';
import { Codecs } from './kafka-codecs.ts';
import { Refusals } from './kafka-refusal.ts';
import { MAX_BYTES, MAX_BYTES_PER_PARTITION } from './kafka-settings.ts';

const { CompressionCodecs } = kafkajs;

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
  const refusals = new Refusals();
  const codecs = new Codecs(refusals);
  Object.assign(CompressionCodecs, codecs.table());
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
  consumer.on(consumer.events.FETCH_START, () => codecs.begin());
  consumer.on(consumer.events.END_BATCH_PROCESS, ({ payload: { topic, partition, firstOffset, lastOffset } }) =>
    reached(topic, partition, Number(firstOffset), Number(lastOffset) + 1),
  );
  const timer = setTimeout(() => finish(false), timeout);
  try {
    await consumer.connect();
    // From the end, so that what comes before the seek is no record of a range.
    await consumer.subscribe({ topics: [...new Set(wanted.map(({ topic }) => topic))], fromBeginning: false });
    await consumer.run({
      autoCommit: false,
      eachBatch: async ({ batch: { topic, partition, messages } }) => {
        const range = open.get(keyOf(topic, partition));
        if (range === undefined) return;
        for (const { offset: text, timestamp, key, value } of messages) {
          const offset = offsetOf(text);
          if (offset < range.from || offset >= range.to) continue;
          const refusal = refusals.of(key);
          if (refusal === undefined) {
            records.push({ topic, partition, offset, timestamp: Number(timestamp), hasKey: key !== null, value });
          } else if (refusal.kind === 'damaged') {
            const { from, to, reason } = refusal;
            refused.set(`${topic} ${partition} ${from}`, { topic, partition, from, to, reason });
          }
        }
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

function keyOf(topic: string, partition: number): string {
  return `${topic} ${partition}`;
}
