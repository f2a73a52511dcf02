import type { Settings } from '../config/settings.ts';
import type { LogClock } from '../consumers/decode/clock-order.ts';
import type { TouchCounts } from '../consumers/join/touch.ts';
import type { FeedbackDrop, ImpressionDrop } from '../vocabulary/drops.ts';
import type { EpochMs, Side } from '../vocabulary/events.ts';
import type { Unmapped } from '../vocabulary/unmapped.ts';
import type { DroppedSample, EventSample } from './event-sample.ts';
import type { ValidRecords } from './invalid-files.ts';
import type { InvalidReasons } from './invalid-reasons.ts';

/** Records that no map fits, by the option that names their files. */
export type UnmappedByInput = Readonly<Partial<Record<'events' | Side, Unmapped>>>;

/** The counts and samples of a run over files. */
export interface RunFacts {
  /** `impressions`: no feedback was named; `one log`: both sides are in one. */
  readonly input: 'two sides' | 'one log' | 'impressions';
  readonly impressions: {
    readonly read: number;
    readonly accepted: number;
    readonly drops: Readonly<Record<ImpressionDrop, number>>;
    /** For each horizon, the accepted events that came too late for it. */
    readonly late: Readonly<Record<string, number>>;
  };
  /** Number of lists that count at the longest horizon, and of those that are still open there. */
  readonly longest: { readonly counted: number; readonly open: number };
  readonly feedback: {
    readonly read: number;
    readonly attributed: number;
    readonly drops: Readonly<Record<FeedbackDrop, number>>;
    /** For each horizon, the attributed events that came too late for it. */
    readonly late: Readonly<Record<string, number>>;
  };
  /** `reach`: the time up to which the feedback is complete; not finite: unknown. `closeAll`: whether younger lists count, too. */
  readonly end: { readonly reach: EpochMs; readonly closeAll: boolean };
  readonly invalid: InvalidReasons;
  readonly valid: ValidRecords;
  readonly unmapped: UnmappedByInput;
  readonly sample: EventSample;
  readonly dropped: DroppedSample;
  /** The clocks that read times without a zone; those of one log of both sides are under `impressions`. */
  readonly clocks: Readonly<Record<Side, ReadonlySet<LogClock>>>;
  /** How feedback without the id of its list was joined; undefined: all feedback must have one. */
  readonly touched: TouchCounts | undefined;
  readonly settings: Pick<Settings, 'attribution' | 'grading' | 'join' | 'measures'>;
}
