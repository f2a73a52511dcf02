/** The used parts of kafkajs' queue of the requests to one broker. */
export interface RequestQueue {
  /** Requests not sent yet, because the broker asked for a pause or too many are in flight. */
  readonly pending: readonly unknown[];
  /** Sets a timer after which they are examined again, unless there is one. */
  scheduleCheckPendingRequests(): void;
}

/**
 * kafkajs' queue, except that it sets no timer while nothing waits. kafkajs itself sets one after each response, for a time in the past,
 * and again whenever it has passed: each connection wakes the process once a millisecond, forever.
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
