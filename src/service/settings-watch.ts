import { messageOf } from '../vocabulary/error-text.ts';
import type { WorkerLog } from '../worker/worker-contract.ts';

const HELD = 'this process goes on with the settings of its start';
const CHANGED = `the configuration has changed: ${HELD}. Restart it to use the new ones; receval doctor shows beforehand what they change`;
const UNUSABLE = `the configuration cannot be used any more: ${HELD}, and would not start again`;
const AS_BEFORE = 'the configuration is again that of the start of this process';

/**
 * Watches the configuration of a running process. Whoever edits it must know that nothing has changed yet, and a mistake in it
 * would otherwise be noticed only at the next restart.
 */
export class SettingsWatch {
  readonly #read: () => string;
  readonly #log: WorkerLog;
  readonly #before: string;
  #reported = '';

  /** `read` returns all settings that a start would use now, as text; it throws an error that says what is wrong. */
  constructor(read: () => string, before: string, log: WorkerLog) {
    this.#read = read;
    this.#before = before;
    this.#log = log;
  }

  /** Logs what has changed since the last look. Never throws. */
  look(): void {
    let now: string;
    try {
      now = this.#read();
    } catch (error) {
      this.#report(messageOf(error), () => this.#log.warn({ error: messageOf(error) }, UNUSABLE));
      return;
    }
    if (now === this.#before) this.#report('', () => this.#log.info({}, AS_BEFORE));
    else this.#report(now, () => this.#log.warn({}, CHANGED));
  }

  #report(state: string, report: () => void): void {
    if (state === this.#reported) return;
    this.#reported = state;
    report();
  }
}
