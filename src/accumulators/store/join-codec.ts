import type { IdleAdvance, JoinCheckpoint, TopicCheckpoint, TopicCounts } from '../../vocabulary/checkpoint.ts';
import { keysOf, listOf, rangeOf, timeOf, whole } from './json.ts';

/** The join's part of a checkpoint from its parsed JSON. Throws an Error that names the part that is wrong. */
export function joinOf(topics: unknown, counts: unknown, watermark: unknown): JoinCheckpoint {
  return {
    topics: listOf(topics, 'topics', topicOf),
    counts: listOf(counts, 'counts', countsOf),
    watermark: timeOf(watermark, 'watermark'),
  };
}

function topicOf(value: unknown, where: string): TopicCheckpoint {
  const topic = keysOf(value, where);
  return {
    committed: whole(topic['committed'], `${where}.committed`),
    replay: whole(topic['replay'], `${where}.replay`),
    replayWatermark: timeOf(topic['replayWatermark'], `${where}.replayWatermark`),
    idleAdvances: listOf(topic['idleAdvances'], `${where}.idleAdvances`, idleAdvanceOf),
    clockDrops: listOf(topic['clockDrops'], `${where}.clockDrops`, rangeOf),
    ...(topic['clockBlocks'] === undefined ? {} : { clockBlocks: whole(topic['clockBlocks'], `${where}.clockBlocks`) }),
    ...(topic['undecodable'] === undefined
      ? {}
      : { undecodable: listOf(topic['undecodable'], `${where}.undecodable`, rangeOf) }),
  };
}

function idleAdvanceOf(value: unknown, where: string): IdleAdvance {
  const advance = keysOf(value, where);
  return {
    before: whole(advance['before'], `${where}.before`),
    watermark: timeOf(advance['watermark'], `${where}.watermark`),
  };
}

function countsOf(value: unknown, where: string): TopicCounts {
  const counts = keysOf(value, where);
  const impressions = sideOf(counts['impressions'], `${where}.impressions`);
  const feedback = sideOf(counts['feedback'], `${where}.feedback`);
  return {
    impressions: {
      read: impressions.count('read'),
      accepted: impressions.count('accepted'),
      drops: {
        undecodable: impressions.newerDrop('undecodable'),
        tombstone: impressions.drop('tombstone'),
        invalid: impressions.drop('invalid'),
        future: impressions.drop('future'),
        late: impressions.drop('late'),
        duplicate: impressions.drop('duplicate'),
      },
      late: impressions.late,
    },
    feedback: {
      read: feedback.count('read'),
      attributed: feedback.count('attributed'),
      drops: {
        undecodable: feedback.newerDrop('undecodable'),
        tombstone: feedback.drop('tombstone'),
        invalid: feedback.drop('invalid'),
        future: feedback.drop('future'),
        late: feedback.drop('late'),
        orphan: feedback.drop('orphan'),
        not_in_list: feedback.drop('not_in_list'),
        duplicate: feedback.drop('duplicate'),
        capped: feedback.drop('capped'),
      },
      late: feedback.late,
    },
  };
}

interface SideCounts {
  count(name: string): number;
  drop(reason: string): number;
  /** One that came after the first release: states from before have none of it. */
  newerDrop(reason: string): number;
  readonly late: number[];
}

function sideOf(value: unknown, where: string): SideCounts {
  const side = keysOf(value, where);
  const drops = keysOf(side['drops'], `${where}.drops`);
  return {
    count: (name) => whole(side[name], `${where}.${name}`),
    drop: (reason) => whole(drops[reason], `${where}.drops.${reason}`),
    newerDrop: (reason) => whole(drops[reason] ?? 0, `${where}.drops.${reason}`),
    late: [...listOf(side['late'], `${where}.late`, whole)],
  };
}
