/** The parts of kafkajs' queue of the requests to one broker that are used. */
export interface RequestQueue {
  /** Requests that have yet to be sent, as the broker asked for a pause or too many are under way. */
  readonly pending: readonly unknown[];
  /** Sets a timer after which they are looked at again, unless there is one. */
  scheduleCheckPendingRequests(): void;
}

/**
 * kafkajs' queue, except that it sets no timer while nothing waits. kafkajs itself sets one after each response, for a time that lies in
 * the past, and again whenever it has passed: each connection wakes the process once a millisecond, for ever.
 */
export function timerless<Options>(
  Queue: new (options: Options) => RequestQueue,
): new (
  options: Options,
) => RequestQueue {
  return class extends Queue {
    override scheduleCheckPendingRequests(): void {
      if (this.pending.length > 0) super.scheduleCheckPendingRequests();
    }
  };
}
