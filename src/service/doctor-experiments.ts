/** Whether a first start, or a rebuild, finds lists for experiments whose feedback is no longer kept: such lists are left out. */
import type { Settings } from '../config/settings.ts';
import type { SampledRecord, SampleRange } from '../consumers/source/kafka/access/kafka-sample.ts';
import type { Bounds } from '../consumers/source/source-port.ts';
import type { EpochMs } from '../vocabulary/events.ts';
import { type CheckResult, resultsOf } from './check-result.ts';
import { wasRead } from './checks.ts';
import type { StateFacts } from './doctor-state.ts';

const EXPERIMENTS = resultsOf('experiments');

/** Records without a time, or the ends of transactions, may come before the first record with a time. */
const FIRST_RECORDS = 100;

/** Offsets of the first records that a start would read from partitions without stored state. */
export function firstRecordRanges(settings: Settings, facts: StateFacts): readonly SampleRange[] {
  return unstored(settings, facts).flatMap(({ partition }) =>
    settings.kafka.topics.flatMap(({ name }, t) => {
      const held = facts.bounds[t]?.[partition];
      if (held === undefined) return [];
      return [
        { topic: name, partition, from: held.start, to: Math.min(held.start + FIRST_RECORDS, readableEnd(held)) },
      ];
    }),
  );
}

/** Checks whether feedback of the first lists is still kept. `found`: records of `firstRecordRanges`. */
export function checkExperiments(
  settings: Settings,
  facts: StateFacts,
  found: readonly SampledRecord[],
  now: EpochMs,
): readonly CheckResult[] {
  const { attribution, experiments, kafka } = settings;
  const firstKept = (topic: number, partition: number): FirstKept => {
    const { start = 0, end = 0 } = facts.bounds[topic]?.[partition] ?? {};
    if (start === end) return { hasExpired: start > 0, at: 'nothing' };
    // A record that is ahead of the clock shows nothing, since a worker drops it.
    const first = found
      .filter((one) => one.topic === kafka.topics[topic].name && one.partition === partition)
      .filter(({ timestamp }) => timestamp >= 0 && timestamp <= now + attribution.futureSkew)
      .sort((a, b) => a.offset - b.offset);
    return { hasExpired: start > 0, at: first[0]?.timestamp };
  };
  const lists = kafka.topics.findIndex(({ role }) => role.impressions);
  const pairs = unstored(settings, facts).flatMap(({ partition, from }) =>
    kafka.topics.flatMap(({ name, role }, topic) => {
      const [list, feedback] = [firstKept(lists, partition), firstKept(topic, partition)];
      if (role.impressions || list.at === undefined || feedback.at === undefined) return [];
      const kept = feedback.at === 'nothing' ? now : feedback.at;
      const before = kept + attribution.backward;
      // Feedback from before `from` would not be read even if it were kept.
      const isLacking =
        feedback.hasExpired && list.at !== 'nothing' && kept >= from && Math.max(list.at, from) < before;
      return [{ name, before: isLacking ? before : Number.NEGATIVE_INFINITY }];
    }),
  );
  if (pairs.length === 0) return [];
  const before = Math.max(...pairs.map((pair) => pair.before));
  const affected = experiments.filter(({ start }) => (start ?? Number.NEGATIVE_INFINITY) < before);
  if (affected.length === 0) return [EXPERIMENTS.ok('they begin with lists whose feedback is still kept')];
  const shorter = new Set(pairs.filter((pair) => pair.before > Number.NEGATIVE_INFINITY).map(({ name }) => name));
  return [
    EXPERIMENTS.warning(
      `${[...shorter].join(', ')} no longer keeps the feedback of the oldest lists of ${kafka.topics[lists].name}: ${affected.map(({ name }) => name).join(', ')} ` +
        `will count no lists from before ${new Date(before).toISOString()}. Let it keep its records for as long as the lists`,
    ),
  ];
}

/** The oldest record of a partition of a topic. */
interface FirstKept {
  /** Whether older records have been deleted. */
  readonly hasExpired: boolean;
  /** undefined: its time could not be read. */
  readonly at: EpochMs | 'nothing' | undefined;
}

/** Partitions without stored state, and the time or the earliest record from which a start reads them; none without experiments. */
function unstored(
  { experiments, start }: Settings,
  { stored, committedByGroup }: StateFacts,
): readonly { readonly partition: number; readonly from: EpochMs }[] {
  if (experiments.length === 0) return [];
  const isFirst = stored.every((checkpoint) => checkpoint === undefined);
  return stored.flatMap((checkpoint, partition) => {
    if (checkpoint !== undefined) return [];
    // A lost partition is rebuilt, and an added one read, from the earliest record on.
    if (!isFirst || start.from === 'earliest' || wasRead(committedByGroup, partition)) {
      return [{ partition, from: Number.NEGATIVE_INFINITY }];
    }
    return start.from === 'latest' ? [] : [{ partition, from: start.from.at }];
  });
}

/** The end of the records that can be read now: those of an open transaction cannot. */
function readableEnd({ end, openFrom = end }: Bounds): number {
  return openFrom;
}
