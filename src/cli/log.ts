import pino from 'pino';
import type { WorkerLog } from '../worker/worker-contract.ts';

/** Structured logs on stderr, one JSON object a line. */
export function processLog(level: 'debug' | 'info' | 'warn'): WorkerLog {
  return pino({ level, base: null }, pino.destination({ dest: 2, sync: true }));
}
