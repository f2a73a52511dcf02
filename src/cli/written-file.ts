import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { UsageError } from './failure.ts';

/**
 * Looks before anything is read whether a file can be written that a flag names; undefined: the flag is not given.
 * @param inputs files that the command reads, which it must not overwrite
 * @throws UsageError
 */
export function mustBeWritable(flag: string, path: string | undefined, inputs: readonly string[]): void {
  if (path === undefined) return;
  if (path === '' || path === '-') throw new UsageError(`${flag}: expected the name of a file, got "${path}"`);
  if (!existsSync(dirname(path))) {
    throw new UsageError(`${flag}: cannot write ${path}: there is no folder ${dirname(path)}`);
  }
  if (existsSync(path) && statSync(path).isDirectory()) {
    throw new UsageError(`${flag}: cannot write ${path}: it is a folder`);
  }
  if (inputs.some((input) => input !== '-' && isSameFile(input, path))) {
    throw new UsageError(`${flag}: ${path} is one of the inputs, and would be overwritten`);
  }
}

/** Whether both names lead to one file that is there. Two links to one file have one inode; a device is no file. */
export function isSameFile(a: string, b: string): boolean {
  try {
    const [one, other] = [statSync(a), statSync(b)];
    if (!one.isFile() || !other.isFile()) return false;
    return realpathSync(a) === realpathSync(b) || (one.ino !== 0 && one.ino === other.ino && one.dev === other.dev);
  } catch {
    return false;
  }
}
