import type { FindingCode } from '../findings/catalogue.ts';

type Level = 'ok' | 'warning' | 'error';

/** The result of a check. `error`: something must change before the service can do its work. */
export interface CheckResult {
  /** The name of the check, such as `topics`. */
  readonly check: string;
  readonly level: Level;
  /** What was found and, unless all is well, what to do. Contains no secret and nothing about a user. */
  readonly message: string;
  /** The alert that a running service would raise for it (docs/runbook.md). */
  readonly alert?: string;
  /** The code, if it is one of the findings on logs (docs/replay.md). */
  readonly code?: FindingCode;
}

type Result = (message: string, alert?: string) => CheckResult;

/** Functions that make the results of one check, by their level. */
export function resultsOf(check: string): Readonly<Record<Level, Result>> {
  const of =
    (level: Level): Result =>
    (message, alert) =>
      alert === undefined ? { check, level, message } : { check, level, message, alert };
  return { ok: of('ok'), warning: of('warning'), error: of('error') };
}
