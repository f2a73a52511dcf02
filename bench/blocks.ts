import { existsSync, readFileSync } from 'node:fs';

const OWN_TIME = '/proc/self/schedstat';

/** CPU of the main thread in microseconds, to the tick of the scheduler; where no file has it, of all threads. */
function mainThreadUs(): number {
  if (existsSync(OWN_TIME)) return Number(readFileSync(OWN_TIME, 'utf8').split(' ', 1)[0]) / 1000;
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Tells the most CPU that the main thread used between two turns of the event loop. */
export class Blocks {
  longestUs = 0;
  #last = mainThreadUs();
  #runs = true;

  constructor() {
    const turn = (): void => {
      if (!this.#runs) return;
      const now = mainThreadUs();
      this.longestUs = Math.max(this.longestUs, now - this.#last);
      this.#last = now;
      setImmediate(turn);
    };
    setImmediate(turn);
  }

  /** What happened since the last turn is not looked at. */
  skip(): void {
    this.#last = mainThreadUs();
  }

  /** What comes is not looked at any more. */
  end(): void {
    this.#runs = false;
  }
}
