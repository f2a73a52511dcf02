/** Determines up to which time the feedback of files is complete (specification: join 4.1). */
import { type AdapterChoice, adapterTraits } from '../consumers/decode/decoder-settings.ts';
import { hasRowTimes } from '../consumers/decode/list.ts';
import type { EventSample } from '../findings/event-sample.ts';
import { matchesOf } from '../findings/sample-findings.ts';
import { HOUR } from '../vocabulary/durations.ts';
import type { EpochMs, TopicRole } from '../vocabulary/events.ts';

/** How the logs end. */
export interface LogsEnd {
  /** Time of the newest event. */
  readonly newest: EpochMs;
  /** The time up to which feedback is complete. Infinity: for lists of any age; -Infinity: there is no feedback. */
  readonly reach: EpochMs;
  /** Whether lists that are younger than a horizon count too. */
  readonly closeAll: boolean;
}

/** Whether feedback of a topic may arrive later than its list. It does not if the record of a list contains it without a time. */
export function comesLater({ impressions, feedback }: TopicRole, adapter: AdapterChoice): boolean {
  if (!feedback || adapterTraits(adapter).isOfBothSides) return false;
  return !impressions || typeof adapter === 'string' || !('list' in adapter) || hasRowTimes(adapter);
}

/**
 * Whether feedback has no times of its own, because all of it has the time of its list. If all times are whole hours or days, nothing can
 * be concluded, since feedback soon after a list has the same time then, too.
 */
export function hasNoTimes(sample: EventSample): boolean {
  const { lags } = matchesOf(sample);
  const isSame = lags.length > 0 && lags[0] === 0 && lags[lags.length - 1] === 0;
  return isSame && sample.impressions.some(({ ts }) => ts % HOUR !== 0);
}

/** The least watermark of the topics whose feedback arrives later. Infinity: there are none, so everything is known. */
export function reachOf(watermarks: readonly { readonly comesLater: boolean; readonly watermark: EpochMs }[]): EpochMs {
  return Math.min(
    Number.POSITIVE_INFINITY,
    ...watermarks.flatMap(({ comesLater, watermark }) => (comesLater ? [watermark] : [])),
  );
}
