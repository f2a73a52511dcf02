import type { DurationMs, EpochMs } from '../../../../vocabulary/events.ts';

/** The parts of kafkajs' consumer group that are used. */
export interface BeatingGroup {
  /** When it was last heard of by the coordinator, by the machine's clock. */
  lastRequest: EpochMs;
  /** Sends a heartbeat if the last request is older than the interval. */
  heartbeat(options: { readonly interval: DurationMs }): Promise<void>;
}

/**
 * kafkajs' consumer group, which also sends heartbeats when the machine's clock was set back. Kafkajs itself waits until the clock shows
 * the time of the last request again, for an hour if it was set back by one: its member is expelled meanwhile, and does not learn that.
 */
export function beatingAtAnyTime<Options>(
  Group: new (options: Options) => BeatingGroup,
): new (
  options: Options,
) => BeatingGroup {
  return class extends Group {
    override heartbeat(options: { readonly interval: DurationMs }): Promise<void> {
      if (this.lastRequest > Date.now()) this.lastRequest = Number.NEGATIVE_INFINITY;
      return super.heartbeat(options);
    }
  };
}
