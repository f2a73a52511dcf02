/** Reads the headers of zstd frames and blocks. Format: RFC 8878, section 3.1. */

export const ZSTD_MAGIC = 0xfd2fb528;
/** Bytes of the longest block, packed or unpacked. */
export const LARGEST_BLOCK = 1 << 17;

interface FrameHeader {
  /** The window in bytes: how far back a block may refer. */
  readonly window: number;
  /** Bytes of the unpacked frame; undefined: not declared. */
  readonly content: number | undefined;
  /** Whether the last block is followed by four bytes, the lower half of the XXH64 of the content. */
  readonly hasChecksum: boolean;
}

interface BlockHeader {
  readonly isLast: boolean;
  /** Bytes of the block in the frame, without its header. */
  readonly stored: number;
  /** Bytes of its content; undefined: it is compressed. */
  readonly content: number | undefined;
}

/** Whether a frame with these first four bytes is skippable, and holds no content. The four bytes that follow are its length. */
export function isSkippable(magic: number): boolean {
  return (magic & 0xfffffff0) >>> 0 === 0x184d2a50;
}

/**
 * Length of a frame's header in bytes, including the magic number.
 * @param flags its fifth byte
 * @throws RangeError
 */
export function headerBytes(flags: number): number {
  if ((flags & 0x08) !== 0) throw damagedZstd('a reserved bit is set');
  if ((flags & 0x03) !== 0) throw damagedZstd('it needs a dictionary');
  return 5 + ((flags & 0x20) === 0 ? 1 : 0) + sizeBytes(flags);
}

/** @param view begins with the magic number, and has the whole header */
export function frameHeader(view: DataView): FrameHeader {
  const flags = view.getUint8(4);
  const isSingle = (flags & 0x20) !== 0;
  const content = contentSize(view, isSingle ? 5 : 6, sizeBytes(flags));
  const hasChecksum = (flags & 0x04) !== 0;
  if (isSingle) return { window: content ?? 0, content, hasChecksum };
  const base = 2 ** (10 + (view.getUint8(5) >>> 3));
  return { window: base + (base / 8) * (view.getUint8(5) & 7), content, hasChecksum };
}

/**
 * Reads the header of a block: three bytes from `at` on.
 * @throws RangeError
 */
export function blockHeader(bytes: Uint8Array, at: number): BlockHeader {
  const word = bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16);
  const type = (word >>> 1) & 3;
  const size = word >>> 3;
  if (type === 3 || size > LARGEST_BLOCK) throw damagedZstd('unknown block');
  return { isLast: (word & 1) === 1, stored: type === 1 ? 1 : size, content: type === 2 ? undefined : size };
}

export function damagedZstd(what: string): RangeError {
  return new RangeError(`zstd data is damaged: ${what}`);
}

function sizeBytes(flags: number): number {
  return flags >>> 6 === 0 ? (flags & 0x20) >>> 5 : 1 << (flags >>> 6);
}

function contentSize(view: DataView, at: number, bytes: number): number | undefined {
  switch (bytes) {
    case 0:
      return undefined;
    case 1:
      return view.getUint8(at);
    case 2:
      return view.getUint16(at, true) + 256;
    case 4:
      return view.getUint32(at, true);
    default:
      return Number(view.getBigUint64(at, true));
  }
}
