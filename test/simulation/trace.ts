import type { EpochMs } from '../../src/vocabulary/events.ts';
import { BEGIN } from './generator.ts';

/** What happened, in words, one line each. Silent unless it is asked for: words cost more than what they tell of. */
export class Trace {
  readonly lines: string[] = [];
  readonly on: boolean;

  constructor(on: boolean) {
    this.on = on;
  }

  say(now: EpochMs, step: number, text: string): void {
    this.lines.push(`${String(step).padStart(5)}  ${sinceBegin(now)}  ${text}`);
  }
}

/** `+01:05.250`: minutes, seconds and milliseconds since the history began. */
export function sinceBegin(time: EpochMs): string {
  if (!Number.isFinite(time)) return 'never';
  const ms = Math.abs(time - BEGIN);
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  return `${time < BEGIN ? '-' : '+'}${two(ms / 60_000)}:${two((ms / 1000) % 60)}.${String(ms % 1000).padStart(3, '0')}`;
}
