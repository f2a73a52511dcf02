import { linkSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { mustBeWritable } from '../../src/cli/written-file.ts';

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

describe('a file to be written', () => {
  it.each([own, join(folder, '.', 'own.ndjson'), linked, symbolic])('is no input, by any of its names: %s', (path) => {
    expect(() => mustBeWritable('--report', path, ['-', own])).toThrow(
      'is one of the inputs, and would be overwritten',
    );
  });

  it.each([
    [folder, 'it is a folder'],
    [join(folder, 'no', 'r.html'), `there is no folder ${join(folder, 'no')}`],
    ['', 'expected the name of a file, got ""'],
    ['-', 'expected the name of a file, got "-"'],
  ])('is not "%s"', (path, message) => {
    expect(() => mustBeWritable('--report', path, [])).toThrow(message);
  });

  it.each([other, join(folder, 'new.html'), '/dev/null', undefined])(
    'may be another, of equal content too, or a new one: %s',
    (path) => {
      expect(() => mustBeWritable('--report', path, [own, '/dev/null'])).not.toThrow();
    },
  );
});
