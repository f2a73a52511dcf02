/** What a command needs to know of its process, and how that ends. */
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

/** Of the package. */
export function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : 'unknown';
}

/** Of one process. As wide as `randomInt` draws. */
export function newHashSeed(): number {
  return randomInt(2 ** 48 - 1);
}

/** Ends the process with 1 when something fails that nobody has thought of. */
export function endOnCrash(): void {
  process.on('uncaughtException', (error) => {
    process.stderr.write(`receval: this is a defect, please report it: ${textOf(error)}\n`);
    process.exit(1);
  });
}

/**
 * Only the stack. Node.js itself would print all that hangs on the error: those of Redis' client carry the arguments of
 * their command, a password among them. Nor what servers repeat of it.
 */
function textOf(error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return text.replace(/,? with args beginning with.*/g, '');
}
