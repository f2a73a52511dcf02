import { writeSync } from 'node:fs';
import { format } from 'node:util';
import pino from 'pino';
import type { WorkerLog } from '../worker/worker-contract.ts';

/** Structured logs on stderr, one JSON object a line. */
export function processLog(level: 'debug' | 'info' | 'warn'): WorkerLog {
  const output = new LogOutput((bytes) => writeSync(2, bytes));
  process.once('exit', () => output.end());
  return pino({ level, base: null }, output);
}

/** Most that waits to be written. */
const KEPT_BYTES = 256 * 1024;
const RETRY_MS = 200;
/** When the process ends: between attempts, and of them all. */
const PAUSE_MS = 20;
const LAST_MS = 500;

/**
 * Where lines of the log go. A disk that is full, or a reader that is slow or has ended, must not end the service: lines wait until
 * they can be written. When too many wait, further ones are lost, and a line of the log says how many.
 */
export class LogOutput {
  readonly #writeSome: (bytes: Buffer) => number;
  #waiting: Buffer = Buffer.alloc(0);
  #lostLines = 0;
  #retry: NodeJS.Timeout | undefined;

  /** @param writeSome writes at least one byte, and returns how many; throws when it cannot */
  constructor(writeSome: (bytes: Buffer) => number) {
    this.#writeSome = writeSome;
  }

  write(line: string): void {
    this.#flush();
    const bytes = Buffer.from(line);
    if (this.#waiting.length > 0 && this.#waiting.length + bytes.length > KEPT_BYTES) {
      this.#lostLines++;
      return;
    }
    this.#waiting = Buffer.concat([this.#waiting, bytes]);
    this.#flush();
    if (this.#waiting.length > 0 || this.#lostLines === 0) return;
    const lines = this.#lostLines;
    this.#lostLines = 0;
    const msg = 'the log could not be written for a while, as on a full disk: so many lines are lost';
    this.write(`${JSON.stringify({ level: 40, time: Date.now(), lines, msg })}\n`);
  }

  /** The process ends: writes what waits, and blocks for a moment where that is not possible at once. */
  end(): void {
    const pause = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    this.#flush();
    for (let waited = 0; this.#waiting.length > 0 && waited < LAST_MS; waited += PAUSE_MS) {
      Atomics.wait(pause, 0, 0, PAUSE_MS);
      this.#flush();
    }
  }

  #flush(): void {
    try {
      while (this.#waiting.length > 0) this.#waiting = this.#waiting.subarray(this.#writeSome(this.#waiting));
    } catch {
      // There is no other place to report it.
      this.#retry ??= setTimeout(() => {
        this.#retry = undefined;
        this.#flush();
      }, RETRY_MS).unref();
    }
  }
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
