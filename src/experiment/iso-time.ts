import type { EpochMs } from '../vocabulary/events.ts';

/** ISO time in UTC with milliseconds: `2026-11-21T08:00:00.000Z`. */
export function isoTime(at: EpochMs): string {
  return new Date(at).toISOString();
}
