import type { Fingerprint } from '../accumulators/store/checkpoint-codec.ts';
import type { Store } from '../accumulators/store/store-port.ts';
import type { Settings } from '../config/settings.ts';
import type { Comparison } from '../experiment/comparison.ts';
import type { Trail } from '../experiment/take-looks.ts';
import type { Result } from '../statistics/absent.ts';
import type { DurationMs, EpochMs } from '../vocabulary/events.ts';
import type { CohortRow } from '../windows/windows.ts';
import type { QualityDecision } from './cohort-watch.ts';
import type { LostKeys } from './lost-rows.ts';

export type ExporterSettings = Pick<
  Settings,
  'cohorts' | 'detect' | 'experiments' | 'measures' | 'paneSize' | 'statistics' | 'windows'
> & {
  readonly attribution: Pick<Settings['attribution'], 'horizons' | 'window' | 'unitTimeout'>;
  /** Limits; without them the items of rows are not read. */
  readonly limits?: Pick<Settings['limits'], 'itemsCounted'>;
  /** Ranks of positions; without them counts by rank are not read. */
  readonly positions?: Pick<Settings['positions'], 'ranks'>;
};

export interface ExporterDeps {
  readonly store: Store;
  readonly namespace: string;
  /** Number of partitions of every topic, which is the number of units. */
  readonly partitions: number;
  /**
   * Fingerprint of the configuration, with which units that were stored under another one are found; undefined: all rows are read as they
   * are.
   */
  readonly fingerprint?: Fingerprint | undefined;
  /** Hash seed of this process, as in `SampleUnion`; no result depends on it. Default: 0. */
  readonly hashSeed?: number | undefined;
  /** Length of hour panes, for tests; default: an hour. */
  readonly hour?: DurationMs;
}

/** A request for the past of a cohort. */
export interface HistoryQuestion {
  readonly by: readonly string[];
  readonly values: readonly string[];
  /** The measure's canonical name. */
  readonly measure: string;
  /** The horizon, as in the configuration. */
  readonly horizon: string;
  /** Length of the windows whose values are returned: whole panes. */
  readonly window: DurationMs;
  /** How far back from the newest final pane. */
  readonly span: DurationMs;
}

export interface HistoryPoint {
  /** Event time of the window's end. */
  readonly at: EpochMs;
  readonly value: number;
  /** Standard error; null: there is none. */
  readonly stderr: number | null;
}

export interface CohortHistory {
  /** Points in the order of time. */
  readonly points: readonly HistoryPoint[];
  /** Points up to this time cover one hour each; undefined: none does. */
  readonly hoursTo: EpochMs | undefined;
  /** Whether older hours are being read; request the history again. */
  readonly isReading: boolean;
}

export interface QualityRow extends CohortRow {
  /** Horizon and window, as in the configuration. */
  readonly horizon: string;
  readonly window: string;
  /** Standard errors, one per measure. */
  readonly stderrs: readonly Result<number>[];
}

export interface QualityWindow {
  readonly horizon: string;
  readonly window: string;
  /** Whether every unit has every pane of it, and all are complete. */
  readonly complete: boolean;
  /** See `HorizonWindow`. */
  readonly lacks: readonly string[];
  /** The event time that all units must reach for that, as far as is known; undefined: a unit is missing, or lacks something. */
  readonly completeAt?: EpochMs | undefined;
}

/**
 * What all units had stored at one moment. `rows`, `windows`, `decisions` and `experiments` are the same objects as long as nothing in
 * them has changed.
 */
export interface QualitySnapshot {
  /** Rows by horizon, then window, both in the order of the configuration; then in the order of `cohortRows`. */
  readonly rows: readonly QualityRow[];
  /** All windows, with or without rows, by horizon, then window. */
  readonly windows: readonly QualityWindow[];
  /**
   * Decisions on watched cohorts compared with their own past, as of the newest whole step; none while the past is still being read.
   * Ordered by set, then cohort, then measure.
   */
  readonly decisions: readonly QualityDecision[];
  /** The experiments, in the order of the configuration; none until they can be read. */
  readonly experiments: readonly Comparison[];
  /** The looks of each of them, in the same order. */
  readonly trails?: readonly Trail[];
  /** End of the newest final pane that contains a result, by horizon; absent: there is none. */
  readonly resultTimes: ReadonlyMap<string, EpochMs>;
  /** Number of impressions that all units have accepted since their first records. */
  readonly impressions: number;
  /** Rows that are listed but missing from the store; absent: they were not checked. */
  readonly lost?: LostKeys;
}
