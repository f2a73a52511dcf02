/** Up to where the feedback of files tells what people did (specification: join 4.1). */
import { type AdapterChoice, adapterTraits } from '../consumers/decode/decoder-settings.ts';
import { hasRowTimes } from '../consumers/decode/list.ts';
import type { EventSample } from '../findings/event-sample.ts';
import { matchesOf } from '../findings/sample-findings.ts';
import { HOUR } from '../vocabulary/durations.ts';
import type { EpochMs, TopicRole } from '../vocabulary/events.ts';

/** How the logs end. */
export interface LogsEnd {
  /** The newest event of all. */
  readonly newest: EpochMs;
  /** Up to where the feedback tells what people did. Infinity: whatever the lists' age; -Infinity: there is none. */
  readonly reach: EpochMs;
  /** Lists that are younger than a horizon count, too. */
  readonly closeAll: boolean;
}

/** Whether feedback of a topic may come later than its list: it does not, where the record of a list has it without a time. */
export function comesLater({ impressions, feedback }: TopicRole, adapter: AdapterChoice): boolean {
  if (!feedback || adapterTraits(adapter).isOfBothSides) return false;
  return !impressions || typeof adapter === 'string' || !('list' in adapter) || hasRowTimes(adapter);
}

/**
 * Whether feedback has no times of its own, as all of it has that of its list. Where all times are whole hours or days nothing follows:
 * feedback soon after a list has its time then, too.
 */
export function hasNoTimes(sample: EventSample): boolean {
  const { lags } = matchesOf(sample);
  const isSame = lags.length > 0 && lags[0] === 0 && lags[lags.length - 1] === 0;
  return isSame && sample.impressions.some(({ ts }) => ts % HOUR !== 0);
}

/** The least watermark of the topics whose feedback comes later. Infinity: there is none, so that all is known. */
export function reachOf(watermarks: readonly { readonly comesLater: boolean; readonly watermark: EpochMs }[]): EpochMs {
  return Math.min(
    Number.POSITIVE_INFINITY,
    ...watermarks.flatMap(({ comesLater, watermark }) => (comesLater ? [watermark] : [])),
  );
}
