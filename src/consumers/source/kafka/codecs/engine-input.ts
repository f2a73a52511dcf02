import type { Buffer } from 'node:buffer';
import { engine } from '../../../engine/engine.ts';
import { EngineRoom } from '../../../engine/engine-room.ts';

const LEAST_BYTES = 2 ** 16;
/** Decoders proceed in steps and may read this many bytes beyond the end. */
const SPARE = 64;

let room: EngineRoom | undefined;

/**
 * The input, in the engine's memory, for the modules that work there; valid until the next call. Bytes that do not lie there already are
 * copied, in place of the previous input.
 * @throws if WebAssembly gets no memory
 */
export function engineInput(bytes: Uint8Array): Buffer {
  const own = engine();
  const { length } = bytes;
  if (bytes.buffer === own.buffer) return own.bytes.subarray(bytes.byteOffset, bytes.byteOffset + length);
  room ??= new EngineRoom(own, LEAST_BYTES + SPARE);
  const place = room.reserve(length + SPARE);
  own.bytes.set(bytes, place);
  return own.bytes.subarray(place, place + length);
}
