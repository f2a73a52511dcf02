/** Writes each `.wat` of this folder, compiled, into the source that carries it: `npx tsx wasm/compile.ts`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import wabt from 'wabt';

const SOURCES = resolve(import.meta.dirname, '../src/consumers/source');

/** What is compiled, and the name under which it is carried in `<module>-code.ts`. */
export const MODULES = { 'lz4-block': 'LZ4_BLOCK_CODE', crc32c: 'CRC32C_CODE' } as const;

/** The bytes of the module in base64. */
export async function compiled(module: keyof typeof MODULES): Promise<string> {
  const source = resolve(import.meta.dirname, `${module}.wat`);
  const { parseWat } = await wabt();
  const parsed = parseWat(source, readFileSync(source, 'utf8'));
  const { buffer } = parsed.toBinary({});
  parsed.destroy();
  return Buffer.from(buffer).toString('base64');
}

async function write(module: keyof typeof MODULES): Promise<void> {
  const text = [
    `/** \`wasm/${module}.wat\`, compiled by \`wasm/compile.ts\`: WebAssembly in base64. Not edited by hand. */`,
    `export const ${MODULES[module]} =`,
    `  '${await compiled(module)}';`,
    '',
  ];
  writeFileSync(resolve(SOURCES, `${module}-code.ts`), text.join('\n'));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await write('lz4-block');
  await write('crc32c');
}
