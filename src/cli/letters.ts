import { closeSync, openSync, realpathSync, writeFileSync } from 'node:fs';
import { letterOf, lineOf } from '../dead-letters/letter.ts';
import type { ReplayInputs } from '../replay/replay.ts';
import type { InvalidRecord } from '../unit/contract.ts';
import { UsageError } from './failure.ts';

/** A new file with the invalid records of a replay, one line each. */
export class Letters {
  readonly #path: string;
  readonly #file: number;
  #error: unknown;

  /** @throws UsageError for a file that is an input, Error for one that cannot be written. */
  constructor(path: string, inputs: ReplayInputs) {
    const files = 'events' in inputs ? inputs.events : [...inputs.impressions, ...inputs.feedback];
    if (files.some((file) => file.path !== '-' && isSame(file.path, path))) {
      throw new UsageError(`--dead-letters: ${path} is one of the inputs, and would be overwritten`);
    }
    this.#path = path;
    try {
      this.#file = openSync(path, 'w', 0o600);
    } catch (error) {
      throw this.#failure(error);
    }
  }

  readonly take = (invalid: InvalidRecord): void => {
    const { place } = invalid.record;
    if (place === undefined || this.#error !== undefined) return;
    try {
      writeFileSync(this.#file, lineOf(letterOf(invalid, place)));
    } catch (error) {
      this.#error = error;
    }
  };

  /** @throws Error when not all could be written. */
  close(): void {
    closeSync(this.#file);
    if (this.#error !== undefined) throw this.#failure(this.#error);
  }

  #failure(error: unknown): Error {
    const reason = error instanceof Error ? error.message : String(error);
    return new Error(`cannot write ${this.#path}: ${reason}`, { cause: error });
  }
}

function isSame(a: string, b: string): boolean {
  try {
    return realpathSync(a) === realpathSync(b);
  } catch {
    return false;
  }
}
