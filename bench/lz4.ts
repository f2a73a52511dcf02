/**
 * A plain lz4 writer for preloading topics: lz4js, the other one at hand, lets a match begin in the last 12 bytes of a block,
 * which brokers refuse. Format: github.com/lz4/lz4 lz4_Frame_format.md and lz4_Block_format.md.
 */
const BLOCK_BYTES = 1 << 16;
/** Magic number, independent blocks, at most 64 KB each, checksum of these flags: what Kafka's Java client writes. */
const HEADER = Buffer.from('04224d18604082', 'hex');
const END_MARK = Buffer.alloc(4);
const RAW = 0x80000000;
const MIN_MATCH = 4;
const LAST_LITERALS = 5;
/** No match begins closer to the end. */
const LAST_START = 12;
const HASH_BITS = 14;

const places = new Int32Array(1 << HASH_BITS);
const scratch = Buffer.allocUnsafeSlow(BLOCK_BYTES + BLOCK_BYTES / 255 + 16);

export function encodeLz4(bytes: Buffer): Buffer {
  const parts: Buffer[] = [HEADER];
  for (let at = 0; at < bytes.length; at += BLOCK_BYTES) {
    const plain = bytes.subarray(at, at + BLOCK_BYTES);
    const size = encodeBlock(plain);
    const block = size < plain.length ? Buffer.from(scratch.subarray(0, size)) : plain;
    const word = Buffer.alloc(4);
    word.writeUInt32LE(block.length + (block === plain ? RAW : 0));
    parts.push(word, block);
  }
  return Buffer.concat([...parts, END_MARK]);
}

/** Into `scratch`; returns how many bytes. */
function encodeBlock(from: Buffer): number {
  places.fill(-1);
  let anchor = 0;
  let to = 0;
  for (let at = 0; at <= from.length - LAST_START; ) {
    const word = from.readInt32LE(at);
    const hash = Math.imul(word, -1640531535) >>> (32 - HASH_BITS);
    const place = places[hash];
    places[hash] = at;
    if (place < 0 || from.readInt32LE(place) !== word) {
      at += 1 + ((at - anchor) >> 6);
      continue;
    }
    let length = MIN_MATCH;
    while (at + length < from.length - LAST_LITERALS && from[place + length] === from[at + length]) length++;
    to = literals(from, anchor, at, Math.min(15, length - MIN_MATCH), to);
    scratch.writeUInt16LE(at - place, to);
    to = more(length - MIN_MATCH, to + 2);
    at += length;
    anchor = at;
  }
  return literals(from, anchor, from.length, 0, to);
}

/** A token with its low half, and the bytes before a match. */
function literals(from: Buffer, start: number, end: number, low: number, at: number): number {
  const count = end - start;
  scratch[at] = (Math.min(15, count) << 4) | low;
  const to = more(count, at + 1);
  from.copy(scratch, to, start, end);
  return to + count;
}

/** What of a length does not fit a half token. */
function more(length: number, at: number): number {
  if (length < 15) return at;
  let to = at;
  let rest = length - 15;
  for (; rest >= 255; rest -= 255) scratch[to++] = 255;
  scratch[to++] = rest;
  return to;
}
