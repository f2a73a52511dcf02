/**
 * Checksums of what Redis holds (specification: layout 10). A text is stored with the CRC-32 of its key, its field and itself behind it, and each
 * hash with the number of its fields. So whoever reads a hash, or any field of it, finds what somebody has altered, removed, added, renamed
 * or copied there.
 */
import { crc32 } from 'node:zlib';
import { isOfChecked } from './generation.ts';
import { ALTERED } from './json.ts';
import { STORE_FIELDS, WITH_CHECKSUMS } from './layout.ts';
import type { Fields } from './store-port.ts';

/** The field with the number of the other fields: of a key of rows the script keeps it, of a unit's hash each commit stores it. */
export const FIELD_COUNT = '#';

/** Fields of a unit's hash that have no checksum. `format` says whether the others have one. */
const PLAIN: ReadonlySet<string> = new Set([...STORE_FIELDS, 'format', FIELD_COUNT]);

/** Characters of a blank, and of eight hexadecimal digits in quotation marks. */
const MARK_LENGTH = 11;

/** Whether texts under this key have checksums: rows of a generation that has them, and a unit's hash whose format does. */
function isChecked(key: string, fields: Fields): boolean {
  const format = fields.get('format');
  return format === undefined ? isOfChecked(key) : Number(format) >= WITH_CHECKSUMS;
}

/** The fields of a hash as they are stored under this key. */
export function toStored(key: string, fields: Fields): Fields {
  if (!isChecked(key, fields)) return fields;
  const seed = crc32(`${key}\n`);
  const stored = new Map<string, string>();
  for (const [field, text] of fields) {
    stored.set(field, PLAIN.has(field) ? text : `${text} "${checksum(seed, field, text)}"`);
  }
  // The script counts the fields of rows, since a commit does not know how many there are.
  return fields.has('format') ? stored.set(FIELD_COUNT, String(fields.size)) : stored;
}

/**
 * The fields of a hash as they were given to `toStored`. If any was altered, or some of `isWhole` fields are gone or were added, every text is `ALTERED`, which
 * nothing decodes. Changes `fields`.
 * @param isWhole these are all fields of the hash
 */
export function fromStored(key: string, fields: Map<string, string>, isWhole: boolean): Map<string, string> {
  if (fields.size === 0 || !isChecked(key, fields)) return fields;
  const seed = crc32(`${key}\n`);
  let isAltered = isWhole && !areCounted(fields);
  fields.delete(FIELD_COUNT);
  for (const [field, stored] of fields) {
    if (PLAIN.has(field)) continue;
    const text = stored.slice(0, -MARK_LENGTH);
    isAltered ||= stored !== `${text} "${checksum(seed, field, text)}"`;
    fields.set(field, text);
  }
  if (isAltered) for (const field of fields.keys()) if (!PLAIN.has(field)) fields.set(field, ALTERED);
  return fields;
}

/** A build that stores more fields leaves them behind in the hash of a unit. */
function areCounted(fields: Fields): boolean {
  const count = Number(fields.get(FIELD_COUNT));
  const own = STORE_FIELDS.filter((field) => fields.has(field)).length;
  const others = fields.size - own - 1;
  return fields.has('format') ? others >= count : others === count;
}

/** Two hexadecimal digits of each byte: `toString(16)` takes as long as the checksum. */
const HEX = Array.from({ length: 256 }, (_, byte) => (256 + byte).toString(16).slice(1));

/** Eight hexadecimal digits. @param seed the CRC-32 of the key */
function checksum(seed: number, field: string, text: string): string {
  const crc = crc32(text, crc32(field, seed));
  return HEX[crc >>> 24] + HEX[(crc >>> 16) & 255] + HEX[(crc >>> 8) & 255] + HEX[crc & 255];
}
