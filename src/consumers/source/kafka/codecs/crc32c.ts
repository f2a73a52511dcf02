import { engineIfAny } from '../../../engine/engine.ts';
import { openModule } from '../../../engine/module.ts';
import { CRC32C_CODE } from './crc32c-code.ts';

/** The Castagnoli polynomial, lowest bit first. */
const POLYNOMIAL = 0x82f63b78;
const TABLES = 16;
/** Bytes of one table. */
const TABLE_BYTES = 1024;
/** What lies elsewhere is copied into the engine's memory in pieces that stay in the processor's cache. */
const PIECE = 2 ** 16;

type Checksum = (bytes: Uint8Array, from: number) => number;

/** Made when the first batch comes. */
let checksum: Checksum | undefined;

/** CRC-32C (RFC 3720, section 12.1) of the bytes from `from` on: 32 bits, unsigned. 0.35 ns per byte (decision 0017). */
export function crc32c(bytes: Uint8Array, from = 0): number {
  checksum ??= compiled() ?? byBytes;
  return checksum(bytes, from);
}

/** undefined: WebAssembly cannot get memory, for example because of a limit on address space (`ulimit -v`). */
function compiled(): Checksum | undefined {
  const engine = engineIfAny();
  if (engine === undefined) return undefined;
  const { memory, buffer } = engine;
  const add = openModule('the checksum', CRC32C_CODE, memory, { memory })('crc32c');
  const ofTables = engine.takeShared(TABLES * TABLE_BYTES + PIECE);
  engine.words.set(tables(), ofTables >>> 2);
  const pieceAt = ofTables + TABLES * TABLE_BYTES;
  return (bytes, from) => {
    if (from >= bytes.length) return 0;
    if (bytes.buffer === buffer)
      return ~add(-1, bytes.byteOffset + from, bytes.byteOffset + bytes.length, ofTables) >>> 0;
    let crc = -1;
    for (let at = from; at < bytes.length; at += PIECE) {
      const size = Math.min(PIECE, bytes.length - at);
      engine.bytes.set(new Uint8Array(bytes.buffer, bytes.byteOffset + at, size), pieceAt);
      crc = add(crc, pieceAt, pieceAt + size, ofTables);
    }
    return ~crc >>> 0;
  };
}

let table: Uint32Array | undefined;

/** The same with a single table, eight times as slow. */
export const byBytes: Checksum = (bytes, from) => {
  table ??= tables().subarray(0, 256);
  let crc = -1;
  for (let at = from; at < bytes.length; at++) crc = table[(crc ^ bytes[at]) & 255] ^ (crc >>> 8);
  return ~crc >>> 0;
};

/** Table k holds for each byte its remainder when k more bytes follow it. */
function tables(): Uint32Array {
  const all = new Uint32Array(TABLES * 256);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 0 ? crc >>> 1 : (crc >>> 1) ^ POLYNOMIAL;
    all[byte] = crc;
  }
  for (let at = 256; at < all.length; at++) all[at] = all[all[at - 256] & 255] ^ (all[at - 256] >>> 8);
  return all;
}
