/**
 * Compiles what is in this folder, and writes it into the sources that carry it: `npx tsx wasm/compile.ts`. WebAssembly text by
 * wabt, TypeScript by AssemblyScript.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';
import wabt from 'wabt';

/** By source in this folder: the file below `src` that carries it, and the name under which it does. */
export const MODULES = {
  'lz4-block.wat': { file: 'consumers/source/kafka/codecs/lz4-block-code.ts', name: 'LZ4_BLOCK_CODE' },
  'crc32c.wat': { file: 'consumers/source/kafka/codecs/crc32c-code.ts', name: 'CRC32C_CODE' },
  'scan/scan.ts': { file: 'consumers/decode/scan-code.ts', name: 'SCAN_CODE' },
} as const;
type Source = keyof typeof MODULES;

const OPTIONS = [
  '-O3',
  '--noAssert',
  '--runtime',
  'stub',
  '--enable',
  'simd',
  '--enable',
  'bulk-memory',
  '--importMemory',
];

/** The bytes of the module in base64. */
export async function compiled(source: Source): Promise<string> {
  const bytes = source.endsWith('.wat') ? await fromText(source) : await fromTypeScript(source);
  return Buffer.from(bytes).toString('base64');
}

async function fromText(source: Source): Promise<Uint8Array> {
  const { parseWat } = await wabt();
  const parsed = parseWat(source, readFileSync(resolve(import.meta.dirname, source), 'utf8'));
  const { buffer } = parsed.toBinary({});
  parsed.destroy();
  return buffer;
}

async function fromTypeScript(source: Source): Promise<Uint8Array> {
  let code: Uint8Array | undefined;
  const { error, stderr } = await asc.main(
    [source, '--baseDir', import.meta.dirname, '--outFile', 'code', ...OPTIONS],
    {
      writeFile: (_, contents) => {
        if (typeof contents !== 'string') code = contents;
      },
    },
  );
  if (error !== null || code === undefined) throw new Error(`${source} does not compile:\n${stderr.toString()}`);
  return code;
}

async function write(source: Source): Promise<void> {
  const { file, name } = MODULES[source];
  const text = [
    `/** \`wasm/${source}\`, compiled by \`wasm/compile.ts\`: WebAssembly in base64. Not edited by hand. */`,
    `export const ${name} =`,
    `  '${await compiled(source)}';`,
    '',
  ];
  writeFileSync(resolve(import.meta.dirname, '../src', file), text.join('\n'));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await write('lz4-block.wat');
  await write('crc32c.wat');
  await write('scan/scan.ts');
}
