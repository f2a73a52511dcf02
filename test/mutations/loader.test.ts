import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { withMutation } from './loader.ts';
import { changed } from './mutation.ts';

const FILE = 'ranges.ts';
const change = (text: string, replacement = 'mutant'): { file: string; text: string; replacement: string } => ({
  file: FILE,
  text,
  replacement,
});

describe('a mutation', () => {
  it('replaces its text where that occurs once', () => {
    expect(changed('a b c', change('b', '$&'))).toBe('a $& c');
  });

  it.each(['a c', 'a b b c'])('is refused where its text does not occur exactly once: %s', (source) => {
    expect(() => changed(source, change('b'))).toThrow(/src\/ranges.ts holds the text of a mutation [02] times/);
  });
});

describe('the loader', () => {
  it('loads a changed copy, and leaves neither the copy nor a change behind', async () => {
    const before = await readFile(`src/${FILE}`, 'utf8');
    let seen = '';
    const source = await withMutation([change('export class Ranges', 'export class Mutant')], FILE, async (path) => {
      seen = path;
      return readFile(path, 'utf8');
    });
    expect(source).toContain('export class Mutant');
    expect(existsSync(seen)).toBe(false);
    expect(await readFile(`src/${FILE}`, 'utf8')).toBe(before);
  });

  it('leaves nothing behind when a text is not there', async () => {
    let loaded = false;
    const load = withMutation([change('no such text')], FILE, async () => {
      loaded = true;
    });
    await expect(load).rejects.toThrow('0 times');
    expect(loaded).toBe(false);
  });
});
