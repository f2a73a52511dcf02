import { setTimeout as sleep } from 'node:timers/promises';

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 5_000;

/**
 * Asks until there is an answer, for at most `patience` ms: brokers that have just started know no coordinator yet.
 * Rejects with the last error, or at once with one that `isFinal`. `tell` hears of each try that failed.
 */
export async function patiently<T>(
  ask: () => Promise<T>,
  patience: number,
  tell: (error: unknown, wait: number) => void,
  isFinal: (error: unknown) => boolean = () => false,
): Promise<T> {
  const until = performance.now() + patience;
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
    try {
      return await ask();
    } catch (error) {
      if (isFinal(error) || performance.now() + wait > until) throw error;
      tell(error, wait);
      await sleep(wait);
    }
  }
}
