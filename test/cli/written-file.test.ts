import { existsSync, linkSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { makeFolder, mustBeWritable } from '../../src/cli/written-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'receval-written-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const own = join(folder, 'own.ndjson');
const other = join(folder, 'other.ndjson');
const linked = join(folder, 'linked.ndjson');
const symbolic = join(folder, 'symbolic.ndjson');
writeFileSync(own, 'same\n');
writeFileSync(other, 'same\n');
linkSync(own, linked);
symlinkSync(own, symbolic);

describe('a folder to be made', () => {
  it('is there afterwards, with those above it, and may be there before', () => {
    const deep = join(folder, 'a', 'b', 'c');
    makeFolder(deep);
    makeFolder(`${deep}/`);
    makeFolder('.');
    expect(statSync(deep).isDirectory()).toBe(true);
  });

  it('is refused if a file has its name, or a name above it', () => {
    expect(() => makeFolder(own)).toThrow(`cannot make the folder ${own}: it is not a folder`);
    expect(() => makeFolder(join(own, 'x'))).toThrow(
      `cannot make the folder ${join(own, 'x')}: ${own} is not a folder`,
    );
  });

  it.runIf(existsSync('/proc/self'))('is refused if the file system has no new ones', () => {
    expect(() => makeFolder('/proc/receval/x')).toThrow(/^cannot make the folder \/proc\/receval: /);
  });
});

describe('a file to be written', () => {
  it.each([
    [folder, 'it is a folder'],
    [join(folder, 'no', 'r.html'), `there is no folder ${join(folder, 'no')}`],
    ['', 'expected the name of a file, got ""'],
    ['-', 'expected the name of a file, got "-"'],
  ])('is not "%s"', (path, message) => {
    expect(() => mustBeWritable('--report', path)).toThrow(message);
  });

  it.each([other, join(folder, 'new.html'), '/dev/null', undefined])(
    'may be another, of equal content too, or a new one: %s',
    (path) => {
      expect(() => mustBeWritable('--report', path)).not.toThrow();
    },
  );
});
