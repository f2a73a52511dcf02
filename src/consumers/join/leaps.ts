import type { DurationMs, EpochMs } from '../../vocabulary/events.ts';
import type { JoinSettings } from './api.ts';

/** So many records must each have gone on from the one before, until the first of them counts. */
const CONFIRMING = 3;
/** A topic goes on by less while it is read as it is written, for silence advances it. */
const LEAST_REACH: DurationMs = 60_000;

/**
 * How far one record may advance the watermark of its topic. A clock that is ahead by no more makes no list late that is overtaken by
 * less than `outOfOrderness`, not even for the shortest horizon.
 */
export function reachOf({ horizons, futureSkew }: Pick<JoinSettings, 'horizons' | 'futureSkew'>): DurationMs {
  return Math.min(futureSkew, Math.max(horizons[0], LEAST_REACH));
}

/**
 * The watermark that a record confirms which would raise it to `raised`, beyond the reach; -Infinity: none yet (specification: join
 * 2.3). Until then one clock that is ahead cannot be told from a pause of the log.
 *
 * @param levels what waits to be confirmed, ascending: empty where none does; is changed
 */
export function confirmedLeap(levels: EpochMs[], raised: EpochMs, reach: DurationMs): EpochMs {
  // This record was written later, and contradicts them.
  while (levels.length > 0 && levels[levels.length - 1] > raised + reach) levels.pop();
  // Records of one batch lie closer together, and are of one clock.
  if (levels.length === 0 || raised >= levels[levels.length - 1] + reach / 2) levels.push(raised);
  if (levels.length <= CONFIRMING) return Number.NEGATIVE_INFINITY;
  let [confirmed] = levels.splice(0, 1);
  while (levels.length > 0 && levels[0] <= confirmed + reach) [confirmed] = levels.splice(0, 1);
  return confirmed;
}
