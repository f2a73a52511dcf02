import pino from 'pino';
import type { WorkerLog } from '../worker.ts';

/** Structured logs on stderr: warnings, with `--verbose` everything. */
export function processLog(verbose: boolean): WorkerLog {
  return pino({ level: verbose ? 'debug' : 'warn', base: null }, pino.destination({ dest: 2, sync: true }));
}
