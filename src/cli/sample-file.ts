/** The first records of a file in any format. */
import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { FileForm } from '../consumers/decode/decoder-settings.ts';
import type { Fields } from '../consumers/decode/raw.ts';
import { ANY_FORM } from '../consumers/source/files/format.ts';
import { packingOf, readBytes, UnreadableFile } from '../consumers/source/files/lines.ts';
import { openRows } from '../consumers/source/files/rows.ts';
import { profileOf, timesOf } from '../inspect/fields.ts';
import {
  binaryFormOf,
  type Encoding,
  encodingOf,
  type FileFormat,
  type Form,
  formWords,
  lineEndsOf,
  textFormOf,
} from '../inspect/file-shape.ts';
import { type BadRow, Rows } from '../inspect/inspected.ts';
import { type Role, rolesOf } from '../inspect/roles.ts';
import { isOtherDate } from '../inspect/time-forms.ts';
import { messageOf } from '../vocabulary/error-text.ts';
import { fileProblem, UsageError } from './failure.ts';
import { mustBeFile } from './readable.ts';

/** Uncompressed bytes from which the format is detected. */
const HEAD_BYTES = 1 << 18;
/** Most bytes of records that are kept. */
const MOST_BYTES = 256 << 20;

interface FileSample {
  readonly format: FileFormat;
  readonly rows: readonly Fields[];
  readonly bad: readonly BadRow[];
  /** The file continues after the sample. */
  readonly more: boolean;
}

/** At most `limit` records from the beginning, read as a replay reads them. Rejects with an Error that says what is wrong with the file. */
export async function sampleOf(file: string, limit: number): Promise<FileSample> {
  mustBeFile(file);
  try {
    const format = await formatOf(file);
    const { kind } = format.form;
    if (isWide(format.encoding) || NO_RECORDS.has(kind)) return { format, rows: [], bad: [], more: false };
    return { format, ...(await recordsOf(file, formOf(format.form), limit)) };
  } catch (error) {
    throw new Error(fileProblem(file, error instanceof UnreadableFile ? error.cause : error), { cause: error });
  }
}

const NO_RECORDS: ReadonlySet<Form['kind']> = new Set(['empty', 'unknown', 'avro', 'orc', 'trec-run', 'trec-qrels']);

async function formatOf(file: string): Promise<FileFormat> {
  const packing = packingOf(firstBytes(file));
  const compression = packing === 'gz' ? 'gzip' : packing === 'zst' ? 'zstd' : 'none';
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of readBytes(file, { bytes: 0 })) {
    parts.push(part);
    length += part.length;
    if (length >= HEAD_BYTES) break;
  }
  const head = Buffer.concat(parts).subarray(0, HEAD_BYTES);
  const binary = binaryFormOf(head);
  if (binary !== undefined) return { compression, encoding: undefined, lineEnds: 'none', form: binary };
  const encoding = encodingOf(head);
  const text = textOf(head, encoding);
  const form = textFormOf(text);
  const isSeen = form.kind !== 'delimited' || isWide(encoding) || (await seenDelimiter(file)) === form.delimiter;
  return {
    compression,
    encoding,
    lineEnds: lineEndsOf(text),
    form: form.kind === 'delimited' ? { ...form, isSeen } : form,
  };
}

/** Whether a replay refuses it. */
function isWide(encoding: Encoding | undefined): boolean {
  return encoding === 'UTF-16' || encoding === 'UTF-32';
}

function textOf(head: Buffer, encoding: Encoding): string {
  if (encoding === 'UTF-16') return new TextDecoder(head[0] === 0xfe ? 'utf-16be' : 'utf-16le').decode(head);
  if (encoding !== 'UTF-32') return new TextDecoder().decode(head);
  const character = (at: number): number => (head[0] === 0 ? head.readUInt32BE(at) : head.readUInt32LE(at));
  const characters = Array.from({ length: head.length >>> 2 }, (_, n) => Math.min(character(4 * n), 0x10ffff));
  return characters
    .slice(1)
    .map((code) => String.fromCodePoint(code))
    .join('');
}

/** The delimiter that a replay would detect. */
async function seenDelimiter(file: string): Promise<string | undefined> {
  const { format, rows } = await openRows(file);
  await rows.return(undefined);
  return format?.delimiter;
}

/** The first bytes, as they are stored. */
function firstBytes(file: string): Uint8Array {
  const bytes = new Uint8Array(8);
  const descriptor = openSync(file, 'r');
  try {
    return bytes.subarray(0, readSync(descriptor, bytes));
  } finally {
    closeSync(descriptor);
  }
}

/** The part of the format that a replay must be given, because it does not detect it. */
function formOf(form: Form): FileForm {
  if (form.kind !== 'delimited') return ANY_FORM;
  const columns =
    form.columns === undefined ? Array.from({ length: form.width }, (_, i) => `column_${i + 1}`) : undefined;
  return { ...ANY_FORM, delimiter: form.delimiter, columns };
}

async function recordsOf(file: string, form: FileForm, limit: number): Promise<Omit<FileSample, 'format'>> {
  const records = new Rows();
  const decoder = new TextDecoder();
  const { rows } = await openRows(file, { form });
  let bytes = 0;
  for await (const group of rows) {
    for (const { value, refused } of group) {
      if (records.count >= limit || bytes > MOST_BYTES) return { rows: records.rows, bad: records.bad, more: true };
      bytes += value.length;
      records.add(decoder.decode(value), refused === undefined ? undefined : `is refused (${refused})`);
    }
  }
  return { rows: records.rows, bad: records.bad, more: false };
}

// Folders among the arguments of `inspect`: which of their files are logs.

/** A file, and what the user said it holds. */
export interface Given {
  readonly path: string;
  readonly role: Role | undefined;
  /** A folder stands for it. */
  readonly inFolder?: boolean | undefined;
}

interface LeftOut {
  readonly folder: string;
  /** Each with the reason. */
  readonly files: readonly string[];
}

/** Most files in a folder and below. A folder with more is an archive, not a set of logs. */
const MOST_FILES = 200;
/** Records that are read to decide whether a file is a log. */
const LOOKED_AT = 50;
/** Files that often accompany logs. */
const NO_LOG = /\.(?:md|ya?ml|toml|py|ipynb|[jt]sx?|mjs|sh|sql|html?|css|png|jpe?g|svg|pdf|lock|crc|log)$/i;

const NO_TIMES = 'no field holds times';
const OTHER_LINES = 'no JSON, and no columns';

/** Replaces each folder by the logs in it, in the order of their names. @throws UsageError: there are none */
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
    const looked = new Map<string, Looked>();
    for (const name of filesIn(one.path)) looked.set(name, await lookAt(join(one.path, name)));
    const found = [...looked.keys()].filter((name) => looked.get(name)?.why === undefined);
    // Times may count from a start, or stand in no file, and lines may be of a form that has to be changed: what can be done with
    // such files is said of them as if they were named, and so are lists without times where no other file holds lists.
    const named = [...looked].filter(([, { why }]) => why === NO_TIMES || why === OTHER_LINES).map(([name]) => name);
    const isShown = found.some((name) => looked.get(name)?.hasLists === true);
    const lists = isShown ? [] : named.filter((name) => looked.get(name)?.hasLists === true);
    const logs = found.length > 0 ? [...found, ...lists].sort() : named;
    const others = [...looked].filter(([name]) => !logs.includes(name)).map(([name, { why }]) => `${name} (${why})`);
    if (logs.length === 0) {
      throw new UsageError(
        `${one.path}: no file in this folder is a log${others.length === 0 ? '' : `: ${others.join(', ')}`}`,
      );
    }
    all.push(...logs.map((name) => ({ ...one, path: join(one.path, name), inFolder: true })));
    if (others.length > 0) leftOut.push({ folder: one.path, files: others });
  }
  return { given: all, leftOut };
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    // Whatever is wrong is reported when it is read.
    return false;
  }
}

/** Without hidden files and markers such as `_SUCCESS`. @throws UsageError: there are too many */
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
      `${folder} holds ${names.length} files, more than the ${MOST_FILES} that are read: name some of them`,
    );
  }
  return names.sort();
}

interface Looked {
  /** Why the file is not a log; undefined: it may be one. */
  readonly why: string | undefined;
  readonly hasLists?: boolean;
}

async function lookAt(path: string): Promise<Looked> {
  if (NO_LOG.test(path)) return { why: 'not a log, by its name' };
  try {
    const { format, rows } = await sampleOf(path, LOOKED_AT);
    const { form } = format;
    if (rows.length === 0)
      return { why: form.kind === 'unknown' && form.lines !== undefined ? OTHER_LINES : formWords(form) };
    const profile = profileOf(rows);
    // Times in a list of nothing else are a history of somebody, not the time of a record.
    const hasTimes = [...profile.fields.values()].some(
      (field) => !field.path.endsWith('[]') && (timesOf(field) !== undefined || isOtherDate(field.example)),
    );
    const [guess] = rolesOf([{ rows, profile }], [undefined]);
    return { why: hasTimes ? undefined : NO_TIMES, hasLists: guess.role !== 'feedback' };
  } catch (error) {
    return { why: messageOf(error) };
  }
}
