import { createContext, Script } from 'node:vm';
import { decompress } from 'fzstd';
import { messageOf } from '../../../../vocabulary/error-text.ts';
import {
  blockHeader,
  damagedZstd,
  frameHeader,
  headerBytes,
  isSkippable,
  LARGEST_BLOCK,
  ZSTD_MAGIC,
} from '../../zstd-frame.ts';

/** The default limit of the reference decoder. Larger windows are refused. */
const LARGEST_WINDOW = 1 << 27;

interface Frame {
  readonly end: number;
  /** Upper limit of its decompressed bytes. */
  readonly most: number;
  readonly skipped: boolean;
}

/**
 * Decodes zstd frames. If a frame does not declare the length of its content, zeros may follow the content (a Kafka batch
 * declares how many records it holds). The blocks are measured before anything is allocated, since fzstd would truncate
 * silently. fzstd does not bound the work that hostile sequences cause, so it runs under a time limit. Format: RFC 8878.
 * @throws RangeError if it is damaged, may hold more than `limit` bytes, or takes longer than `milliseconds`.
 */
export function decodeZstd(input: Uint8Array, limit: number, milliseconds: number): Buffer {
  const parts: { readonly frame: Uint8Array; readonly most: number }[] = [];
  let total = 0;
  for (let at = 0; at < input.length; ) {
    const frame = measure(input, at);
    if (!frame.skipped) parts.push({ frame: input.subarray(at, frame.end), most: frame.most });
    total += frame.most;
    if (total > limit) throw new RangeError(`zstd data may hold ${total} bytes, more than the limit of ${limit}`);
    at = frame.end;
  }
  const out = Buffer.alloc(total);
  try {
    withinTime(milliseconds, () => {
      let at = 0;
      for (const { frame, most } of parts) {
        decompress(frame, out.subarray(at, at + most));
        at += most;
      }
    });
  } catch (error) {
    throw damagedZstd(messageOf(error));
  }
  return out;
}

function measure(input: Uint8Array, start: number): Frame {
  const view = new DataView(input.buffer, input.byteOffset, input.byteLength);
  const need = (end: number): void => {
    if (end > input.length) throw damagedZstd('it ends too early');
  };
  need(start + 8);
  const magic = view.getUint32(start, true);
  if (isSkippable(magic)) {
    const end = start + 8 + view.getUint32(start + 4, true);
    need(end);
    return { end, most: 0, skipped: true };
  }
  if (magic !== ZSTD_MAGIC) throw damagedZstd('no zstd frame');
  const length = headerBytes(input[start + 4]);
  need(start + length);
  const { window, content, hasChecksum } = frameHeader(new DataView(input.buffer, input.byteOffset + start, length));
  let at = start + length;
  if (window > LARGEST_WINDOW) throw damagedZstd('its window is larger than 128 MiB');

  const largest = Math.min(LARGEST_BLOCK, window);
  let most = 0;
  for (let last = false; !last; ) {
    need(at + 3);
    const block = blockHeader(input, at);
    at += 3 + block.stored;
    last = block.isLast;
    most += block.content ?? largest;
    need(at);
  }
  if (hasChecksum) at += 4;
  need(at);
  if (content !== undefined) {
    if (content > most) throw damagedZstd('its blocks are shorter than its content');
    most = content;
  }
  return { end: at, most, skipped: false };
}

const script = new Script('work()');
const box: { work: () => void } = { work: () => {} };
createContext(box);

/**
 * Runs synchronous work and stops it, wherever it is, after this many milliseconds of wall time: for code that may not
 * terminate. Changes that it has made by then remain. Not re-entrant.
 * @throws what the work throws, or an error with the code ERR_SCRIPT_EXECUTION_TIMEOUT.
 */
export function withinTime(milliseconds: number, work: () => void): void {
  box.work = work;
  try {
    script.runInContext(box, { timeout: Math.max(1, Math.ceil(milliseconds)) });
  } finally {
    box.work = () => {};
  }
}
