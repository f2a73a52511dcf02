/**
 * Compiles what is in this folder, and writes it into the sources that carry it: `npx tsx wasm/compile.ts`. WebAssembly text by
 * wabt, TypeScript by AssemblyScript, which are loaded when they are needed: that takes as long as compiling ten engines.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** By source in this folder: the file below `src` that carries it, and the name under which it does. */
export const MODULES = {
  'lz4-block.wat': { file: 'consumers/source/kafka/codecs/lz4-block-code.ts', name: 'LZ4_BLOCK_CODE' },
  'crc32c.wat': { file: 'consumers/source/kafka/codecs/crc32c-code.ts', name: 'CRC32C_CODE' },
  'engine/engine.ts': { file: 'consumers/engine/engine-code.ts', name: 'ENGINE_CODE' },
} as const;
type Source = keyof typeof MODULES;
/** The parts of the engine, for their own tests: carried by no file. */
type Compiled = Source | 'engine/parts.ts';

const OPTIONS = ['--runtime', 'stub', '--enable', 'simd', '--enable', 'bulk-memory', '--importMemory'];

interface Difference {
  /** What files of this folder hold instead, by their names in it. */
  readonly changed?: ReadonlyMap<string, string>;
  /** With assertions, and not optimized: that takes three quarters of the time of compiling. */
  readonly isChecked?: boolean;
}

/** The bytes of the module in base64. */
export async function compiled(source: Compiled, difference: Difference = {}): Promise<string> {
  const bytes = source.endsWith('.wat') ? await fromText(source) : await fromTypeScript(source, difference);
  return Buffer.from(bytes).toString('base64');
}

/** The source of a file that carries a module. */
export function carrier(source: Source, code: string): string {
  return [
    `/** \`wasm/${source}\`, compiled by \`wasm/compile.ts\`: WebAssembly in base64. Not edited by hand. */`,
    `export const ${MODULES[source].name} =`,
    `  '${code}';`,
    '',
  ].join('\n');
}

async function fromText(source: Compiled): Promise<Uint8Array> {
  const { default: wabt } = await import('wabt');
  const { parseWat } = await wabt();
  const parsed = parseWat(source, readFileSync(resolve(import.meta.dirname, source), 'utf8'));
  const { buffer } = parsed.toBinary({});
  parsed.destroy();
  return buffer;
}

async function fromTypeScript(
  source: Compiled,
  { changed = new Map(), isChecked = false }: Difference,
): Promise<Uint8Array> {
  const { default: asc } = await import('assemblyscript/asc');
  let code: Uint8Array | undefined;
  const { error, stderr } = await asc.main(
    [
      source,
      '--baseDir',
      import.meta.dirname,
      '--outFile',
      'code',
      ...(isChecked ? ['-O0'] : ['-O3', '--noAssert']),
      ...OPTIONS,
    ],
    {
      readFile: (name, baseDir) => {
        const path = resolve(baseDir, name);
        return (
          changed.get(relative(import.meta.dirname, path)) ?? (existsSync(path) ? readFileSync(path, 'utf8') : null)
        );
      },
      writeFile: (_, contents) => {
        if (typeof contents !== 'string') code = contents;
      },
    },
  );
  if (error !== null || code === undefined) throw new Error(`${source} does not compile:\n${stderr.toString()}`);
  return isChecked ? code : await inlined(code);
}

/**
 * With more of it inlined than AssemblyScript's optimizer does (12, 70 and 200 at most): the join calls small functions for each
 * field, and V8 inlines none of WebAssembly's in Node.js 20. Twice the bytes for a sixth less time.
 */
async function inlined(code: Uint8Array): Promise<Uint8Array> {
  const { default: binaryen } = await import('assemblyscript/binaryen');
  const module = binaryen.readBinary(code);
  const { SIMD128, BulkMemory, BulkMemoryOpt, MutableGlobals, SignExt, NontrappingFPToInt } = binaryen.Features;
  module.setFeatures(SIMD128 | BulkMemory | BulkMemoryOpt | MutableGlobals | SignExt | NontrappingFPToInt);
  binaryen.setOptimizeLevel(4);
  binaryen.setShrinkLevel(0);
  binaryen.setAlwaysInlineMaxSize(20);
  binaryen.setFlexibleInlineMaxSize(200);
  binaryen.setOneCallerInlineMaxSize(100_000);
  // What was inlined in the first round makes more of it small enough in the second.
  for (let round = 0; round < 2; round++) module.optimize();
  const bytes = module.emitBinary();
  module.dispose();
  return bytes;
}

async function write(source: Source): Promise<void> {
  const text = carrier(source, await compiled(source));
  writeFileSync(resolve(import.meta.dirname, '../src', MODULES[source].file), text);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await write('lz4-block.wat');
  await write('crc32c.wat');
  await write('engine/engine.ts');
}
