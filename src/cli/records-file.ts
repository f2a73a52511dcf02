import { closeSync, constants, fstatSync, ftruncateSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { codeOf } from '../vocabulary/error-text.ts';
import { fileProblem, roomAdvice, UsageError } from './failure.ts';
import { tellIfPipe } from './written-file.ts';

const { O_CREAT, O_NOFOLLOW, O_TRUNC, O_WRONLY } = constants;
/** So much is written at once. */
const PIECE = 2 ** 16;

/** The file that a flag names, as `RecordsFile`; undefined: the flag is not given. */
export function recordsFile(flag: string, path: string | undefined): RecordsFile | undefined {
  return path === undefined ? undefined : new RecordsFile(flag, path);
}

/**
 * A new file with records, one on each line. It may hold what users did, so nobody else may read it. If the process ends before it is
 * closed, nothing is left, so that a part is not taken for the whole.
 */
class RecordsFile {
  readonly #path: string;
  readonly #file: number;
  #waiting = '';
  #error: unknown;

  /**
   * @param flag that names it
   * @throws UsageError for no file, Error for one that cannot be written
   */
  constructor(flag: string, path: string) {
    if (path === '' || path === '-') {
      throw new UsageError(
        `${flag}: expected the name of a file, got "${path}": standard output has the results. Write ${flag} records.ndjson`,
      );
    }
    this.#path = path;
    try {
      // Another user could place a link to one of our files there, but not in /dev, whose links lead to our own output.
      const follows = path.startsWith('/dev/') ? 0 : O_NOFOLLOW;
      tellIfPipe(path);
      this.#file = openSync(path, O_CREAT | O_TRUNC | O_WRONLY | follows, 0o600);
    } catch (error) {
      throw this.#failure(error);
    }
    process.once('exit', this.#remove);
    const stats = fstatSync(this.#file);
    if (stats.isFile() && (stats.mode & 0o077) !== 0) {
      process.stderr.write(
        `note: other users may read or write ${path}, which may hold what users did: chmod 600 ${path}\n`,
      );
    }
  }

  /** @param line with its end */
  write(line: string): void {
    this.#waiting += line;
    if (this.#waiting.length >= PIECE) this.#flush();
  }

  /** @throws Error if not all could be written: then nothing is left, either. */
  close(): void {
    process.removeListener('exit', this.#remove);
    this.#flush();
    if (this.#error !== undefined) this.#remove();
    closeSync(this.#file);
    if (this.#error !== undefined) throw this.#failure(this.#error);
  }

  readonly #remove = (): void => {
    if (!fstatSync(this.#file).isFile()) return;
    ftruncateSync(this.#file);
    try {
      rmSync(this.#path);
    } catch {
      // It stays, and is empty.
    }
  };

  #flush(): void {
    if (this.#error !== undefined) return;
    try {
      writeFileSync(this.#file, this.#waiting);
      this.#waiting = '';
    } catch (error) {
      this.#error = error;
    }
  }

  #failure(error: unknown): Error {
    const isLink = codeOf(error) === 'ELOOP';
    const link = 'it is a symbolic link, which is not followed: remove it, or name the file that it leads to';
    const problem = isLink ? `cannot write ${this.#path}: ${link}` : fileProblem(this.#path, error, 'written');
    return new Error(`${problem}${roomAdvice(error)}`, { cause: error });
  }
}
