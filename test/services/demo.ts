import { type ChildProcess, spawn } from 'node:child_process';
import { RECEVAL } from '../tested.ts';
import { run } from './commands.ts';
import { ServiceMissing } from './debian.ts';
import type { Service } from './it-with.ts';
import { freePort } from './ports.ts';

export interface RunningDemo {
  readonly port: number;
  /** All that it has printed so far. */
  readonly printed: () => string;
  readonly isRunning: () => boolean;
  readonly stop: () => Promise<void>;
}

/** Starts `receval demo` with these flags, on this port or a free one. */
export type StartDemo = (flags: readonly string[], port?: number) => Promise<RunningDemo>;

/** The demo with simulated traffic. */
export const DEMO: Service<StartDemo> = {
  name: 'receval demo',
  async get() {
    const help = await run(process.execPath, [RECEVAL, 'demo', '--help']);
    if (!help.stdout.includes('--speed')) throw new ServiceMissing('this `receval demo` has no simulated traffic yet');
    return start;
  },
};

async function start(flags: readonly string[], wanted?: number): Promise<RunningDemo> {
  const port = wanted ?? (await freePort());
  const child = spawn(process.execPath, [RECEVAL, 'demo', '--port', String(port), ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      printed = `${printed}${chunk}`.slice(-20_000);
    });
  }
  const lastResort = (): void => {
    child.kill('SIGKILL');
  };
  process.once('exit', lastResort);
  return {
    port,
    printed: () => printed,
    isRunning: () => isRunning(child),
    async stop() {
      if (isRunning(child)) {
        const gone = new Promise((done) => child.once('exit', done));
        child.kill('SIGTERM');
        const impatience = setTimeout(lastResort, 5000);
        await gone;
        clearTimeout(impatience);
      }
      process.off('exit', lastResort);
    },
  };
}

function isRunning({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid !== undefined && exitCode === null && signalCode === null;
}
