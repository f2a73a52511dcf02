import { dirname } from 'node:path';
import { codeOf, messageOf, printable } from '../vocabulary/error-text.ts';

/** The command was called with wrong arguments. The message says what is wrong and what is right; shown without a stack trace. */
export class UsageError extends Error {
  readonly exitCode = 2;
  override readonly name = 'UsageError';
}

/** A line on standard error. What is in it may come from logs, files and arguments. */
export function notice(text: string): void {
  process.stderr.write(`receval: ${printable(text)}\n`);
}

/** One short message, with the stack trace if `verbose`. */
export function explain(error: unknown, verbose: boolean): string {
  if (!(error instanceof Error)) return String(error);
  if (verbose) return error.stack ?? error.message;
  return isOutOfHandles(error) ? OUT_OF_HANDLES : error.message;
}

/** What the system says of a process, or of a machine, that has opened as many files as it may. Node.js reads its modules side by side, too. */
export const OUT_OF_HANDLES = 'too many files are open at once: raise the limit (ulimit -n 1024), or name fewer files';

export function isOutOfHandles(error: unknown): boolean {
  return ['EMFILE', 'ENFILE'].includes(codeOf(error));
}

/** 2: wrong usage or configuration. 1: everything else. */
export function exitCodeOf(error: unknown): number {
  return error instanceof Error && 'exitCode' in error && typeof error.exitCode === 'number' ? error.exitCode : 1;
}

const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** What to do where a file could not be written because there is no room for it; else nothing. */
export function roomAdvice(error: unknown): string {
  return FULL.has(codeOf(error)) ? '. Make room, or name a file elsewhere' : '';
}

/** The system's error on a file, in words. */
export function fileProblem(path: string, error: unknown, wanted: 'read' | 'written' = 'read'): string {
  const known: Readonly<Record<string, string>> = {
    ENOENT: wanted === 'read' ? 'there is no such file' : `there is no folder ${dirname(path)}`,
    EACCES: `it may not be ${wanted}`,
    ENOSPC: 'the disk is full',
    EDQUOT: 'your share of the disk is used up',
    EFBIG: 'it would be larger than the system allows (ulimit -f)',
    EROFS: 'nothing may be written to that disk',
    ELOOP: 'its symbolic links lead in a circle',
    EISDIR: 'it is a folder',
    ENOTDIR: 'what its path names as a folder is none',
    EMFILE: OUT_OF_HANDLES,
    ENFILE: OUT_OF_HANDLES,
  };
  return `cannot ${wanted === 'read' ? 'read' : 'write'} ${path}: ${known[codeOf(error)] ?? messageOf(error)}`;
}
