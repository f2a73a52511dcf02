import type { InvalidCode } from '../../vocabulary/drops.ts';
import type { Event, Side } from '../../vocabulary/events.ts';
import type { JoinEvent } from '../join/api.ts';

/** The side that a refused record counts on. */
export type Refused =
  | { readonly refused: 'tombstone'; readonly side: Side }
  | {
      readonly refused: 'invalid';
      readonly code: InvalidCode;
      readonly field: string | undefined;
      readonly side: Side;
    };

/** All events of a record in their order, or why there is none: a record is all or nothing. */
export type Decoded = { readonly events: readonly Event[] } | Refused;

/** As `Decoded`; packed events are valid until any decoder decodes the next record. */
export type Scanned = { readonly events: readonly JoinEvent[] } | Refused;

export interface Decoder {
  /** As `decode`, but faster, for a caller that is done with the events before it decodes the next record. */
  scan(value: Uint8Array | null, source: string, offset: number): Scanned;
  /**
   * Events of one record of `source` (such as `topic:partition`, or a file's number) at `offset`. Never throws, never
   * keeps or prints what it refuses.
   */
  decode(value: Uint8Array | null, source: string, offset: number): Decoded;
  /** Number of keys in the `cohorts` of accepted records that are not valid dimension names. */
  readonly ignoredCohortKeys: number;
}
