/** The part of WebAssembly that is used here: the types of Node leave it to those of browsers. Modules export functions only. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Memory {
    constructor(pages: { readonly initial: number; readonly maximum: number });
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }
  class Instance {
    constructor(module: Module, imports: Readonly<Record<string, Readonly<Record<string, Memory>>>>);
    readonly exports: Readonly<Record<string, (...numbers: readonly number[]) => number>>;
  }
}
