/** How fast the configured topics are written now, by their offsets and record timestamps. */
import type { KafkaAdmin } from '../consumers/source/kafka/access/admin.ts';
import { sample } from '../consumers/source/kafka/access/kafka-sample.ts';
import type { Bounds } from '../consumers/source/source-port.ts';
import type { DurationMs, EpochMs, Offset } from '../vocabulary/events.ts';
import { SAMPLE_TIMEOUT_MS } from './topic-sample.ts';

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

/** The rates of each topic. `bounds`: by topic, then partition. Rejects with an error of Kafka. */
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
