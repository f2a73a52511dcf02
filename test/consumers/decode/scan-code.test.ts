import { expect, it } from 'vitest';
import { SCAN_CODE } from '../../../src/consumers/decode/scan-code.ts';
import { compiled } from '../../../wasm/compile.ts';

it('the WebAssembly that is carried is what its source compiles to', { timeout: 300_000 }, async () => {
  expect(SCAN_CODE).toBe(await compiled('scan/scan.ts'));
});
