import type { PanesSettings } from '../accumulators/panes-settings.ts';
import type { Row } from '../accumulators/row.ts';
import type { CommitAnswer, Store } from '../accumulators/store/store-port.ts';
import type { ExperimentSettings } from '../config/settings.ts';
import type { Decoder } from '../consumers/decode/record.ts';
import type { JoinSettings, JoinSink } from '../consumers/join/api.ts';
import type { LogRecord, UndecodableBatch } from '../consumers/source/source-port.ts';
import type { Scorer } from '../measures/scorer-contract.ts';
import type { TopicCounts } from '../vocabulary/checkpoint.ts';
import type { InvalidCode } from '../vocabulary/drops.ts';
import type { Closing, EpochMs, Offset, Side } from '../vocabulary/events.ts';
import type { FaultPoint } from '../vocabulary/fault-point.ts';
import type { Permissions } from './resume.ts';
import type { ListSamples } from './samples.ts';

/** What shapes the results of one unit: partition p of every topic. */
export interface UnitSettings {
  readonly namespace: string;
  readonly partition: number;
  /** Of every topic. */
  readonly partitions: number;
  /** Of a unit that has none yet. */
  readonly generation: string;
  readonly permissions: Permissions;
  /** Configuration in two parts: what changes the meaning of rows, and what only adds to them. */
  readonly fingerprint: { readonly shape: string; readonly additive: string };
  readonly join: JoinSettings;
  readonly panes: Omit<PanesSettings, 'owner' | 'closedUpTo'>;
  /** Those of `panes.runs`, in the same order. */
  readonly experiments: readonly ExperimentSettings[];
  /** One per topic: the name under which request ids that an adapter makes are unique. */
  readonly sources: readonly string[];
}

export interface UnitDeps {
  readonly store: Store;
  /** One per topic. */
  readonly decoders: readonly Decoder[];
  readonly scorer: Scorer;
  /** A new random id: 128 bits, as text. */
  readonly newId: () => string;
  /** The wall clock; undefined: it judges nothing (files). */
  readonly now: () => EpochMs | undefined;
  /** Default: none. */
  readonly observer?: Observer | undefined;
  /** Keeps some of what closes, for people to look at; default: nothing is kept. */
  readonly samples?: ListSamples | undefined;
  /**
   * Told of each record that is counted as invalid, when it is judged: before the commit that stores the count, and not of
   * those below the committed offset that are only read again. Must neither throw nor wait. Default: nobody is told.
   */
  readonly onInvalid?: ((invalid: InvalidRecord) => void) | undefined;
  /** The same of each batch that could not be decoded and was passed, if that counted any records. */
  readonly onUndecodable?: ((passed: PassedBatch) => void) | undefined;
  /** For tests; default: none. */
  readonly faultPoint?: FaultPoint | undefined;
}

/** A record that was refused as invalid. Its bytes are views, good until the call returns. */
export interface InvalidRecord {
  /** Index in the configuration's order. */
  readonly topic: number;
  readonly record: LogRecord;
  readonly code: InvalidCode;
  /** The part of the event that is wrong; undefined: all of it, or not known. */
  readonly field: string | undefined;
}

/** A batch that could not be decoded. Its bytes are a view, good until the call returns. */
export interface PassedBatch {
  /** Index in the configuration's order. */
  readonly topic: number;
  readonly batch: UndecodableBatch;
}

/** Sees what a unit accepts and closes, as it happens. Called synchronously. */
export interface Observer {
  /** Also for what is read again. */
  accepted(impression: Parameters<JoinSink['accepted']>[0]): void;
  /** Before it is added to the rows. false: it takes no part in them. */
  closing(closing: Closing): boolean;
  /**
   * After it was added. `scores`: as `Scorer.score` wrote them; `values`: the impression's dimensions. Buffers are used
   * again.
   */
  scored?(closing: Closing, scores: Float64Array, values: readonly string[]): void;
}

/** How often records of a topic were refused, by side and code. */
export type InvalidCounts = Readonly<Record<Side, ReadonlyMap<InvalidCode, number>>>;

/** What has been stored so far: as of the last commit that was answered OK or ALREADY. */
export interface CommittedState {
  readonly counts: readonly TopicCounts[];
  /** By topic: how often records were refused, by code, since this claim. */
  readonly invalid: readonly InvalidCounts[];
  /** Closings since this claim, by field (layout.ts). */
  readonly scored: ReadonlyMap<string, Row>;
  /** By horizon: slots of these closings whose item the catalogue does not hold. */
  readonly unknownItems: readonly number[];
  /** Event time from impression to attributed feedback since this claim. */
  readonly delays: { readonly counts: readonly number[]; readonly sum: number };
  /** By topic: the next offset, and the one that a new owner would begin at. */
  readonly offsets: readonly Offset[];
  readonly replayOffsets: readonly Offset[];
  /** By topic: the watermark before the replay offset; -Infinity: nothing valid lies before. */
  readonly replayWatermarks: readonly EpochMs[];
}

/** An answer of the store, or why nothing was sent. After FENCED or CONFLICT this unit is dead: claim anew. */
export type CommitOutcome = CommitAnswer | 'REPLAYING' | 'NOTHING_NEW' | 'DIVERGED';
