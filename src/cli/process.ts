/** What a command needs of its process: signals, version, seed and crashes. */
import { randomInt } from 'node:crypto';
import { fstatSync, readFileSync, writeFileSync } from 'node:fs';
import type { DurationMs } from '../vocabulary/events.ts';
import { isOutOfHandles, OUT_OF_HANDLES } from './failure.ts';

/** What asks a process to end: a supervisor, Ctrl-C, or a terminal that closes. */
export const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** Resolves at a signal that asks for the end, or after `duration`; a second signal ends the process at once. */
export function untilStopped(duration: DurationMs | undefined): Promise<void> {
  return new Promise((resolve) => {
    const stop = (): void => {
      for (const signal of STOP_SIGNALS) {
        process.removeListener(signal, stop);
        process.once(signal, () => process.exit(130));
      }
      clearTimeout(timer);
      resolve();
    };
    const timer = duration === undefined ? undefined : setTimeout(stop, duration);
    for (const signal of STOP_SIGNALS) {
      const early = process.listeners(signal);
      process.on(signal, stop);
      // That of bin/receval, which would end the process at once. Only now: a signal that was sent before must find a listener.
      for (const listener of early) process.removeListener(signal, listener);
    }
  });
}

/** What runs until it is stopped. */
interface Running {
  run(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Runs a service until it ends or `stopped` resolves, and stops it. A hung client must not delay the exit, which is safe after the last
 * commit: when a stop takes longer than `timeout`, this ends as it would have, and then the process, whatever still runs. Rejects with
 * the error that ended the service.
 */
export async function runToEnd(service: Running, stopped: Promise<void>, timeout: DurationMs): Promise<void> {
  const running = service.run();
  let failure: { readonly error: unknown } | undefined;
  try {
    await Promise.race([stopped, running]);
  } catch (error) {
    failure = { error };
  }
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      resolve();
      // In a later turn: by then a failure has been reason, and the exit code is set.
      setImmediate(() => process.exit());
    }, timeout);
  });
  const stop = async (): Promise<void> => {
    await service.stop();
    await running;
  };
  try {
    await Promise.race([stop(), late]);
  } catch (error) {
    failure ??= { error };
  }
  // From now on it only waits for what the clients have left open.
  timer?.unref();
  if (failure !== undefined) throw failure.error;
}

/** Version of the package. */
export function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : 'unknown';
}

/** The seed of this process's hashes: as wide as `randomInt` draws. */
export function newHashSeed(): number {
  return randomInt(2 ** 48 - 1);
}

/**
 * Where standard output is a file, writes each text whole or fails. Node.js writes once and asks for no more, so on a disk that gets full
 * the text is cut off without an error.
 */
export function writeFilesWhole(stream: NodeJS.WriteStream & { readonly fd: number }): void {
  const { fd } = stream;
  if (!fstatSync(fd).isFile()) return;
  Object.assign(stream, {
    _write: (bytes: Buffer, _: BufferEncoding, done: (error?: unknown) => void): void => {
      try {
        writeFileSync(fd, bytes);
        done();
      } catch (error) {
        done(error);
      }
    },
  });
}

/** Ends the process with 1 on an uncaught error. */
export function endOnCrash(): void {
  process.on('uncaughtException', (error) => {
    const reason = isOutOfHandles(error) ? OUT_OF_HANDLES : `this is a defect, please report it: ${textOf(error)}`;
    process.stderr.write(`receval: ${reason}\n`);
    process.exit(1);
  });
}

/**
 * Only the stack. Node.js itself would print all properties of the error: those of Redis' client contain the arguments of their
 * command, such as a password. What servers repeat of it is removed too.
 */
function textOf(error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return text.replace(/,? with args beginning with.*/g, '');
}
