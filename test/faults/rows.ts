import type { World, WorldOptions } from './world.ts';

/** One row of the fault matrix that is run against real servers. */
export interface Row {
  readonly id: string;
  /** What happens, as the table says it. `strike` holds the length that it names, or a shorter one. */
  readonly fault: string;
  /** Seconds from the end of the fault until every unit must have committed something fresh. */
  readonly promise: number;
  /**
   * Lets the fault begin and end; recovery is measured from then. Throws if it has not really happened, or answers who finds
   * that out when all continues again.
   */
  readonly strike: (world: World, length: Length) => Promise<void | (() => Promise<void>)>;
  /** What is left to put in order afterwards; recovery from that is waited for, too. */
  readonly mend?: (world: World) => Promise<void>;
}

/** How long a fault lasts, of two lengths in seconds: as the table says, or short as in `npm test`. */
export type Length = (whole: number, short: number) => Promise<void>;

/** Rows that can share servers. */
export interface Group {
  readonly name: string;
  /** Servers, as the table says it. */
  readonly servers: string;
  readonly world: WorldOptions;
  readonly rows: readonly Row[];
}
