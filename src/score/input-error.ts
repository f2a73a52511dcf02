/** An input file that is not as its format says. The message names file and line, and what was expected. */
export class InputError extends Error {
  override readonly name = 'InputError';

  /** @param line from 1; undefined: the file as a whole */
  constructor(file: string, line: number | undefined, what: string) {
    super(`${file === '-' ? 'standard input' : file}${line === undefined ? '' : `, line ${line}`}: ${what}`);
  }
}
