/** What a command needs of its process: signals, version, seed and crashes. */
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { DurationMs } from '../vocabulary/events.ts';

/** Resolves at SIGTERM or Ctrl-C, or after `duration`; a second signal ends the process at once. */
export function untilStopped(duration: DurationMs | undefined): Promise<void> {
  return new Promise((resolve) => {
    const stop = (): void => {
      process.removeListener('SIGTERM', stop);
      process.removeListener('SIGINT', stop);
      for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(130));
      clearTimeout(timer);
      resolve();
    };
    const timer = duration === undefined ? undefined : setTimeout(stop, duration);
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop);
  });
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

/** Ends the process with 1 on an uncaught error. */
export function endOnCrash(): void {
  process.on('uncaughtException', (error) => {
    process.stderr.write(`receval: this is a defect, please report it: ${textOf(error)}\n`);
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
