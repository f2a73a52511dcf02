import type { JoinSettings } from '../../src/consumers/join/api.ts';
import type { DurationMs, EpochMs } from '../../src/vocabulary/events.ts';

/** H. */
export function longest(settings: JoinSettings): DurationMs {
  return Math.max(...settings.horizons);
}

/**
 * The horizons (by index) at which an event at `ts` counts on an impression at `impressionTs`, when its topic's watermark
 * was `watermark`; and those that it lies in but missed, because they had closed for its topic.
 */
export function splitHorizons(
  settings: JoinSettings,
  impressionTs: EpochMs,
  ts: EpochMs,
  watermark: EpochMs,
): { readonly horizons: readonly number[]; readonly missed: readonly number[] } {
  const inside = settings.horizons.flatMap((h, index) => (ts - impressionTs < h ? [{ h, index }] : []));
  return {
    horizons: inside.filter(({ h }) => watermark < impressionTs + h).map(({ index }) => index),
    missed: inside.filter(({ h }) => watermark >= impressionTs + h).map(({ index }) => index),
  };
}
