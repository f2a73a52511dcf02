import { createContext, Script } from 'node:vm';
import { decompress } from 'fzstd';
import { messageOf } from '../../../../vocabulary/error-text.ts';

const MAGIC = 0xfd2fb528;
const SKIPPABLE = 0x184d2a50;
const LARGEST_BLOCK = 1 << 17;
/** As the reference decoder's default: windows above this are refused. */
const LARGEST_WINDOW = 1 << 27;

interface Frame {
  readonly end: number;
  /** Most bytes that it can decompress to. */
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
    throw new RangeError(`zstd data is damaged: ${messageOf(error)}`);
  }
  return out;
}

function measure(input: Uint8Array, start: number): Frame {
  const view = new DataView(input.buffer, input.byteOffset, input.byteLength);
  const need = (end: number): void => {
    if (end > input.length) throw damaged('it ends too early');
  };
  need(start + 8);
  const magic = view.getUint32(start, true);
  if ((magic & 0xfffffff0) >>> 0 === SKIPPABLE) {
    const end = start + 8 + view.getUint32(start + 4, true);
    need(end);
    return { end, most: 0, skipped: true };
  }
  if (magic !== MAGIC) throw damaged('no zstd frame');
  const flags = input[start + 4];
  if ((flags & 0x08) !== 0) throw damaged('a reserved bit is set');
  if ((flags & 0x03) !== 0) throw damaged('it needs a dictionary');
  const single = (flags & 0x20) !== 0;
  const sizeBytes = flags >>> 6 === 0 ? (single ? 1 : 0) : 1 << (flags >>> 6);
  let at = start + 5;
  let window = Number.POSITIVE_INFINITY;
  if (!single) {
    const base = 2 ** (10 + (input[at] >>> 3));
    window = base + (base / 8) * (input[at] & 7);
    at++;
  }
  need(at + sizeBytes);
  const content = contentSize(view, at, sizeBytes);
  at += sizeBytes;
  if (single) window = content ?? 0;
  if (window > LARGEST_WINDOW) throw damaged('its window is larger than 128 MiB');

  const largest = Math.min(LARGEST_BLOCK, window);
  let most = 0;
  for (let last = false; !last; ) {
    need(at + 3);
    const word = input[at] | (input[at + 1] << 8) | (input[at + 2] << 16);
    at += 3;
    last = (word & 1) === 1;
    const type = (word >>> 1) & 3;
    const size = word >>> 3;
    if (type === 3 || size > LARGEST_BLOCK) throw damaged('unknown block');
    most += type === 2 ? largest : size;
    at += type === 1 ? 1 : size;
    need(at);
  }
  if ((flags & 0x04) !== 0) at += 4;
  need(at);
  if (content !== undefined) {
    if (content > most) throw damaged('its blocks are shorter than its content');
    most = content;
  }
  return { end: at, most, skipped: false };
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

function damaged(what: string): RangeError {
  return new RangeError(`zstd data is damaged: ${what}`);
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
