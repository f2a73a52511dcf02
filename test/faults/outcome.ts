import type { AuditResult } from './audit.ts';
import type { Row } from './rows.ts';

/** What came of one row. */
export interface Outcome {
  readonly row: Row;
  /** Seconds until all units continued; undefined: some never did. */
  readonly recovery: number | undefined;
  /** The same after it was put in order; undefined: there was nothing to put in order. */
  readonly mended?: number | undefined;
  /** Of all that was stored until then; undefined: not compared after this row. */
  readonly audit?: AuditResult;
  /** Why the row could not be run to its end. */
  readonly error?: string;
}
