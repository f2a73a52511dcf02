const XERIAL = [0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00];
const XERIAL_HEADER = 16;

/**
 * Decodes snappy as Kafka producers write it: one raw block (librdkafka), or the xerial framing of the Java clients, which is
 * 16 bytes of header, then blocks of int32 length and data. Format: github.com/google/snappy format_description.txt.
 * @throws RangeError if it is damaged or holds more than `limit` bytes. Takes time in proportion to the bytes in and out.
 */
export function decodeSnappy(input: Uint8Array, limit: number): Buffer {
  const blocks = isXerial(input) ? xerialBlocks(input) : [input];
  let total = 0;
  for (const block of blocks) total += header(block).length;
  if (total > limit) throw new RangeError(`snappy data of ${total} bytes exceeds the limit of ${limit}`);
  const out = Buffer.allocUnsafeSlow(total);
  let at = 0;
  for (const block of blocks) at = decodeBlock(block, out, at);
  return out;
}

function isXerial(input: Uint8Array): boolean {
  return input.length >= XERIAL_HEADER && XERIAL.every((byte, i) => input[i] === byte);
}

function xerialBlocks(input: Uint8Array): Uint8Array[] {
  const view = new DataView(input.buffer, input.byteOffset, input.byteLength);
  const blocks: Uint8Array[] = [];
  let at = XERIAL_HEADER;
  while (at < input.length) {
    if (at + 4 > input.length) throw damaged();
    const length = view.getInt32(at);
    at += 4;
    if (length < 0 || at + length > input.length) throw damaged();
    blocks.push(input.subarray(at, at + length));
    at += length;
  }
  return blocks;
}

/** The uncompressed length that a block begins with, and where its elements begin. */
function header(block: Uint8Array): { readonly length: number; readonly at: number } {
  let length = 0;
  for (let at = 0; at < 5 && at < block.length; at++) {
    length += (block[at] & 0x7f) * 2 ** (7 * at);
    if (block[at] < 0x80) return { length, at: at + 1 };
  }
  throw damaged();
}

/** Decodes a block into exactly as many bytes as its header declares. */
function decodeBlock(block: Uint8Array, out: Uint8Array, start: number): number {
  const head = header(block);
  const end = start + head.length;
  const size = block.length;
  let at = head.at;
  let to = start;
  while (at < size) {
    const tag = block[at++];
    const kind = tag & 3;
    if (kind === 0) {
      let length = tag >>> 2;
      if (length >= 60) {
        const bytes = length - 59;
        if (at + bytes > size) throw damaged();
        length = 0;
        for (let i = bytes - 1; i >= 0; i--) length = length * 256 + block[at + i];
        at += bytes;
      }
      length++;
      if (at + length > size || to + length > end) throw damaged();
      copyLiterals(block, at, length, out, to);
      at += length;
      to += length;
      continue;
    }
    const bytes = kind === 3 ? 4 : kind;
    if (at + bytes > size) throw damaged();
    let length = (tag >>> 2) + 1;
    let distance = block[at];
    if (kind === 1) {
      length = ((tag >>> 2) & 7) + 4;
      distance += (tag >>> 5) << 8;
    } else {
      for (let i = 1; i < bytes; i++) distance += block[at + i] * 256 ** i;
    }
    at += bytes;
    if (distance === 0 || distance > to - start || to + length > end) throw damaged();
    copyMatch(out, to, distance, length);
    to += length;
  }
  if (to !== end) throw damaged();
  return to;
}

function damaged(): RangeError {
  return new RangeError('snappy data is damaged');
}

/** Above this many bytes one native copy is cheaper than a loop. */
const LOOP = 32;

/** Copies [at, at + length) of `from` to index `to` of `out`. The caller has checked all bounds. */
function copyLiterals(from: Uint8Array, at: number, length: number, out: Uint8Array, to: number): void {
  if (length > LOOP) out.set(from.subarray(at, at + length), to);
  else for (let i = 0; i < length; i++) out[to + i] = from[at + i];
}

/**
 * Copies `length` bytes from `distance` before `to`, as in all Lempel-Ziv formats: if the two overlap, bytes just written are
 * read again. The caller has checked all bounds.
 */
function copyMatch(out: Uint8Array, to: number, distance: number, length: number): void {
  if (length > LOOP && distance >= length) out.copyWithin(to, to - distance, to - distance + length);
  else if (distance === 1) out.fill(out[to - 1], to, to + length);
  else for (let i = to, end = to + length; i < end; i++) out[i] = out[i - distance];
}
