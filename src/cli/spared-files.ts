import { resolve } from 'node:path';
import type { Command } from 'commander';
import { USUAL_FILE } from '../vocabulary/usual-file.ts';
import { UsageError } from './failure.ts';
import { isOther, isSameFile, isSamePipe } from './written-file.ts';

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
