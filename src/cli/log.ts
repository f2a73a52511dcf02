import { format } from 'node:util';
import pino from 'pino';
import type { WorkerLog } from '../worker/worker-contract.ts';

/** Structured logs on stderr, one JSON object a line. */
export function processLog(level: 'debug' | 'info' | 'warn'): WorkerLog {
  return pino({ level, base: null }, pino.destination({ dest: 2, sync: true }));
}

/**
 * What libraries print becomes lines of the log, too: Redis' client writes to the console that a password was not needed, amid the
 * JSON. Without the arguments that servers repeat.
 */
export function logPrinted(log: WorkerLog): void {
  const print = (...texts: readonly unknown[]): void =>
    log.warn({ logger: 'console' }, format(...texts).replace(/,? with args beginning with.*/g, ''));
  Object.assign(console, { error: print, warn: print });
}
