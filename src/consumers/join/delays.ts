import type { DurationMs } from '../../vocabulary/events.ts';

/** How long after its impression attributed feedback happened, as counts by upper bound. */
export class Delays {
  /** Seconds, ascending. */
  static readonly bounds = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21_600, 86_400] as const;
  /** `counts[i]`: at or below `bounds[i]` and above the one before; the last has no bound. */
  readonly counts = new Float64Array(Delays.bounds.length + 1);
  /** Seconds. */
  sum = 0;

  add(delay: DurationMs): void {
    const seconds = delay > 0 ? delay / 1000 : 0;
    let i = 0;
    while (i < Delays.bounds.length && seconds > Delays.bounds[i]) i++;
    this.counts[i]++;
    this.sum += seconds;
  }
}
