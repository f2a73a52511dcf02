import { Buffer } from 'node:buffer';

export type ModuleFunction = (...args: (number | boolean)[]) => number;

/**
 * Opens a module of `wasm` in this memory. Returns its exported functions by name, and throws for a name that it does not export.
 * @param what names the module in errors
 * @param code in base64
 * @param host what the module calls
 */
export function openModule(
  what: string,
  code: string,
  memory: WebAssembly.Memory,
  host: WebAssembly.ModuleImports = {},
): (name: string) => ModuleFunction {
  // Texts in AssemblyScript's representation, passed only by builds with assertions (wasm/compile.ts).
  const textAt = (at: number): string =>
    Buffer.from(memory.buffer, at, new DataView(memory.buffer).getUint32(at - 4, true)).toString('utf16le');
  const abort = (message: number, file: number, line: number): never => {
    const text = message === 0 ? '' : `: ${textAt(message)}`;
    throw new Error(`${what} met what cannot be${text} (${file === 0 ? '' : textAt(file)}:${line})`);
  };
  const module = new WebAssembly.Module(Buffer.from(code, 'base64'));
  const { exports } = new WebAssembly.Instance(module, { env: { memory, abort }, host });
  return (name) => {
    const found = exports[name];
    if (!isFunction(found)) throw new Error(`${what} has no ${name}`);
    return found;
  };
}

function isFunction(value: unknown): value is ModuleFunction {
  return typeof value === 'function';
}
