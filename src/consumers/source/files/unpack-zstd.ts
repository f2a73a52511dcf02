import { Decompress, decompress } from 'fzstd';
import { messageOf } from '../../../vocabulary/error-text.ts';

const PIECE_BYTES = 4096;

/**
 * Unpacks zstd frames as a stream. Always with fzstd: node:zlib supports zstd only from Node 22.15 on, and a file must read the
 * same on every version. Windows above 32 MiB (`zstd --long`) and dictionaries are refused.
 */
export async function* unpackZstd(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const unpacked: Uint8Array[] = [];
  const frames = new Decompress((piece) => {
    if (piece.length > 0) unpacked.push(piece);
  });
  for await (const chunk of chunks) {
    // In small pieces, since four bytes may become 128 KiB, which wait here until they are consumed.
    for (let from = 0; from < chunk.length; from += PIECE_BYTES) {
      explained(() => frames.push(chunk.subarray(from, from + PIECE_BYTES)));
      yield* unpacked.splice(0);
    }
  }
  explained(() => frames.push(new Uint8Array(0), true));
  yield* unpacked;
}

/** Unpacks one frame to `bytes` bytes. */
export function unpackZstdBlock(input: Uint8Array, bytes: number): Uint8Array {
  return explained(() => decompress(input, new Uint8Array(bytes)));
}

function explained<T>(unpack: () => T): T {
  try {
    return unpack();
  } catch (error) {
    const reason = messageOf(error);
    throw new Error(
      `zstd: ${reason === 'window size too large' ? 'its window is above 32 MiB: pack it without --long' : reason}`,
    );
  }
}
