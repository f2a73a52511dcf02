/**
 * Checksums of what Redis holds (specification: layout 10). A text is stored with the CRC-32 of its key, its field and itself behind it, and each
 * hash knows its fields. So whoever reads a hash, or any field of it, finds what somebody has altered, removed, added, renamed or
 * copied there.
 */
import { crc32 } from 'node:zlib';
import { isOfChecked } from './generation.ts';
import { alteredText } from './json.ts';
import { STORE_FIELDS, WITH_CHECKSUMS } from './layout.ts';
import type { Commit, Fields } from './store-port.ts';

/** The field that says which others there are: for rows their number, which the script keeps, for a unit their names. */
export const FIELDS_HELD = '#';

/** Fields of a unit's hash that have no checksum. `format` says whether the others have one. */
const PLAIN: ReadonlySet<string> = new Set([...STORE_FIELDS, 'format']);

/** Characters of a blank, and of eight hexadecimal digits in quotation marks. */
const MARK_LENGTH = 11;

/** The fields of a row's key as they are stored. */
export function rowsToStored(key: string, fields: Fields): Fields {
  return isOfChecked(key) ? marked(crc32(`${key}\n`), fields) : fields;
}

/** All fields of a key as a commit gave them, or, where any was altered, texts that nothing decodes. Changes `fields`. */
export function fromStored(key: string, fields: Map<string, string>): Map<string, string> {
  return fields.has('format') ? unitFromStored(key, fields) : rowsFromStored(key, fields);
}

function rowsFromStored(key: string, fields: Map<string, string>): Map<string, string> {
  if (fields.size === 0 || !isOfChecked(key)) return fields;
  const held = fields.get(FIELDS_HELD);
  fields.delete(FIELDS_HELD);
  const why =
    held === String(fields.size)
      ? undefined
      : `it has ${fields.size} fields, and ${held ?? 'no number of them'} were stored`;
  return unmarked(crc32(`${key}\n`), fields, why);
}

/** The same for some of the fields of a row's key. */
export function someFromStored(key: string, fields: Map<string, string>): Map<string, string> {
  return isOfChecked(key) ? unmarked(crc32(`${key}\n`), fields) : fields;
}

/** The checkpoint of a commit as it is stored. Each commit stores all of it, so its texts are bound to that commit. */
export function checkpointToStored({
  unit,
  checkpoint,
  seq,
  cid,
}: Pick<Commit, 'unit' | 'checkpoint' | 'seq' | 'cid'>): Fields {
  if (!isOfCheckedFormat(checkpoint)) return checkpoint;
  const names = [...checkpoint.keys()].filter((name) => !PLAIN.has(name)).join();
  return marked(seedOf(unit, String(seq), cid), new Map([...checkpoint, [FIELDS_HELD, names]]));
}

/** A hash of a format without checksums is returned as it is. */
function unitFromStored(unit: string, hash: Map<string, string>): Map<string, string> {
  if (!isOfCheckedFormat(hash)) return hash;
  const seed = seedOf(unit, hash.get('seq') ?? '', hash.get('cid') ?? '');
  const names = textOf(seed, FIELDS_HELD, hash.get(FIELDS_HELD) ?? '')?.split(',');
  hash.delete(FIELDS_HELD);
  if (names === undefined)
    return unmarked(seed, hash, 'the names of its fields, or its seq or cid, are not those of a commit');
  // A later build may have left others behind.
  for (const name of hash.keys()) if (!PLAIN.has(name) && !names.includes(name)) hash.delete(name);
  const gone = names.find((name) => !hash.has(name));
  return unmarked(seed, hash, gone === undefined ? undefined : `${gone} is gone`);
}

function isOfCheckedFormat(hash: Fields): boolean {
  return Number(hash.get('format')) >= WITH_CHECKSUMS;
}

function seedOf(unit: string, seq: string, cid: string): number {
  return crc32(`${unit}\n${seq}\n${cid}\n`);
}

function marked(seed: number, fields: Fields): Fields {
  const stored = new Map<string, string>();
  for (const [field, text] of fields) {
    stored.set(field, PLAIN.has(field) ? text : `${text} "${checksum(seed, field, text)}"`);
  }
  return stored;
}

/** @param why what else is wrong */
function unmarked(seed: number, fields: Map<string, string>, why?: string): Map<string, string> {
  let altered = why;
  for (const [field, stored] of fields) {
    if (PLAIN.has(field)) continue;
    const text = textOf(seed, field, stored);
    if (text === undefined) altered ??= `the checksum of ${field} differs`;
    fields.set(field, text ?? '');
  }
  if (altered === undefined) return fields;
  const text = alteredText(altered);
  for (const field of fields.keys()) if (!PLAIN.has(field)) fields.set(field, text);
  return fields;
}

/** A text without its checksum; undefined: that differs. */
function textOf(seed: number, field: string, stored: string): string | undefined {
  const text = stored.slice(0, -MARK_LENGTH);
  return stored === `${text} "${checksum(seed, field, text)}"` ? text : undefined;
}

/** Two hexadecimal digits of each byte: `toString(16)` takes as long as the checksum. */
const HEX = Array.from({ length: 256 }, (_, byte) => (256 + byte).toString(16).slice(1));

/** Eight hexadecimal digits. @param seed the CRC-32 of what stands before the field */
function checksum(seed: number, field: string, text: string): string {
  const crc = crc32(text, crc32(field, seed));
  return HEX[crc >>> 24] + HEX[(crc >>> 16) & 255] + HEX[(crc >>> 8) & 255] + HEX[crc & 255];
}
