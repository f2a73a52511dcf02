import { constants } from 'node:fs';
import { type FileHandle, lstat, open, rename, rm } from 'node:fs/promises';
import { codeOf } from '../vocabulary/error-text.ts';
import { type DeadLetter, lineOf } from './letter.ts';
import { LetterRefused, type LetterWriter } from './letter-queue.ts';

export interface LetterFileOptions {
  readonly path: string;
  /** Largest size of one file. */
  readonly fileBytes: number;
  /** Largest number of files: `path`, `path.1` (the newest of the full ones), ... */
  readonly files: number;
  /** Called once if existing files may be read or written by others; default: none. */
  readonly onOpenToOthers?: ((paths: readonly string[]) => void) | undefined;
}

/** Letters may contain what users did, so nobody else may read them. */
const MODE = 0o600;
const OTHERS = 0o077;
/** Append and create, without following links: another user could place a link to one of our files at the path. */
const FLAGS = constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | constants.O_NOFOLLOW;

/**
 * Writes NDJSON to a file that is rotated when it is full. Together the files never hold more than `files * fileBytes` bytes; the
 * oldest is deleted. A path must be used by one process only.
 */
export class LetterFile implements LetterWriter {
  readonly #options: LetterFileOptions;
  #handle: FileHandle | undefined;
  #size = 0;
  #hasLooked = false;

  constructor(options: LetterFileOptions) {
    this.#options = options;
  }

  async write(letters: readonly DeadLetter[]): Promise<void> {
    const { fileBytes, path } = this.#options;
    const lines = letters.map((letter) => Buffer.from(lineOf(letter)));
    if (lines.some((line) => line.length > fileBytes)) {
      throw new LetterRefused(`a line would be longer than deadLetter.fileBytes (${fileBytes}) allows in ${path}`);
    }
    for (let from = 0; from < lines.length; ) {
      let handle = await this.#open();
      if (this.#size > 0 && this.#size + lines[from].length > fileBytes) {
        await this.#setAside();
        handle = await this.#open();
      }
      let to = from;
      let bytes = 0;
      while (to < lines.length && this.#size + bytes + lines[to].length <= fileBytes) bytes += lines[to++].length;
      await this.#append(handle, Buffer.concat(lines.slice(from, to)));
      from = to;
    }
  }

  async close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }

  async #open(): Promise<FileHandle> {
    if (this.#handle !== undefined) return this.#handle;
    const { path, files, onOpenToOthers } = this.#options;
    if (!this.#hasLooked) {
      this.#hasLooked = true;
      const open = await openToOthers(path, files);
      if (open.length > 0) onOpenToOthers?.(open);
    }
    const handle = await openOwn(path);
    this.#handle = handle;
    this.#size = (await handle.stat()).size;
    return handle;
  }

  /** Appends all bytes or none: a write that a full disk has truncated is undone. */
  async #append(handle: FileHandle, bytes: Buffer): Promise<void> {
    try {
      await handle.appendFile(bytes);
      this.#size += bytes.length;
    } catch (error) {
      await handle.truncate(this.#size).catch(() => {});
      await this.close().catch(() => {});
      throw error;
    }
  }

  async #setAside(): Promise<void> {
    const { path, files } = this.#options;
    await this.close();
    if (files === 1) {
      await rm(path, { force: true });
      return;
    }
    for (let n = files - 1; n > 1; n--) {
      if (await exists(`${path}.${n - 1}`)) await rename(`${path}.${n - 1}`, `${path}.${n}`);
    }
    await rename(path, `${path}.1`);
  }
}

/** Rejects with an Error that says what to do if there is a symbolic link, and otherwise with the system's error. */
async function openOwn(path: string): Promise<FileHandle> {
  try {
    return await open(path, FLAGS, MODE);
  } catch (error) {
    if (codeOf(error) !== 'ELOOP') throw error;
    const advice = 'remove it, or set deadLetter.file to the file that it leads to';
    throw new Error(`${path} is a symbolic link, which is not followed: ${advice}`, { cause: error });
  }
}

/** The existing files that others may read or write, without devices, which hold nothing. */
export async function openToOthers(path: string, files: number): Promise<readonly string[]> {
  const found: string[] = [];
  for (let n = 0; n < files; n++) {
    const name = n === 0 ? path : `${path}.${n}`;
    const stats = await lstat(name).catch(() => undefined);
    if (stats?.isFile() === true && (stats.mode & OTHERS) !== 0) found.push(name);
  }
  return found;
}

/** Returns true for a dangling link, too. */
async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch {
    return false;
  }
}
