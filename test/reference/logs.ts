import type { IdleAdvance } from '../../src/vocabulary/checkpoint.ts';
import type { EpochMs, Event, Offset, Side } from '../../src/vocabulary/events.ts';
import type { UnmetCondition } from '../../src/vocabulary/unmapped.ts';

/** A record that was decoded: one event or more. */
export interface ReadRecord {
  readonly kind: 'read';
  readonly offset: Offset;
  readonly timestamp: EpochMs | undefined;
  readonly events: readonly Event[];
  /** Those that conditions leave out, after the others; absent: none. */
  readonly excluded?: readonly Event[] | undefined;
}

/** All events of a record, those that are left out included. */
export function allEvents({ events, excluded = [] }: Pick<ReadRecord, 'events' | 'excluded'>): readonly Event[] {
  return [...events, ...excluded];
}

/** Why; undecodable: it is counted as those of a batch are that cannot be decoded. */
export type RefusedReason = 'undecodable' | 'tombstone' | 'invalid';

/** A record that holds no valid event. */
export interface RefusedRecord {
  readonly kind: 'refused';
  readonly offset: Offset;
  readonly side: Side;
  readonly reason: RefusedReason;
}

/** A record that no map is for. */
export interface PassedRecord {
  readonly kind: 'passed';
  readonly offset: Offset;
  readonly condition: UnmetCondition;
}

export type LogRecord = ReadRecord | RefusedRecord | PassedRecord;

/** The whole log of one topic, in the order of offsets, and its two recorded inputs (specification: join 1.4). */
export interface TopicLog {
  readonly records: readonly LogRecord[];
  readonly idleAdvances: readonly IdleAdvance[];
  /** Offsets of the records that the wall clock judged to be `future`. */
  readonly clockDrops: readonly Offset[];
}
