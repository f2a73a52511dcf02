import type { EpochMs } from '../../vocabulary/events.ts';

/** Converts local times to instants, for times that are written without a zone. */
export interface TimeZone {
  /**
   * The instant at which clocks there show this time, given as if it were UTC. If clocks are set back and show it twice, it is
   * the first of the two; if they are set forward and never show it, it is later by the size of the gap (as in java.time and
   * Temporal).
   */
  instantOf(local: number): EpochMs;
  /** The second of the two instants at which clocks there show this time; undefined: there is only one, or none. */
  secondOf(local: number): EpochMs | undefined;
  /** Whether clocks there never show this time. */
  isSkipped(local: number): boolean;
  /** Whether clocks there show the time of this instant at another one, too. */
  isTwice(at: EpochMs): boolean;
}
