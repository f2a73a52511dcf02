/** The newest records of the configured topics, read without joining the group. */
import type { Settings } from '../config/settings.ts';
import { KafkaAdmin } from '../consumers/source/kafka/access/admin.ts';
import { type SampleRange, sample } from '../consumers/source/kafka/access/kafka-sample.ts';
import { troubleOf } from '../consumers/source/kafka/access/trouble.ts';
import type { Bounds } from '../consumers/source/source-port.ts';
import type { LiveFinding } from '../findings/live-findings.ts';
import type { DurationMs, EpochMs, Offset } from '../vocabulary/events.ts';
import { checkPartitions, StartRefused } from './checks.ts';
import { readSample, recordFindings } from './record-findings.ts';
import { kafkaConnection, serviceDecoders } from './service-settings.ts';

export const SAMPLE_TIMEOUT_MS = 15_000;
/** Newest records of one topic that doctor looks at. */
export const SAMPLED_PER_TOPIC = 10_000;
const SAMPLED_PER_PARTITION = 2000;

/**
 * The newest records of each partition that can be read now, which excludes those of an open transaction. `bounds`: by topic,
 * then partition.
 */
export function newestRanges(
  names: readonly string[],
  bounds: readonly (readonly Bounds[])[],
  perTopic: number,
  perPartition = SAMPLED_PER_PARTITION,
): readonly SampleRange[] {
  return bounds.flatMap((ofTopic, topic) => {
    const each = Math.min(perPartition, Math.ceil(perTopic / ofTopic.length));
    return ofTopic.map(({ start, end: logEnd, openFrom: end = logEnd }, partition) => ({
      topic: names[topic],
      partition,
      from: Math.max(start, end - each),
      to: end,
    }));
  });
}

/** Newest records of one topic that a service looks at. */
const LOOKED_AT_PER_TOPIC = 2000;

/** Findings in the newest records of these partitions. Rejects with an error that says what is wrong. */
export async function lookAtRecords(
  settings: Settings,
  owned: readonly number[],
  now: EpochMs,
): Promise<readonly LiveFinding[]> {
  const names = settings.kafka.topics.map(({ name }) => name);
  const connection = kafkaConnection(settings, 'receval-look');
  const admin = new KafkaAdmin({ ...connection, topics: names });
  try {
    const ranges: SampleRange[] = [];
    for (const partition of owned) {
      const bounds = await Promise.all(names.map((_, topic) => admin.questions.bounds(partition, topic)));
      for (const [topic, { start, end: logEnd, openFrom: to = logEnd }] of bounds.entries()) {
        const each = Math.ceil(LOOKED_AT_PER_TOPIC / owned.length);
        ranges.push({ topic: names[topic], partition, from: Math.max(start, to - each), to });
      }
    }
    const found = await sample(admin.client, ranges, SAMPLE_TIMEOUT_MS);
    return recordFindings(settings, readSample(settings, found, serviceDecoders(settings), now), now);
  } catch (error) {
    const { message } = await troubleOf(error, connection, { probe: false });
    throw new Error(message, { cause: error });
  } finally {
    await admin.close().catch(() => {});
  }
}

interface SampledPartition {
  readonly topic: string;
  readonly partition: number;
  readonly role: Settings['kafka']['topics'][number]['role'];
  /** Values of the records, in the order of the log, without tombstones. */
  readonly values: readonly Uint8Array[];
  /** Offsets of the values. */
  readonly offsets: readonly Offset[];
}

interface TopicsSample {
  readonly partitions: readonly SampledPartition[];
  /** false: time ran out before everything was read. */
  readonly complete: boolean;
}

/** Reads the newest records of all topics. Rejects with an error that says what is wrong. */
export async function sampleTopics(settings: Settings, perTopic: number): Promise<TopicsSample> {
  const { topics } = settings.kafka;
  const names = topics.map(({ name }) => name);
  const connection = kafkaConnection(settings, 'receval-inspect');
  const admin = new KafkaAdmin({ ...connection, topics: names });
  try {
    const partitions = checkPartitions(settings, await admin.questions.partitionCounts());
    const bounds = await Promise.all(
      names.map((_, topic) =>
        Promise.all(Array.from({ length: partitions }, (_, partition) => admin.questions.bounds(partition, topic))),
      ),
    );
    const ranges = newestRanges(names, bounds, perTopic, perTopic);
    const { records, complete } = await sample(admin.client, ranges, SAMPLE_TIMEOUT_MS);
    const ordered = records.toSorted((a, b) => a.offset - b.offset);
    const read = topics.flatMap(({ name, role }) =>
      Array.from({ length: partitions }, (_, partition): SampledPartition => {
        const values: Uint8Array[] = [];
        const offsets: Offset[] = [];
        for (const record of ordered) {
          if (record.topic !== name || record.partition !== partition || record.value === null) continue;
          values.push(record.value);
          offsets.push(record.offset);
        }
        return { topic: name, partition, role, values, offsets };
      }),
    );
    return { partitions: read, complete };
  } catch (error) {
    if (error instanceof StartRefused) throw error;
    const { message } = await troubleOf(error, connection, { probe: false });
    throw new Error(message, { cause: error });
  } finally {
    await admin.close().catch(() => {});
  }
}

interface TopicRates {
  /** Records per second, by partition. */
  readonly perSecond: readonly number[];
  /** The time over which they are averaged: ten minutes, or less if the traffic is newer. */
  readonly span: DurationMs;
  /**
   * Time since the first record of the last ten minutes was written. Less than `span` if this is too short for a rate; undefined:
   * there is no record.
   */
  readonly age: DurationMs | undefined;
}

const LONGEST_SPAN_MS: DurationMs = 600_000;
/** Shortest span of a rate: a batch job writes all its records at once. */
const SHORTEST_SPAN_MS: DurationMs = 30_000;

/** Number of partitions whose first record is read: those with the most records, which begin no later than the others. */
const LOOKED_AT = 8;

/** How fast each topic is written now, by its offsets and the timestamps of its records. `bounds`: by topic, then partition. Rejects with an error of Kafka. */
export function topicRates(
  admin: Pick<KafkaAdmin, 'client' | 'offsetsAt'>,
  names: readonly string[],
  bounds: readonly (readonly Bounds[])[],
  now: EpochMs,
): Promise<readonly TopicRates[]> {
  return Promise.all(
    bounds.map(async (ofTopic, topic) => {
      const since = await admin.offsetsAt(names[topic], now - LONGEST_SPAN_MS);
      const recent = ofTopic.map(({ end }, partition) => ({ partition, from: since.get(partition) ?? end, end }));
      const age = await ageOf(admin, names[topic], recent, now);
      const span = Math.min(LONGEST_SPAN_MS, Math.max(SHORTEST_SPAN_MS, age ?? LONGEST_SPAN_MS));
      return { perSecond: recent.map(({ from, end }) => (1000 * Math.max(0, end - from)) / span), span, age };
    }),
  );
}

interface Recent {
  readonly partition: number;
  /** First record of the last ten minutes. */
  readonly from: Offset;
  readonly end: Offset;
}

/** Time since the first record of the last ten minutes. Without it, newer traffic would be averaged over minutes that had none. */
async function ageOf(
  { client }: Pick<KafkaAdmin, 'client'>,
  topic: string,
  recent: readonly Recent[],
  now: EpochMs,
): Promise<DurationMs | undefined> {
  const most = recent.filter(({ from, end }) => end > from).sort((a, b) => b.end - b.from - (a.end - a.from));
  const ranges = most.slice(0, LOOKED_AT).map(({ partition, from }) => ({ topic, partition, from, to: from + 1 }));
  const { records } = await sample(client, ranges, SAMPLE_TIMEOUT_MS);
  const first = Math.min(...records.map(({ timestamp }) => timestamp).filter((timestamp) => timestamp >= 0));
  return Number.isFinite(first) ? now - first : undefined;
}
