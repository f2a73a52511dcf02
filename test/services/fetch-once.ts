import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const PATIENCE_MS = 300_000;

/**
 * Runs `make` unless `isThere`; of several processes that ask at once, one makes and the others wait for it. A lock of a
 * process that died is taken over.
 */
export async function fetchOnce(lock: string, isThere: () => boolean, make: () => Promise<void>): Promise<void> {
  mkdirSync(dirname(lock), { recursive: true });
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    if (isThere()) return;
    if (take(lock)) break;
    if (isLeft(lock)) rmSync(lock, { force: true });
    else if (Date.now() > end) throw new Error(`gave up waiting for ${lock}; remove it if nothing is running`);
    else await sleep(100);
  }
  try {
    if (!isThere()) await make();
  } finally {
    rmSync(lock, { force: true });
  }
}

function take(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    return false;
  }
}

/** Whether the process that took it is gone. */
function isLeft(lock: string): boolean {
  try {
    const pid = Number(readFileSync(lock, 'utf8'));
    // Made, but its number is not written yet.
    if (pid === 0) return Date.now() - statSync(lock).mtimeMs > 10_000;
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}
