import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ENGINE_CODE } from '../../../src/consumers/engine/engine-code.ts';
import { compiled, isStale, LAYOUT_FILE, layout } from '../../../wasm/compile.ts';

const SOURCES = join(import.meta.dirname, '../../../wasm/engine');

/** `assert(...);` with brackets in it up to four deep. */
const INNER = '(?:[^()]|\\((?:[^()]|\\((?:[^()]|\\((?:[^()]|\\([^()]*\\))*\\))*\\))*\\))*';
const ASSERTION = new RegExp(`\\bassert\\(${INNER}\\);`, 'g');

it('the WebAssembly that is carried is what its source compiles to', { timeout: 300_000 }, async () => {
  expect(ENGINE_CODE).toBe(await compiled('engine/engine.ts'));
  expect(isStale()).toBe(false);
});

it('what the host knows of its memory is what the compiler says', { timeout: 300_000 }, async () => {
  expect(readFileSync(join(import.meta.dirname, '../../../src', LAYOUT_FILE), 'utf8')).toBe(await layout());
});

it('the WebAssembly is what it would be without any assertion: none of them is evaluated', {
  timeout: 300_000,
}, async () => {
  let count = 0;
  const without = (text: string): string =>
    text.replace(ASSERTION, () => {
      count++;
      return '{}';
    });
  const changed = new Map(
    readdirSync(SOURCES).map((file) => [`engine/${file}`, without(readFileSync(join(SOURCES, file), 'utf8'))]),
  );
  expect(count).toBeGreaterThan(15);
  expect([...changed.values()].filter((text) => /\bassert\(/.test(text))).toEqual([]);
  expect(ENGINE_CODE).toBe(await compiled('engine/engine.ts', { changed }));
});
