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
