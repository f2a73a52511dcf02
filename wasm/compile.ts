/** Writes `lz4-block.wat`, compiled, into the source that carries it: `npx tsx wasm/compile.ts`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import wabt from 'wabt';

const SOURCE = resolve(import.meta.dirname, 'lz4-block.wat');
const TARGET = resolve(import.meta.dirname, '../src/consumers/source/lz4-block-code.ts');

/** The bytes of the module in base64. */
export async function compiled(): Promise<string> {
  const { parseWat } = await wabt();
  const module = parseWat(SOURCE, readFileSync(SOURCE, 'utf8'));
  const { buffer } = module.toBinary({});
  module.destroy();
  return Buffer.from(buffer).toString('base64');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const text = [
    '/** `wasm/lz4-block.wat`, compiled by `wasm/compile.ts`: WebAssembly in base64. Not edited by hand. */',
    'export const LZ4_BLOCK_CODE =',
    `  '${await compiled()}';`,
    '',
  ];
  writeFileSync(TARGET, text.join('\n'));
}
