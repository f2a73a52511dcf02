import type { DurationMs } from '../../vocabulary/events.ts';
import type { TopicRole } from '../../vocabulary/topic-role.ts';

/** What shapes the join; the slice of the configuration that the engine knows. */
export interface JoinSettings {
  /** Exactly one topic carries impressions. Feedback takes part in this order. */
  readonly topics: readonly TopicRole[];
  /** Ascending; the last is the attribution window H. At most 31. */
  readonly horizons: readonly DurationMs[];
  readonly outOfOrderness: DurationMs;
  readonly backward: DurationMs;
  readonly futureSkew: DurationMs;
  /** Attributed events of one topic that one impression takes. */
  readonly feedbackPerImpression: number;
  /** Actions with a meaning to grades or measures; others are kept for their identity and have index -1. */
  readonly actions: readonly string[];
  /** Whether lists at close name their items and categories (`Joined.items`); default: not. */
  readonly namesItems?: boolean;
  /**
   * Keys all hashes of ids, so that who does not know it cannot choose ids that collide: drawn anew by every process. A
   * non-negative integer. No result depends on it.
   */
  readonly hashSeed?: number;
  /** How many records of one list or request are searched one by one before an index is made; tests lower it. No result depends on it. */
  readonly searchUpTo?: number;
}
