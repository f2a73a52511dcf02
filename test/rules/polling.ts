import { setTimeout as sleep } from 'node:timers/promises';

/** Asks every 200 ms until the answer is right. @throws an Error with the last answer after `patienceMs`. */
export async function eventually<T>(
  ask: () => Promise<T>,
  isRight: (answer: T) => boolean,
  patienceMs: number,
): Promise<T> {
  const end = Date.now() + patienceMs;
  for (;;) {
    const answer = await ask();
    if (isRight(answer)) return answer;
    if (Date.now() > end) throw new Error(`not within ${patienceMs / 1000} s; last: ${JSON.stringify(answer)}`);
    await sleep(200);
  }
}
