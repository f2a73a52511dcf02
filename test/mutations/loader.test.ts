import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { describe, expect, it, vi } from 'vitest';
import { withMutation } from './loader.ts';
import { changed } from './mutation.ts';

const FILE = 'vocabulary/ranges.ts';
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
    expect(() => changed(source, change('b'))).toThrow(
      /src\/vocabulary\/ranges.ts holds the text of a mutation [02] times/,
    );
  });
});

describe('the loader', () => {
  const loaded = vi.fn(async ([path]: readonly string[]): Promise<Readonly<Record<string, unknown>>> => import(path));

  it('loads a changed copy, and leaves neither the copy nor a change behind', async () => {
    const before = await readFile(`src/${FILE}`, 'utf8');
    const mutant = await withMutation([change('export class Ranges', 'export class Mutant')], [FILE], loaded);
    expect(Object.keys(mutant)).toContain('Mutant');
    const [[[path]]] = loaded.mock.calls;
    expect(existsSync(path)).toBe(false);
    expect(await readFile(`src/${FILE}`, 'utf8')).toBe(before);
  });

  it.each([
    ['a text that is not there', change('no such text'), '0 times'],
    [
      'a file that is not needed',
      { file: 'worker/worker.ts', text: 'export class Worker', replacement: 'class Worker' },
      'do not need src/worker/worker.ts',
    ],
  ])('refuses %s, and loads nothing', async (_, one, says) => {
    loaded.mockClear();
    await expect(withMutation([one], [FILE], loaded)).rejects.toThrow(says);
    expect(loaded).not.toHaveBeenCalled();
  });
});
