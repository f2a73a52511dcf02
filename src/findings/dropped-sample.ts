import type { FeedbackDrop } from '../vocabulary/drops.ts';
import type { EpochMs, Side } from '../vocabulary/events.ts';
import type { RecordPlace } from './event-sample.ts';

/** An event that was dropped. */
export interface DroppedEvent {
  readonly side: Side;
  readonly reason: FeedbackDrop;
  readonly ts: EpochMs;
  readonly requestId: string;
  /** The item of feedback. */
  readonly itemId: string | undefined;
  /** undefined: no longer known. */
  readonly place: RecordPlace | undefined;
}

/** Most events that are kept for one reason. */
const MOST = 512;

/**
 * A sample of the events that are dropped for each reason, spread evenly over all of them: every first, second, fourth, ... of
 * those that came.
 */
export class DroppedSample {
  readonly #kept = new Map<string, { events: DroppedEvent[]; step: number; seen: number }>();

  take(event: DroppedEvent): void {
    const key = `${event.side} ${event.reason}`;
    const kept = this.#kept.get(key) ?? { events: [], step: 1, seen: 0 };
    this.#kept.set(key, kept);
    if (kept.seen++ % kept.step > 0) return;
    kept.events.push(event);
    if (kept.events.length <= MOST) return;
    kept.events = kept.events.filter((_, i) => i % 2 === 0);
    kept.step *= 2;
  }

  /** The sampled events, in the order of time. */
  of(side: Side, reason: FeedbackDrop): readonly DroppedEvent[] {
    return [...(this.#kept.get(`${side} ${reason}`)?.events ?? [])].sort((a, b) => a.ts - b.ts);
  }
}
