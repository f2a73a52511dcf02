/**
 * The traffic of workload.ts as it lies in Kafka: 1 % arrives 60 to 75 minutes late, 1 % is repeated within a minute, 0.1 %
 * is malformed. At the end one impression and one feedback per partition, two windows later, close everything. What must be
 * counted is known beforehand.
 */
import { makeWorkload, randomStream, type WorkloadRecord } from './workload.ts';

export const PARTITIONS = 4;
export const TOPICS = ['impressions', 'feedback'] as const;

/** 150 minutes, so that a fifth of the impressions is open at a time. */
const SPAN_S = 9000;
const WINDOW_MS = 1_800_000;
const LATE_MS = 4_500_000;
const LATE_SPREAD_MS = 900_000;
/** Feedback that comes later after its impression is not repeated: the repeat could be late. */
const REPEATED_WITHIN_MS = 1_500_000;

export interface KafkaRecord extends Pick<WorkloadRecord, 'topic' | 'at' | 'value'> {
  /** Of a malformed record -Infinity. */
  readonly ts: number;
  readonly key: string;
  readonly partition: number;
}

/** What a worker must count. */
export interface Expected {
  /** By topic: its records, and those that must be dropped, by reason; other reasons must have none. */
  readonly topics: readonly { readonly read: number; readonly drops: Readonly<Record<string, number>> }[];
  /** Impressions scored at the longest horizon. */
  readonly scored: number;
}

export interface KafkaWorkload {
  /** In the order of arrival. */
  readonly records: readonly KafkaRecord[];
  readonly expected: Expected;
}

export function kafkaWorkload(impressions: number): KafkaWorkload {
  const random = randomStream(2);
  const plain = makeWorkload(impressions, impressions / SPAN_S);
  const end = plain[plain.length - 1].at;
  const records: KafkaRecord[] = [];
  const counts = TOPICS.map(() => ({ read: 0, drops: { invalid: 0, late: 0, duplicate: 0, orphan: 0 } }));
  const lost = new Set<string>();
  const lateShare = 0.01 / (1 - LATE_MS / 1000 / SPAN_S);
  const put = (record: KafkaRecord): void => {
    counts[record.topic].read++;
    records.push(record);
  };
  const add = ({ topic, at, value, requestId: key, ts, shown }: WorkloadRecord): void => {
    const { drops } = counts[topic];
    const record = { topic, at, value, ts, key, partition: Number.parseInt(key.slice(0, 8), 16) % PARTITIONS };
    if (random() < 0.001) {
      put({ ...record, ts: Number.NEGATIVE_INFINITY, value: spoiled(value, Math.floor(random() * 3)) });
      drops.invalid++;
    }
    if (at + LATE_MS < end && random() < lateShare) {
      put({ ...record, at: at + LATE_MS - random() * LATE_SPREAD_MS });
      drops.late++;
      if (topic === 0) lost.add(key);
      return;
    }
    put(record);
    if (lost.has(key)) drops.orphan++;
    else if (random() < 0.01 && ts - shown < REPEATED_WITHIN_MS) {
      put({ ...record, at: at + random() * 60_000 });
      drops.duplicate++;
    }
  };
  // Impressions first: feedback of one that is late is an orphan, whichever comes first.
  for (const topic of [0, 1]) for (const record of plain) if (record.topic === topic) add(record);
  records.sort((a, b) => a.at - b.at);
  const scored = impressions - counts[0].drops.late;
  for (let partition = 0; partition < PARTITIONS; partition++)
    for (const record of closing(end, partition)) put(record);
  return { records, expected: { topics: counts, scored } };
}

/** No JSON; no time; a field too few. */
function spoiled(value: Buffer, how: number): Buffer {
  if (how === 0) return value.subarray(0, value.length >> 1);
  const text = value.toString();
  return Buffer.from(how === 1 ? text.replace(/"ts":\d+/, '"ts":"yesterday"') : text.replace('"requestId"', '"id"'));
}

function closing(end: number, partition: number): readonly KafkaRecord[] {
  const ts = Math.ceil(end) + 2 * WINDOW_MS;
  const key = `closing-${partition}`;
  const events = [
    { requestId: key, ts, items: [{ id: 'last', score: 1 }] },
    { requestId: key, ts, itemId: 'last', action: 'click', eventId: key },
  ];
  const shared = { at: ts, ts, key, partition };
  return [
    { ...shared, topic: 0, value: Buffer.from(JSON.stringify(events[0])) },
    { ...shared, topic: 1, value: Buffer.from(JSON.stringify(events[1])) },
  ];
}
