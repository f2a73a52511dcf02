import type { JoinEngine } from '../consumers/join/api.ts';
import { copyCounts } from '../consumers/join/topic.ts';
import type { CommittedState, InvalidCounts } from './contract.ts';
import type { Resumed } from './resume.ts';

/** What is stored of a unit that was just claimed. */
export function claimedState(join: JoinEngine, invalid: readonly InvalidCounts[], resumed: Resumed): CommittedState {
  const topics = join.counts.map((_, topic) => resumed.join?.topics[topic]);
  return {
    counts: join.counts.map(copyCounts),
    invalid: invalid.map(copyInvalid),
    scored: new Map(),
    unknownItems: join.counts[0].impressions.late.map(() => 0),
    delays: delaysOf(join),
    offsets: topics.map((topic) => topic?.committed ?? 0),
    replayOffsets: topics.map((topic) => topic?.replay ?? 0),
    replayWatermarks: topics.map((topic) => topic?.replayWatermark ?? Number.NEGATIVE_INFINITY),
  };
}

export function copyInvalid({ impressions, feedback }: InvalidCounts): InvalidCounts {
  return { impressions: new Map(impressions), feedback: new Map(feedback) };
}

export function delaysOf({ delays }: JoinEngine): CommittedState['delays'] {
  return { counts: [...delays.counts], sum: delays.sum };
}
