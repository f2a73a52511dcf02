/** Comments are sentences, or name the thing that they are about. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');

/** Begins a fragment that cannot be read without the code below it. */
const FRAGMENT = /\/\*\*[\s*]*(?:Of|By|As|So many)\b/g;

function fragmentsIn(text: string): readonly string[] {
  return [...text.matchAll(FRAGMENT)].map(({ index }) =>
    text
      .slice(index)
      .split('*/', 1)[0]
      .replace(/[\s*/]+/g, ' ')
      .trim(),
  );
}

it.each([
  ['/** Of the topic. */', 1],
  ['/**\n   * So many bytes.\n   */', 1],
  ['/** By slot. */ /** Bytes of a slot. */', 1],
  ['/** The offset, as in Kafka. By partition. */', 0],
  ['// By hand', 0],
])('%j begins as a fragment: %i', (text, count) => {
  expect(fragmentsIn(text)).toHaveLength(count);
});

it('no comment of documentation begins with Of, By, As or So many', () => {
  const found = ['src', 'wasm'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .map((file) => join(folder, file).replaceAll('\\', '/'))
      .filter((file) => /\.tsx?$/.test(file))
      .flatMap((file) => fragmentsIn(readFileSync(join(ROOT, file), 'utf8')).map((text) => `${file}: ${text}`)),
  );
  expect(found).toEqual([]);
});
