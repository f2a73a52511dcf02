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
  /** Without it the items of rows are not read. */
  readonly limits?: Pick<Settings['limits'], 'itemsCounted'>;
  /** Without it their counts by rank are not read. */
  readonly positions?: Pick<Settings['positions'], 'ranks'>;
};

export interface ExporterDeps {
  readonly store: Store;
  readonly namespace: string;
  /** Partitions of every topic, which is the number of units. */
  readonly partitions: number;
  /** Of the configuration, to find units that were stored under another one; undefined: all rows are read as they are. */
  readonly fingerprint?: Fingerprint | undefined;
  /** Of this process, as in `SampleUnion`; no result depends on it. Default: 0. */
  readonly hashSeed?: number | undefined;
  /** Length of hour panes, for tests; default: an hour. */
  readonly hour?: DurationMs;
}

/** Which cohort's past is requested, and how much of it. */
export interface HistoryQuestion {
  readonly by: readonly string[];
  readonly values: readonly string[];
  /** Canonical name. */
  readonly measure: string;
  /** As in the configuration. */
  readonly horizon: string;
  /** Length of the windows whose values are returned: whole panes. */
  readonly window: DurationMs;
  /** Back from the newest final pane. */
  readonly span: DurationMs;
}

export interface HistoryPoint {
  /** Event time: end of the window. */
  readonly at: EpochMs;
  readonly value: number;
  /** Standard error; null: there is none. */
  readonly stderr: number | null;
}

export interface CohortHistory {
  /** In the order of time. */
  readonly points: readonly HistoryPoint[];
  /** Points up to here cover one hour each; undefined: none does. */
  readonly hoursTo: EpochMs | undefined;
  /** Older hours are being read: ask again. */
  readonly isReading: boolean;
}

export interface QualityRow extends CohortRow {
  /** Both as in the configuration. */
  readonly horizon: string;
  readonly window: string;
  /** Standard errors, one per measure. */
  readonly stderrs: readonly Result<number>[];
}

export interface QualityWindow {
  readonly horizon: string;
  readonly window: string;
  /** Every unit has every pane of it, and all are complete. */
  readonly complete: boolean;
  /** As in `HorizonWindow`. */
  readonly lacks: readonly string[];
  /** Event time that all units must have reached for that, as far as is known; undefined: a unit is missing, or lacks something. */
  readonly completeAt?: EpochMs | undefined;
}

/**
 * What all units had stored at one moment. `rows`, `windows`, `decisions` and `experiments` are the same objects as long as
 * nothing in them changed.
 */
export interface QualitySnapshot {
  /** By horizon, then window, both in the order of the configuration; then as `cohortRows` has them. */
  readonly rows: readonly QualityRow[];
  /** By horizon, then window: each of them, with rows or without. */
  readonly windows: readonly QualityWindow[];
  /**
   * Decisions on watched cohorts against their own past, as of the newest whole step; none while the past is still being read.
   * By set, then cohort, then measure.
   */
  readonly decisions: readonly QualityDecision[];
  /** The experiments, in the order of the configuration; none before they could be read. */
  readonly experiments: readonly Comparison[];
  /** The looks of each of them, in the same order. */
  readonly trails?: readonly Trail[];
  /** By horizon: end of the newest final pane that holds a result; absent: there is none. */
  readonly resultTimes: ReadonlyMap<string, EpochMs>;
  /** Impressions that all units accepted since their first records. */
  readonly impressions: number;
  /** Rows that are listed, and that the store lacks; absent: none were looked for. */
  readonly lost?: LostKeys;
}
