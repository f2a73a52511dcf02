import { createContext, Script } from 'node:vm';

const script = new Script('work()');
const box: { work: () => void } = { work: () => {} };
createContext(box);

/**
 * Runs synchronous work and stops it, wherever it is, after so many milliseconds of wall time: for code that cannot be
 * trusted to come to an end. What it has changed by then stays changed. Not re-entrant.
 * @throws what the work throws, or an error with the code ERR_SCRIPT_EXECUTION_TIMEOUT.
 */
export function withinTime(milliseconds: number, work: () => void): void {
  box.work = work;
  try {
    script.runInContext(box, { timeout: Math.max(1, Math.ceil(milliseconds)) });
  } finally {
    box.work = () => {};
  }
}
