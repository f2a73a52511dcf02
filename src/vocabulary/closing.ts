import type { EpochMs, Joined } from './events.ts';

/** One (impression, horizon) that closed, for good: when, and where it counts. */
export interface Closed {
  /** Index of the horizon. */
  horizon: number;
  /** Close time: ts + horizon. */
  at: EpochMs;
  /** Event time of the impression: decides its pane. */
  ts: EpochMs;
  /** Of its cohorts. */
  tag: number;
  userless: boolean;
  /** Of the user, or of the request where there is no user: 0 to 255 (user-words.ts). */
  bucket: number;
}

/** With the list as it stands then. Buffers are used again: copy what is to be kept. */
export interface Closing extends Closed {
  readonly list: Joined;
}
