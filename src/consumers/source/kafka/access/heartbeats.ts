import type { DurationMs, EpochMs } from '../../../../vocabulary/events.ts';

/** The used parts of kafkajs' consumer group. */
export interface BeatingGroup {
  /** When the coordinator last heard from it, by the machine's clock. */
  lastRequest: EpochMs;
  /** Sends a heartbeat if the last request is older than the interval. */
  heartbeat(options: { readonly interval: DurationMs }): Promise<void>;
}

/**
 * kafkajs' consumer group, which also sends heartbeats when the machine's clock was set back. kafkajs itself waits until the clock shows
 * the time of the last request again, for an hour if it was set back by one. Meanwhile its member is expelled, and does not learn that.
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
