import { fstatSync, type Stats, statSync } from 'node:fs';
import { isOpened, kindOf, NOTHING } from '../connections/text-file.ts';
import { fileProblem, notice, UsageError } from './failure.ts';

/**
 * Checks the files that a command will read at the same time; `-` is standard input. Says which are pipes, as the command waits for
 * their writers.
 * @throws UsageError for a pipe that is named twice; Error for a missing file, a folder, or a device without an end
 */
export function mustBeReadable(paths: readonly string[]): void {
  const pipes: string[] = [];
  const known = new Set<string>();
  for (const path of paths) {
    const stats = path === '-' ? fstatSync(0) : statsOf(path);
    const is = path === '-' ? (stats.isFIFO() ? 'a pipe' : undefined) : otherThanFile(path, stats);
    if (is === undefined) continue;
    if (is !== 'a pipe') throw new Error(`cannot read ${path}: it is ${is}`);
    const id = `${stats.dev} ${stats.ino}`;
    if (known.has(id)) {
      throw new UsageError(`${path} is a pipe and can be read only once: write it to a file, and name that`);
    }
    known.add(id);
    if (path !== '-' && !isOpened(path)) pipes.push(path);
  }
  const [first] = pipes;
  if (pipes.length === 1) notice(`${first} is a pipe: reads what somebody writes to it`);
  if (pipes.length > 1) {
    const commands = pipes.map((path) => `... > ${path} &`).join(' ');
    notice(`${pipes.join(', ')} are pipes: reads what is written to them at the same time (${commands})`);
  }
}

/** The same for a file that is read several times. @throws Error, also for a pipe */
export function mustBeFile(path: string): void {
  const is = otherThanFile(path, statsOf(path));
  if (is === undefined) return;
  const how = isOpened(path) ? '' : `: cat ${path} > log`;
  throw new Error(
    is === 'a pipe'
      ? `cannot read ${path}: it is a pipe, and this is read more than once. Write it to a file, and name that${how}`
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
  const kind = path === NOTHING ? undefined : kindOf(stats);
  if (kind === undefined || kind === 'a pipe') return kind;
  if (kind === 'a folder') return 'a folder; name the files in it';
  return `${kind}; name a file, or - for standard input where that is read`;
}
