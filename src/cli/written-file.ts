import { existsSync, mkdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname, extname, resolve } from 'node:path';
import type { Command } from 'commander';
import { isOpened } from '../connections/text-file.ts';
import { codeOf } from '../vocabulary/error-text.ts';
import { USUAL_FILE } from '../vocabulary/usual-file.ts';
import { notice, UsageError } from './failure.ts';

/**
 * Checks, before anything is read, that the file a flag names can be written; undefined: the flag is not given.
 * @throws UsageError
 */
export function mustBeWritable(flag: string, path: string | undefined): void {
  if (path === undefined) return;
  if (path === '' || path === '-') throw new UsageError(`${flag}: expected the name of a file, got "${path}"`);
  if (!existsSync(dirname(path))) {
    throw new UsageError(`${flag}: cannot write ${path}: there is no folder ${dirname(path)}`);
  }
  if (existsSync(path) && statSync(path).isDirectory()) {
    throw new UsageError(`${flag}: cannot write ${path}: it is a folder`);
  }
}

/** @throws UsageError if browsers would not open the name as a page, or it cannot be written */
export function mustBeReportFile(flag: string, path: string | undefined): void {
  if (path === undefined) return;
  mustBeWritable(flag, path);
  if (/\.html?$/i.test(path) || isOther(path)) return;
  const page = `${path.slice(0, path.length - extname(path).length)}.html`;
  throw new UsageError(`${flag}: a report is an HTML page: name it ${page}. A browser can print it to PDF`);
}

/**
 * Makes a folder and those above it. Not Node's own `recursive`, which never ends where a folder exists and the system says that it
 * does not when another is made in it, as in /proc.
 * @throws Error that names the folder that cannot be made
 */
export function makeFolder(path: string): void {
  const above = dirname(path);
  if (above !== path && !existsSync(above)) makeFolder(above);
  if (isFolder(path)) return;
  try {
    mkdirSync(path);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EEXIST' && isFolder(path)) return; // made by another process
    const known = {
      ENOENT: `none can be made in ${above}`,
      EEXIST: 'it is not a folder',
      ENOTDIR: `${above} is not a folder`,
    };
    const why = code === 'ENOENT' || code === 'EEXIST' || code === 'ENOTDIR' ? known[code] : String(error);
    throw new Error(`cannot make the folder ${path}: ${why}`, { cause: error });
  }
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}

/** Whether it is a pipe or a device, whose name says nothing about its content. */
export function isOther(path: string): boolean {
  return existsSync(path) && !statSync(path).isFile();
}

/** Says of a named pipe, before it is opened, that this waits. A pipe that a shell has opened has a reader. */
export function tellIfPipe(path: string): void {
  if (isOpened(resolve(path)) || statSync(path, { throwIfNoEntry: false })?.isFIFO() !== true) return;
  notice(`${path} is a pipe: waits until somebody reads it`);
}

/** Whether both names lead to one existing pipe. */
export function isSamePipe(a: string, b: string): boolean {
  return isSame(a, b, (stats) => stats.isFIFO());
}

/** Whether both names lead to one existing file. Two links to one file share an inode; a device is not a file. */
export function isSameFile(a: string, b: string): boolean {
  return isSame(a, b, (stats) => stats.isFile());
}

function isSame(a: string, b: string, isWanted: (stats: Stats) => boolean): boolean {
  try {
    const [one, other] = [statSync(a), statSync(b)];
    if (!isWanted(one) || !isWanted(other)) return false;
    return (one.ino !== 0 && one.ino === other.ino && one.dev === other.dev) || realpathSync(a) === realpathSync(b);
  } catch {
    return false;
  }
}

/** @throws UsageError if a plot should not have the name, or it cannot be written */
export function mustBePlotFile(flag: string, path: string): void {
  mustBeWritable(flag, path);
  const ending = extname(path);
  if (ending.toLowerCase() !== '.svg' && !isOther(path)) {
    const svg = `${ending === '' ? path : path.slice(0, -ending.length)}.svg`;
    const other = /^\.(?:png|pdf|eps|ps)$/i.test(ending)
      ? `; for ${path}: rsvg-convert ${svg} -o ${path}, or inkscape ${svg} -o ${path}`
      : '';
    throw new UsageError(`${flag}: plots are SVG, which browsers, Word and LaTeX (svg) take: name it ${svg}${other}`);
  }
}

/** Options that name a file to be written, where they take one. `--write` replaces none. */
const WRITTEN: ReadonlySet<string> = new Set(['deadLetters', 'dropped', 'output', 'plot', 'plotFile', 'report']);

/**
 * Checks, before anything is read, that a command writes none of the files that it reads, and no file twice, by whatever names and links.
 * @param inputs files that it reads besides those that its arguments name
 * @throws UsageError
 */
export function mustSpareFiles(command: Command, inputs: readonly (string | undefined)[] = []): void {
  const files = command.options.filter(({ flags }) => /<[^>]*file/.test(flags));
  const namesOf = (wanted: (name: string) => boolean) =>
    files
      .filter((option) => wanted(option.attributeName()))
      .flatMap((option) => {
        const value: unknown = command.getOptionValue(option.attributeName());
        const paths = (Array.isArray(value) ? value : [value]).filter((path) => typeof path === 'string');
        return paths.map((path) => ({ flag: option.long ?? option.flags, path }));
      });
  const read = [
    ...namesOf((name) => !WRITTEN.has(name) && name !== 'config').map(({ path }) => path),
    ...command.args,
    ...inputs.filter((path) => path !== undefined),
  ].flatMap(possiblePaths);
  const usual = files.some((option) => option.attributeName() === 'config') ? [USUAL_FILE] : [];
  const configuration = namesOf((name) => name === 'config').map(({ path }) => path);
  const earlier: { readonly flag: string; readonly path: string }[] = [];
  for (const { flag, path } of namesOf((name) => WRITTEN.has(name))) {
    const isOneOf = (others: readonly string[]): boolean => others.some((other) => isSameFile(other, path));
    if (isOneOf(read)) throw new UsageError(`${flag}: ${path} is one of the inputs, and would be overwritten`);
    if (read.some((other) => isSamePipe(other, path))) {
      throw new UsageError(`${flag}: ${path} is one of the inputs, and would wait for itself`);
    }
    if (isOneOf(configuration.length > 0 ? configuration : usual)) {
      throw new UsageError(`${flag}: ${path} is the configuration, and would be overwritten`);
    }
    const same = earlier.find((other) => isSameFile(other.path, path) || isOneNewFile(other.path, path));
    if (same !== undefined) throw new UsageError(`${flag}: ${path} is the file of ${same.flag}: name another one`);
    earlier.push({ flag, path });
  }
}

/** A name may be written `FILE@field=value` and `name=FILE`. */
function possiblePaths(text: string): readonly string[] {
  return [text, text.slice(0, Math.max(0, text.lastIndexOf('@'))), text.slice(text.indexOf('=') + 1)];
}

/** Standard output, pipes and devices can take several. */
function isOneNewFile(a: string, b: string): boolean {
  return a !== '-' && resolve(a) === resolve(b) && !isOther(a);
}
