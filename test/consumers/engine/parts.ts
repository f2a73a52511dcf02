/** The parts of the engine, compiled for their tests, in a memory of their own. */
import { compiled } from '../../../wasm/compile.ts';

type Call = (...args: (number | bigint | boolean)[]) => number;

export interface Parts {
  readonly buffer: ArrayBuffer;
  readonly u8: Buffer;
  readonly call: (name: string, ...args: (number | bigint | boolean)[]) => number;
}

/** With assertions, and not optimized: that would take longer than their tests. */
const CODE = await compiled('engine/parts.ts', { isChecked: true });
const module = new WebAssembly.Module(Buffer.from(CODE, 'base64'));

/** Pages of what is at fixed places. */
const FIXED = 97;

/** With a memory of so many pages of 64 KiB besides those. At most 2^16 - 1 in all. */
export function openParts(more = 256): Parts {
  const pages = Math.min(more + FIXED, 2 ** 16 - 1);
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
  const host = {
    outOfMemory: (): never => {
      throw new Error('out of memory');
    },
  };
  const { exports } = new WebAssembly.Instance(module, { env: { memory, abort: () => {} }, host });
  const call = (name: string, ...args: (number | bigint | boolean)[]): number => {
    const found = exports[name];
    if (!isCall(found)) throw new Error(`no ${name}`);
    return found(...args);
  };
  call('openMemory', pages * 65_536);
  return { buffer: memory.buffer, u8: Buffer.from(memory.buffer), call };
}

function isCall(value: unknown): value is Call {
  return typeof value === 'function';
}
