/** Files that people write, and that are read as a whole: a configuration, a secret, a certificate. */
import { readFileSync, type Stats, statSync } from 'node:fs';
import { codeOf, messageOf } from '../vocabulary/error-text.ts';

/** A file that is empty on purpose. */
export const NOTHING = '/dev/null';

/**
 * Reads a text file.
 * @throws Error for a file that never ends, or that would wait silently for a writer; the system's error
 */
export function readTextFile(path: string): string {
  mustBeTextFile(path);
  return readFileSync(path, 'utf8');
}

/** Makes the same check for a file that is read in another way. A pipe that a shell has opened has a writer. */
export function mustBeTextFile(path: string): void {
  const kind = kindOf(statSync(path));
  if (kind === undefined || path === NOTHING || (isOpened(path) && kind !== 'a folder')) return;
  throw new Error(kind === 'a pipe' ? 'it is a pipe; write it to a file, and name that' : `it is ${kind}`);
}

/** What a path is if it is no regular file, in words. */
export function kindOf(stats: Stats): 'a folder' | 'a pipe' | 'a socket' | 'a device' | undefined {
  if (stats.isFile()) return undefined;
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a pipe';
  return stats.isSocket() ? 'a socket' : 'a device';
}

/** Whether a shell has opened the file, mostly as a pipe, so that it has no name of its own. */
export function isOpened(path: string): boolean {
  return /^\/(?:dev\/(?:fd|std)|proc\/)/.test(path);
}

/** Why a file cannot be read, in words. */
export function readReason(error: unknown): string {
  const known: Readonly<Record<string, string>> = {
    ENOENT: 'there is no such file',
    EACCES: 'this user may not read it',
    ELOOP: 'its symbolic links lead in a circle',
    ENOTDIR: 'what its path names as a folder is none',
  };
  return known[codeOf(error)] ?? (codeOf(error) || messageOf(error));
}
