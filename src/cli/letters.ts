import { closeSync, constants, fstatSync, openSync, writeFileSync } from 'node:fs';
import { letterOf, lineOf } from '../dead-letters/letter.ts';
import type { ReplayInputs } from '../replay/replay.ts';
import type { InvalidRecord } from '../unit/unit-contract.ts';
import { UsageError } from './failure.ts';
import { pathsOf } from './inputs.ts';
import { isSameFile } from './written-file.ts';

const { O_CREAT, O_NOFOLLOW, O_TRUNC, O_WRONLY } = constants;

/** A new file with the invalid records of a replay, one line each. */
export class Letters {
  readonly #path: string;
  readonly #file: number;
  #error: unknown;

  /** @throws UsageError for a file that is an input, Error for one that cannot be written. */
  constructor(path: string, inputs: ReplayInputs) {
    if (pathsOf(inputs).some((input) => input !== '-' && isSameFile(input, path))) {
      throw new UsageError(`--dead-letters: ${path} is one of the inputs, and would be overwritten`);
    }
    this.#path = path;
    try {
      // Another user could put a link to a file of ours there, but not into /dev, whose links lead to our own output.
      const follows = path.startsWith('/dev/') ? 0 : O_NOFOLLOW;
      this.#file = openSync(path, O_CREAT | O_TRUNC | O_WRONLY | follows, 0o600);
    } catch (error) {
      throw this.#failure(error);
    }
    const stats = fstatSync(this.#file);
    if (stats.isFile() && (stats.mode & 0o077) !== 0) {
      process.stderr.write(
        `note: other users may read or write ${path}, where what users did may stand: chmod 600 ${path}\n`,
      );
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
    const isLink = error instanceof Error && 'code' in error && error.code === 'ELOOP';
    const link = 'it is a symbolic link, which is not followed: remove it, or name the file that it leads to';
    const reason = isLink ? link : error instanceof Error ? error.message : String(error);
    return new Error(`cannot write ${this.#path}: ${reason}`, { cause: error });
  }
}
