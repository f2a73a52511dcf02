import type { FindingCode } from '../findings/catalogue.ts';

export type Level = 'ok' | 'warning' | 'error';

/** The result of one check. error: something must change before the service can do its work. */
export interface Finding {
  /** What was checked, such as `topics`. */
  readonly check: string;
  readonly level: Level;
  /** What was found and, unless all is well, what to do. Contains no secret and nothing about a user. */
  readonly message: string;
  /** The alert that a running service would raise for it (docs/runbook.md). */
  readonly alert?: string;
  /** The code, if it is one of the findings on logs (docs/replay.md). */
  readonly code?: FindingCode;
}

/** @param alert that a service raises if it runs in spite of this; default: none */
export function finding(check: string, level: Level, message: string, alert?: string): Finding {
  return alert === undefined ? { check, level, message } : { check, level, message, alert };
}
