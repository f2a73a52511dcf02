/** What one run of one case gave. */
export interface Figures {
  /** By the clock on the wall. */
  readonly perSecond: number;
  /** CPU of all threads per event, microseconds; which is seconds per million events. */
  readonly cpuUs: number;
}

/** A point in a run. */
export interface Mark {
  /** Milliseconds. */
  readonly at: number;
  readonly events: number;
  /** CPU of all threads, microseconds. */
  readonly cpuUs: number;
}

/** Shares of the events between which is measured: before, code is compiled; after, partitions run dry. */
export const FROM = 0.35;
export const TO = 0.97;
const LEAST = 0.15;

/** @throws Error if too little lies between the two marks. */
export function between(name: string, from: Mark | undefined, to: Mark | undefined, total: number): Figures {
  const events = (to?.events ?? 0) - (from?.events ?? 0);
  if (from === undefined || to === undefined || events < LEAST * total) {
    throw new Error(`${name} was done too fast to be measured; take more than ${total} with --events`);
  }
  return { perSecond: events / ((to.at - from.at) / 1000), cpuUs: (to.cpuUs - from.cpuUs) / events };
}
