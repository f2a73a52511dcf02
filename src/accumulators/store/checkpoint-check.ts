import type { JoinCheckpoint, TopicCheckpoint } from '../../vocabulary/checkpoint.ts';
import type { Offset } from '../../vocabulary/events.ts';

/** More partitions than any cluster has. */
const MOST_PARTITIONS = 1_000_000;
/** More panes of one size than any configuration keeps: minutes of a hundred thousand hours. */
const MOST_PANES = 6_000_000;

type PaneRanges = readonly (readonly [from: number, to: number])[];

/** The parts of a checkpoint that can contradict each other. */
interface Checked {
  readonly partitions: number;
  readonly join: JoinCheckpoint;
  readonly panes: {
    readonly minutes: PaneRanges;
    readonly hours: PaneRanges;
    readonly vectors?: PaneRanges | undefined;
  };
  readonly lastRecords: readonly unknown[];
}

/**
 * Throws an Error that names a part of a checkpoint that no unit can have stored, because it contradicts another part, or because
 * its size alone would fill the memory of the reader.
 */
export function mustBePossible({ partitions, join, panes, lastRecords }: Checked): void {
  if (partitions < 1 || partitions > MOST_PARTITIONS) {
    throw new Error(`partitions: expected 1 to ${MOST_PARTITIONS}, found ${partitions}`);
  }
  const { topics, counts } = join;
  mustBeOfTopics('counts', counts, topics.length);
  mustBeOfTopics('lastRecords', lastRecords, topics.length);
  for (const [t, topic] of topics.entries()) mustBeInOrder(topic, `topics[${t}]`);
  const horizons = counts.at(0)?.impressions.late.length;
  for (const [t, { impressions, feedback }] of counts.entries()) {
    if (impressions.late.length === horizons && feedback.late.length === horizons) continue;
    throw new Error(`counts[${t}]: expected ${horizons} horizons in each list of late events, as in the first`);
  }
  for (const size of ['minutes', 'hours', 'vectors'] as const) {
    const listed = (panes[size] ?? []).reduce((sum, [from, to]) => sum + to - from, 0);
    if (listed > MOST_PANES) throw new Error(`panes.${size}: expected ${MOST_PANES} at most, found ${listed}`);
  }
}

function mustBeOfTopics(name: string, list: readonly unknown[], topics: number): void {
  if (list.length !== topics)
    throw new Error(`${name}: expected one for each of ${topics} topics, found ${list.length}`);
}

function mustBeInOrder(topic: TopicCheckpoint, where: string): void {
  const { committed, replay, idleAdvances, clockDrops, undecodable = [], leaps } = topic;
  if (replay > committed)
    throw new Error(`${where}: it replays from ${replay}, behind the committed offset ${committed}`);
  let last: Offset = replay;
  for (const { before } of idleAdvances) {
    if (before < last || before > committed) throw new Error(`${where}.idleAdvances: ${before} is out of order`);
    last = before;
  }
  if (leaps?.levels.some(([level, votes], i, all) => votes < 1 || (i > 0 && level < all[i - 1][0]))) {
    throw new Error(`${where}.leaps: the levels fall, or have no votes`);
  }
  for (const [name, ranges] of Object.entries({ clockDrops, undecodable })) {
    for (const [from, to] of ranges) {
      if (from < 0 || to > committed) throw new Error(`${where}.${name}: [${from}, ${to}) was not read yet`);
    }
  }
}
