import type { DurationMs } from './events.ts';

export const MINUTE: DurationMs = 60_000;
export const HOUR: DurationMs = 60 * MINUTE;
export const DAY: DurationMs = 24 * HOUR;

const UNITS = [
  ['d', DAY],
  ['h', HOUR],
  ['m', MINUTE],
  ['s', 1000],
  ['ms', 1],
] as const;

export const DURATION = /^([0-9]{1,12})(ms|s|m|h|d)$/;
/** Ten years: a longer duration is taken for a typing error. */
const LONGEST: DurationMs = 3650 * DAY;

/** Parses `250ms`, `30s`, `5m`, `1h`, `7d` to milliseconds; undefined: not a whole number with a unit, or above ten years. */
export function parseDuration(text: string): DurationMs | undefined {
  const match = DURATION.exec(text);
  const unit = match === null ? undefined : UNITS.find(([name]) => name === match[2]);
  if (match === null || unit === undefined) return undefined;
  const ms = Number(match[1]) * unit[1];
  return ms <= LONGEST ? ms : undefined;
}

/** The durations that are usual in settings: 10s, 30s, 1m, 5m, ... 30d. */
const USUAL: readonly DurationMs[] = [
  '10s',
  '30s',
  '1m',
  '5m',
  '10m',
  '30m',
  '1h',
  '2h',
  '6h',
  '12h',
  '1d',
  '3d',
  '7d',
  '30d',
].flatMap((text) => parseDuration(text) ?? []);

/** The shortest usual duration that is at least this long, or the longest, 30 days. */
export function usualDuration(least: DurationMs): DurationMs {
  return USUAL.find((duration) => duration >= least) ?? USUAL[USUAL.length - 1];
}

/** The shortest text that parses back: 90000 is `90s`, 0 is `0s`. */
export function printDuration(ms: DurationMs): string {
  if (ms === 0) return '0s';
  const unit = UNITS.find(([, size]) => ms % size === 0);
  return unit === undefined ? `${ms}ms` : `${ms / unit[1]}${unit[0]}`;
}
