/** The first records of a file of any form. */

import { closeSync, openSync, readSync } from 'node:fs';
import type { FileForm } from '../consumers/decode/decoder-settings.ts';
import type { Fields } from '../consumers/decode/raw.ts';
import { ANY_FORM } from '../consumers/source/files/format.ts';
import { packingOf, readBytes, UnreadableFile } from '../consumers/source/files/lines.ts';
import { openRows } from '../consumers/source/files/rows.ts';
import { binaryFormOf, encodingOf, type FileFormat, type Form, lineEndsOf, textFormOf } from '../inspect/file-shape.ts';
import { type BadRow, Rows } from '../inspect/rows.ts';
import { fileProblem } from './failure.ts';
import { mustBeFile } from './readable.ts';

/** Unpacked bytes that tell what the file is. */
const HEAD_BYTES = 1 << 18;
/** Bytes of records that are kept. */
const MOST_BYTES = 256 << 20;

export interface FileSample {
  readonly format: FileFormat;
  readonly rows: readonly Fields[];
  readonly bad: readonly BadRow[];
  /** The file continues behind the sample. */
  readonly more: boolean;
}

/** At most `limit` records from the beginning, read as a replay reads them. Rejects with an Error that says what is wrong with the file. */
export async function sampleOf(file: string, limit: number): Promise<FileSample> {
  mustBeFile(file);
  try {
    const format = await formatOf(file);
    const { kind } = format.form;
    if (format.encoding === 'UTF-16' || NO_RECORDS.has(kind)) return { format, rows: [], bad: [], more: false };
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
  const text = new TextDecoder(encoding === 'UTF-16' ? (head[0] === 0xfe ? 'utf-16be' : 'utf-16le') : 'utf-8').decode(
    head,
  );
  const form = textFormOf(text);
  const isSeen = form.kind !== 'delimited' || encoding === 'UTF-16' || (await seenDelimiter(file)) === form.delimiter;
  return {
    compression,
    encoding,
    lineEnds: lineEndsOf(text),
    form: form.kind === 'delimited' ? { ...form, isSeen } : form,
  };
}

/** What a replay takes for it. */
async function seenDelimiter(file: string): Promise<string | undefined> {
  const { format, rows } = await openRows(file);
  await rows.return(undefined);
  return format?.delimiter;
}

/** As they are stored. */
function firstBytes(file: string): Uint8Array {
  const bytes = new Uint8Array(8);
  const descriptor = openSync(file, 'r');
  try {
    return bytes.subarray(0, readSync(descriptor, bytes));
  } finally {
    closeSync(descriptor);
  }
}

/** What a replay must be told: the rest it sees itself. */
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
