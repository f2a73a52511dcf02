/**
 * Files that are written under another name and renamed once they are complete, so that no reader sees half a file. If the disk is
 * full or the command is killed, an earlier file of the name is unchanged.
 */
import { randomBytes } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  copyFileSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readlinkSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isOpened } from '../connections/text-file.ts';
import { codeOf } from '../vocabulary/error-text.ts';
import { fileProblem, roomAdvice } from './failure.ts';
import { STOP_SIGNALS } from './process.ts';
import { tellIfPipe } from './written-file.ts';

interface WholeFileOptions {
  /** The flag that names the file, for messages. */
  readonly flag?: string;
  /** An earlier file of this name is not replaced; the error has the code EEXIST as that of its cause. */
  readonly isNew?: boolean;
}

/** Writes all of a file. @throws Error that says why it cannot be written, and what to do */
export function writeWhole(path: string, text: string, options: WholeFileOptions = {}): void {
  const file = new WholeFile(path, options);
  try {
    file.write(text);
    file.end();
  } finally {
    file.drop();
  }
}

/** A file that is written piece by piece, and is not created if there is no piece. A pipe or a device is written directly. */
export class WholeFile {
  readonly #path: string;
  readonly #options: WholeFileOptions;
  #target: Target | undefined;

  constructor(path: string, options: WholeFileOptions = {}) {
    this.#path = path;
    this.#options = options;
  }

  /** @throws Error that says why it cannot be written, and what to do; so does `end` */
  write(piece: string | Uint8Array): void {
    try {
      this.#target ??= this.#open();
      writeFileSync(this.#target.file, piece);
    } catch (error) {
      throw this.#failure(error);
    }
  }

  end(): void {
    const target = this.#target;
    if (target === undefined) return;
    try {
      if (target.part !== undefined) {
        // Some file systems say only now that they are full.
        fsyncSync(target.file);
        publish(target.part, target.path, this.#options.isNew === true);
      }
    } catch (error) {
      throw this.#failure(error);
    }
    this.drop();
  }

  /** Removes what is not complete. Nothing happens after the end. */
  readonly drop = (): void => {
    process.removeListener('exit', this.drop);
    for (const signal of STOP_SIGNALS) process.removeListener(signal, this.#stop);
    if (this.#target === undefined) return;
    const { file, part } = this.#target;
    this.#target = undefined;
    closeSync(file);
    if (part !== undefined) rmSync(part, { force: true });
  };

  #open(): Target {
    const target = targetOf(this.#path, this.#options.isNew === true);
    if (target.part !== undefined) {
      process.once('exit', this.drop);
      for (const signal of STOP_SIGNALS) process.once(signal, this.#stop);
    }
    return target;
  }

  /** Ends the process as the signal does that nobody listens to. */
  readonly #stop = (signal: NodeJS.Signals): void => {
    this.drop();
    process.kill(process.pid, signal);
  };

  #failure(error: unknown): Error {
    const { flag } = this.#options;
    const isDirect = this.#target !== undefined && this.#target.part === undefined;
    const kept = !isDirect && isFile(this.#path) ? '. The earlier file is as it was' : '';
    const problem = fileProblem(this.#path, error, 'written');
    return new Error(`${flag === undefined ? '' : `${flag}: `}${problem}${roomAdvice(error)}${kept}`, { cause: error });
  }
}

interface Target {
  /** Open. */
  readonly file: number;
  /** Where links lead. */
  readonly path: string;
  /** The name of the open file until it is complete; undefined: it is written directly. */
  readonly part: string | undefined;
}

/** @throws the system's error */
function targetOf(named: string, isNew: boolean): Target {
  const path = followed(named);
  const earlier = statSync(path, { throwIfNoEntry: false });
  const directly = (): Target => {
    tellIfPipe(path);
    return { file: openSync(path, isNew ? 'wx' : 'w'), path, part: undefined };
  };
  if (isOpened(path) || (earlier !== undefined && (isNew || !earlier.isFile()))) return directly();
  // Who may not write into a file is not to replace it either.
  if (earlier !== undefined) accessSync(path, constants.W_OK);
  const part = join(dirname(path), `${basename(path).slice(0, 60)}.${randomBytes(4).toString('hex')}.part`);
  try {
    const file = openSync(part, 'wx', earlier === undefined ? 0o666 : 0o600);
    if (earlier === undefined || hasAccessOf(file, earlier)) return { file, path, part };
    closeSync(file);
    rmSync(part);
  } catch (error) {
    // A folder that takes no new files.
    if (earlier === undefined || !['EACCES', 'EPERM', 'EROFS'].includes(codeOf(error))) throw error;
  }
  return directly();
}

/** Where symbolic links lead, also if there is nothing yet; a name of what a shell has opened as it is. */
function followed(path: string): string {
  if (isOpened(resolve(path))) return resolve(path);
  // Follows all links of a circle, and throws.
  statSync(path, { throwIfNoEntry: false });
  let link: string;
  try {
    link = readlinkSync(path);
  } catch {
    return path;
  }
  return followed(resolve(dirname(path), link));
}

/** Gives a file the owner, group and mode of an earlier one. Returns false if the system does not allow it. */
function hasAccessOf(file: number, { uid, gid, mode }: Stats): boolean {
  try {
    const own = fstatSync(file);
    if (own.uid !== uid || own.gid !== gid) fchownSync(file, uid, gid);
    fchmodSync(file, mode & 0o7777);
    return true;
  } catch {
    return false;
  }
}

/** @throws the system's error */
function publish(part: string, path: string, isNew: boolean): void {
  try {
    if (isNew) linkSync(part, path);
    else renameSync(part, path);
  } catch (error) {
    // A file that is mounted by itself, the file of another user in /tmp, and file systems without hard links.
    if (codeOf(error) === 'EEXIST') throw error;
    copyFileSync(part, path, isNew ? constants.COPYFILE_EXCL : 0);
  }
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
