/** Comments are sentences, or name the thing that they are about. What they describe is reported, logged or shown; nobody is told. */
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

/** Says that somebody is told, where something is reported, logged, shown or passed. */
const TOLD = /(?:\/\*|^\s*\*|\/\/).*\b(?:(?:is|are|was|were|has|have|had) told|tells)\b.*/gm;

/** What `found` finds in each file of the sources and of the engine. */
function inSources(found: (text: string) => readonly string[]): readonly string[] {
  return ['src', 'wasm'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .map((file) => join(folder, file).replaceAll('\\', '/'))
      .filter((file) => /\.tsx?$/.test(file))
      .flatMap((file) => found(readFileSync(join(ROOT, file), 'utf8')).map((text) => `${file}: ${text}`)),
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
  expect(inSources(fragmentsIn)).toEqual([]);
});

const toldIn = (text: string): readonly string[] => text.match(TOLD) ?? [];

it.each([
  ['/** The worker is told of it. */', 1],
  ['/*\n * The log tells how many.\n */', 1],
  ["const said = 'the name tells which'; // It tells more.", 1],
  ['/** The log says how many. */', 0],
  ["const said = 'too few users to tell, so nobody is told';", 0],
])('%j tells somebody: %i', (text, count) => {
  expect(toldIn(text)).toHaveLength(count);
});

it('nobody is told in a comment', () => {
  expect(inSources(toldIn)).toEqual([]);
});
