import { expect, it } from 'vitest';
import { CRC32C_CODE } from '../../../../../src/consumers/source/kafka/codecs/crc32c-code.ts';
import { LZ4_BLOCK_CODE } from '../../../../../src/consumers/source/kafka/codecs/lz4-block-code.ts';
import { compiled } from '../../../../../wasm/compile.ts';

it('the WebAssembly that is carried is what its source compiles to', async () => {
  expect(LZ4_BLOCK_CODE).toBe(await compiled('lz4-block.wat'));
  expect(CRC32C_CODE).toBe(await compiled('crc32c.wat'));
});
