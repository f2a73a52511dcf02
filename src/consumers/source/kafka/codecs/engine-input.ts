import type { Buffer } from 'node:buffer';
import { engine } from '../../../engine/engine.ts';
import { EngineRoom } from '../../../engine/engine-room.ts';

const LEAST_BYTES = 2 ** 16;
/** Decoders proceed in steps and may read so many bytes too far. */
const SPARE = 64;

let room: EngineRoom | undefined;

/**
 * Input of the modules that work in the engine's memory: these bytes where they can read them, valid until the next call. They are copied
 * there in place of the input before, unless they lie there already. Throws when WebAssembly gets no memory.
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
