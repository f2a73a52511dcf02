/** Tables in the folder of a log that are no part of it, such as properties of the items: without them the log is sound. */
import type { Found } from './feedback-apart.ts';
import { filesApart } from './files-apart.ts';
import type { InspectedFile } from './inspected.ts';
import { type LogFinding, note } from './log-finding.ts';

/** With more files, combinations are not tried. */
const MOST_FILES = 8;

/**
 * The files; those that are left out have no role. Only files that were found in a folder are: a file that is named is meant.
 *
 * @param read returns how some files are read; @param isSound whether that gives numbers
 */
export function withoutSideTables(
  files: readonly InspectedFile[],
  read: (files: readonly InspectedFile[]) => Found,
  isSound: (found: Found) => boolean,
): readonly InspectedFile[] {
  const logs = files.filter(({ guess }) => guess !== undefined);
  const brought = logs.filter(({ inFolder }) => inFolder === true);
  const isWhole = (some: readonly InspectedFile[]): boolean => {
    const found = read(some);
    return isSound(found) && filesApart({ ...found, files: some }).every(({ level }) => level === 'note');
  };
  if (brought.length === 0 || logs.length < 2 || logs.length > MOST_FILES || isWhole(files)) return files;
  const choices = [...brought.map((one) => [one]), ...brought.map((one) => brought.filter((other) => other !== one))];
  const left = choices.find((some) => some.length < logs.length && isWhole(without(files, some)));
  return left === undefined ? files : without(files, left);
}

function without(files: readonly InspectedFile[], some: readonly InspectedFile[]): readonly InspectedFile[] {
  return files.map((file) => (some.includes(file) ? { ...file, guess: undefined, isSideTable: true } : file));
}

export function sideTableFinding({ name }: InspectedFile): LogFinding {
  return note(
    'files_differ',
    `${name} is left out: it has none of the fields by which the other files of the folder are read, and they are sound without it.`,
    'If it is a part of the log, inspect it by its name.',
  );
}
