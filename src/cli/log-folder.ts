/** Folders among the names that `inspect` is given: which of their files are logs. */
import { readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { profileOf, timesOf } from '../inspect/fields.ts';
import { formWords } from '../inspect/file-findings.ts';
import type { Role } from '../inspect/roles.ts';
import { isOtherDate } from '../inspect/time-forms.ts';
import { UsageError } from './failure.ts';
import { sampleOf } from './sample-file.ts';

/** A file, and what the user says that it holds. */
export interface Given {
  readonly path: string;
  readonly role: Role | undefined;
}

export interface LeftOut {
  readonly folder: string;
  /** Each with why. */
  readonly files: readonly string[];
}

/** Files of a folder, with those below it. More are no folder of logs to look at, but an archive. */
const MOST_FILES = 200;
/** Records that tell whether a file is a log. */
const LOOKED_AT = 50;
/** What is written beside logs. */
const NO_LOG = /\.(?:md|ya?ml|toml|py|ipynb|[jt]sx?|mjs|sh|sql|html?|css|png|jpe?g|svg|pdf|lock|crc|log)$/i;

/** In place of each folder the logs in it, in the order of their names. @throws UsageError: there is none */
export async function withoutFolders(
  given: readonly Given[],
): Promise<{ readonly given: readonly Given[]; readonly leftOut: readonly LeftOut[] }> {
  const all: Given[] = [];
  const leftOut: LeftOut[] = [];
  for (const one of given) {
    if (!isFolder(one.path)) {
      all.push(one);
      continue;
    }
    const others: string[] = [];
    const logs: string[] = [];
    for (const name of filesIn(one.path)) {
      const why = await whyNoLog(join(one.path, name));
      if (why === undefined) logs.push(name);
      else others.push(`${name} (${why})`);
    }
    if (logs.length === 0) {
      throw new UsageError(
        `${one.path}: no file in this folder is a log${others.length === 0 ? '' : `: ${others.join(', ')}`}`,
      );
    }
    all.push(...logs.map((name) => ({ ...one, path: join(one.path, name) })));
    if (others.length > 0) leftOut.push({ folder: one.path, files: others });
  }
  return { given: all, leftOut };
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    // What it is, and what is wrong with it, is told where it is read.
    return false;
  }
}

/** Without the configuration, hidden ones and those of writers of many files (`_SUCCESS`). @throws UsageError: there are too many */
function filesIn(folder: string): readonly string[] {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter(
      (name) =>
        name !== 'receval.yaml' && !name.split(/[\\/]/).some((part) => part.startsWith('.') || part.startsWith('_')),
    );
  if (names.length > MOST_FILES) {
    throw new UsageError(
      `${folder} holds ${names.length} files, more than the ${MOST_FILES} that are looked at: name some of them`,
    );
  }
  return names.sort();
}

/** undefined: it may be one. */
async function whyNoLog(path: string): Promise<string | undefined> {
  if (NO_LOG.test(path)) return 'no log by its name';
  try {
    const { format, rows } = await sampleOf(path, LOOKED_AT);
    if (rows.length === 0) return formWords(format.form);
    const { fields } = profileOf(rows);
    const hasTimes = [...fields.values()].some((field) => timesOf(field) !== undefined || isOtherDate(field.example));
    return hasTimes ? undefined : 'no field holds times';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
