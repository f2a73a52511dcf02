import { type Stats, statSync } from 'node:fs';
import { fileProblem } from './failure.ts';

/** It is empty, and meant so. */
const NOTHING = '/dev/null';

/**
 * Looks at what a command is to read. A pipe is waited for, and said so: without a writer nothing else would be seen.
 * @throws Error for what is not there, a folder, and what has no end
 */
export function mustBeReadable(path: string): Stats {
  const stats = statsOf(path);
  const is = otherThanFile(path, stats);
  if (is !== undefined && is !== 'a pipe') throw new Error(`cannot read ${path}: it is ${is}`);
  if (is === 'a pipe' && !/^\/(?:dev\/(?:fd|std)|proc\/)/.test(path)) {
    process.stderr.write(`receval: ${path} is a pipe: reads what somebody writes to it\n`);
  }
  return stats;
}

/** The same of what is read several times. @throws Error, also for a pipe */
export function mustBeFile(path: string): void {
  const is = otherThanFile(path, statsOf(path));
  if (is === undefined) return;
  throw new Error(
    is === 'a pipe'
      ? `cannot read ${path}: it is a pipe, and this is read more than once. Write it to a file, and name that: cat ${path} > log`
      : `cannot read ${path}: it is ${is}`,
  );
}

function statsOf(path: string): Stats {
  try {
    return statSync(path);
  } catch (error) {
    throw new Error(fileProblem(path, error), { cause: error });
  }
}

function otherThanFile(path: string, stats: Stats): string | undefined {
  if (stats.isFile() || path === NOTHING) return undefined;
  if (stats.isDirectory()) return 'a folder; name the files in it';
  if (stats.isFIFO()) return 'a pipe';
  return `${stats.isSocket() ? 'a socket' : 'a device'}; name a file, or - for standard input where that is read`;
}
