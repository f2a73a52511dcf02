import type { JoinSettings } from '../../src/consumers/join/api.ts';
import type { TopicCounts } from '../../src/vocabulary/checkpoint.ts';
import type { TopicLog } from '../reference/logs.ts';
import { joinByRequest, type PlainJoin } from './join-by-request.ts';
import type { ClockDrops } from './recorded-inputs.ts';

/** The log of one topic, with what was seen of the wall clock. */
export interface WatchedLog extends Omit<TopicLog, 'clockDrops'> {
  readonly clockDrops: ClockDrops;
}

/** What the reference makes of the logs of one unit, and what it took the wall clock for. */
export interface ExpectedJoin extends PlainJoin {
  /** By topic: offsets. */
  readonly clockDrops: readonly (readonly number[])[];
}

/**
 * The reference's join of one unit. Whether the clock dropped a record that was not seen in time is the one thing that is
 * taken from what is stored: as many of the possible ones as the stored `future` says. All other numbers have to follow.
 */
export function expectedJoin(
  settings: JoinSettings,
  logs: readonly WatchedLog[],
  stored: readonly TopicCounts[],
): ExpectedJoin {
  const joined = (drops: readonly (readonly number[])[]): ExpectedJoin => ({
    ...joinByRequest(
      settings,
      logs.map((log, topic) => ({ ...log, clockDrops: drops[topic] })),
    ),
    clockDrops: drops,
  });
  const known = joined(logs.map(({ clockDrops }) => clockDrops.known));
  const drops = logs.map(({ clockDrops }, topic) => {
    const lacking = futureOf(stored[topic]) - futureOf(known.counts[topic]);
    return [...clockDrops.known, ...clockDrops.possible.slice(0, Math.max(0, lacking))];
  });
  const isMore = drops.some((offsets, topic) => offsets.length > logs[topic].clockDrops.known.length);
  return isMore ? joined(drops) : known;
}

function futureOf(counts: TopicCounts | undefined): number {
  return (counts?.impressions.drops.future ?? 0) + (counts?.feedback.drops.future ?? 0);
}
