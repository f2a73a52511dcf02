import { expect, it } from 'vitest';
import { ENGINE_CODE } from '../../../src/consumers/engine/engine-code.ts';
import { compiled } from '../../../wasm/compile.ts';

it('the WebAssembly that is carried is what its source compiles to', { timeout: 300_000 }, async () => {
  expect(ENGINE_CODE).toBe(await compiled('engine/engine.ts'));
});
