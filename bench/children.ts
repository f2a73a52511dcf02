/** Processes that a benchmark starts: each has a deadline, none outlives it. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

const SERVER_CORE = '0';
const ENGINE_CORE = '1';
const KEPT = 20_000;
const STOP_MS = 6_000;

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));
// A shell that is ended between npm and us reports nothing.
const parent = process.ppid;
setInterval(() => {
  if (process.ppid !== parent) process.exit(130);
}, 1000).unref();

let separated = false;

/**
 * Keeps this process and the servers that it starts from now on to one core, and what `start` starts to another. Answers
 * whether that is possible here.
 */
export function separateCores(): boolean {
  const taskset = (...args: readonly string[]): boolean => spawnSync('taskset', args, { stdio: 'ignore' }).status === 0;
  separated =
    availableParallelism() > 1 &&
    taskset('-c', ENGINE_CORE, 'true') &&
    taskset('-a', '-p', '-c', SERVER_CORE, String(process.pid));
  return separated;
}

export interface Child {
  /** Rejects when it ends with another code than 0 or is not done in time, with what it printed last; else what it printed. */
  readonly done: Promise<string>;
  /** Asks it to end, and ends it if it does not. `done` does not reject any more. */
  stop(): Promise<void>;
  /** Ends it without a warning. `done` does not reject any more. */
  kill(): void;
}

/** Starts Node with these arguments. */
export function start(name: string, args: readonly string[], seconds: number): Child {
  const [file, ...rest] = [...(separated ? ['taskset', '-c', ENGINE_CORE] : []), process.execPath, ...args];
  const child = spawn(file, rest, { stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  let printed = '';
  let complaints = '';
  child.stdout.on('data', (chunk) => {
    printed = `${printed}${chunk}`.slice(-KEPT);
  });
  child.stderr.on('data', (chunk) => {
    complaints = `${complaints}${chunk}`.slice(-KEPT);
  });
  let stopped = false;
  let isLate = false;
  const deadline = setTimeout(() => {
    isLate = true;
    child.kill('SIGKILL');
  }, seconds * 1000);
  const done = new Promise<string>((resolve, reject) => {
    const settle = (how: string | undefined): void => {
      running.delete(child);
      clearTimeout(deadline);
      if (stopped || how === undefined) resolve(printed);
      else reject(new Error(`${name} ${how}; it printed last:\n${(complaints + printed).slice(-2000)}`));
    };
    child.once('error', (error) => settle(`could not be started: ${error.message}`));
    child.once('close', (code, signal) => {
      if (isLate) settle(`was not done after ${seconds} s`);
      else settle(code === 0 ? undefined : `ended with ${signal ?? code}`);
    });
  });
  done.catch(() => {});
  return {
    done,
    async stop() {
      stopped = true;
      child.kill('SIGTERM');
      const impatience = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      await done.catch(() => {});
      clearTimeout(impatience);
    },
    kill() {
      stopped = true;
      child.kill('SIGKILL');
    },
  };
}

/** The path of a file of this repository. */
export function inRoot(path: string): string {
  return fileURLToPath(new URL(`../${path}`, import.meta.url));
}
