import { messageOf } from '../vocabulary/error-text.ts';
import type { SecretSource } from './security-settings.ts';
import { readReason, readTextFile } from './text-file.ts';

/**
 * An error for a file with a secret or a certificate that cannot be used. The message names the setting and the file, never its content.
 */
export class AccessFileError extends Error {
  override readonly name = 'AccessFileError';
  readonly exitCode = 2;
}

/** @throws AccessFileError */
export function readAccessFile(setting: string, path: string): string {
  try {
    return readTextFile(path);
  } catch (error) {
    throw new AccessFileError(`${setting}: cannot read ${path}: ${readReason(error)}`);
  }
}

/** A secret that is read each time it is needed, so that it can change while the process runs. */
export class Secret {
  readonly #source: SecretSource;
  #last: string | undefined;
  #problem: string | undefined;
  readonly #seen = new Set<string>();

  constructor(source: SecretSource) {
    this.#source = source;
  }

  /**
   * Reads the secret: a file's content without its final line break. While the file cannot be read or has the wrong form, returns the
   * last good value.
   * @throws AccessFileError if there is none yet
   */
  read(): string {
    const source = this.#source;
    if (source.kind === 'text') return this.#keep(source.text);
    try {
      const text = readAccessFile(source.setting, source.path).replace(/\r?\n$/, '');
      if (text === '') throw new AccessFileError(`${source.setting}: ${source.path} is empty`);
      if (source.form?.pattern.test(text) === false) {
        throw new AccessFileError(`${source.setting}: expected ${source.form.what} in ${source.path}`);
      }
      this.#problem = undefined;
      return this.#keep(text);
    } catch (error) {
      if (this.#last === undefined) throw error;
      this.#problem = messageOf(error);
      return this.#last;
    }
  }

  /** Why the last read failed; undefined: it succeeded. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Every value it has had. None of them may be shown. */
  get seen(): ReadonlySet<string> {
    return this.#seen;
  }

  #keep(text: string): string {
    this.#last = text;
    this.#seen.add(text);
    return text;
  }
}
