import { scaleUtc } from 'd3-scale';
import { DAY } from '../vocabulary/durations.ts';
import type { EpochMs } from '../vocabulary/events.ts';

interface TimeTick {
  readonly at: EpochMs;
  readonly text: string;
}

/** Event time along an axis, in UTC. */
export interface TimeAxis {
  readonly x: (at: EpochMs) => number;
  readonly ticks: readonly TimeTick[];
  /** What the ticks leave out: `UTC, 2025-11-03`. */
  readonly zone: string;
}

const TICKS = 7;

/** @param from, @param to in event time; if equal, the time is centred; @param left, @param right in pixels */
export function timeAxis(from: EpochMs, to: EpochMs, left: number, right: number): TimeAxis {
  if (from === to) {
    const zone = `UTC, ${day(from)}`;
    return { x: () => (left + right) / 2, ticks: [{ at: from, text: clock(from) }], zone };
  }
  const scale = scaleUtc([from, to], [left, right]);
  const isOneDay = day(from) === day(to);
  const ticks = scale.ticks(TICKS).map((tick) => {
    const at = tick.getTime();
    return { at, text: isOneDay || at % DAY !== 0 ? clock(at) : day(at).slice(5) };
  });
  return { x: (at) => scale(at), ticks, zone: isOneDay ? `UTC, ${day(from)}` : `UTC, from ${day(from)}` };
}

function day(at: EpochMs): string {
  return new Date(at).toISOString().slice(0, 10);
}

function clock(at: EpochMs): string {
  return new Date(at).toISOString().slice(11, 16);
}
