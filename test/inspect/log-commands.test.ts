import { describe, expect, it } from 'vitest';
import { profileOf } from '../../src/inspect/fields.ts';
import type { Form } from '../../src/inspect/file-shape.ts';
import type { InspectedFile } from '../../src/inspect/inspected.ts';
import { sortCommand } from '../../src/inspect/log-commands.ts';
import { shellWord } from '../../src/vocabulary/shell-word.ts';
import { sampledFile } from './made-log.ts';

const fileOf = (name: string, form: Form, compression: 'none' | 'gzip' | 'zstd' = 'none'): InspectedFile => {
  const sampled = sampledFile(name, [{ id: 'a', at: '2026-11-21' }]);
  const format = { compression, encoding: 'UTF-8', lineEnds: 'LF', form } as const;
  return { ...sampled, made: [], format, profile: profileOf(sampled.rows), guess: undefined, known: undefined };
};
const CSV: Form = { kind: 'delimited', delimiter: ';', columns: ['id', 'at'], width: 2, isSeen: true };
const sorted = (path: string, ...files: readonly InspectedFile[]) =>
  sortCommand(
    path,
    files.map(({ name }) => name),
    files,
  );

describe('the command that sorts a file', () => {
  it('is one of jq for JSON lines', () => {
    expect(sorted('/at', fileOf('a b.ndjson', { kind: 'ndjson' }))).toBe(
      `jq -sc 'sort_by(.at)[]' 'a b.ndjson' > 'mended-a b.ndjson'`,
    );
  });

  it('is one of Python for CSV, for the column of the field, without the header', () => {
    expect(sorted('/at', fileOf('a b.csv', CSV))).toBe(
      `python3 -c 'import csv,sys; rows=csv.reader(sys.stdin,delimiter=";"); w=csv.writer(sys.stdout,delimiter=";",lineterminator="\\n"); w.writerow(next(rows)); w.writerows(sorted(filter(None,rows),key=lambda r:r[1]))' < 'a b.csv' > 'mended-a b.csv'`,
    );
  });

  it('is one for all files of a side, where all are of one form', () => {
    const [a, b] = [fileOf('day 1/a.csv', CSV), fileOf('b.csv', CSV)];
    expect(sorted('/at', a, b)).toMatch(
      /^for f in 'day 1\/a\.csv' b\.csv; do python3 -c '.*' < "\$f" > "mended-\$\{f##\*\/\}"; done$/,
    );
    expect(sorted('/at', a, fileOf('b.csv', { kind: 'ndjson' }))).toBeUndefined();
  });

  it('keeps parts of one name in many folders apart', () => {
    expect(sorted('/at', fileOf('20/a.csv', CSV), fileOf('21/a.csv', CSV))).toMatch(
      /^for f in 20\/a\.csv 21\/a\.csv; do python3 -c '.*' < "\$f" > "mended-\$\(printf %s "\$\{f%\}" \| tr \/ -\)"; done$/,
    );
  });

  it('is not made up where there is none: a column that is not there, Parquet', () => {
    expect(sorted('/other', fileOf('a.csv', CSV))).toBeUndefined();
    expect(sorted('/at', fileOf('a.parquet', { kind: 'parquet' }))).toBeUndefined();
  });

  it('unpacks what is packed', () => {
    const packed = (name: string, compression: 'gzip' | 'zstd') => fileOf(name, { kind: 'ndjson' }, compression);
    expect(sorted('/at', packed('day/x.ndjson.gz', 'gzip'))).toBe(
      `gzip -dc < day/x.ndjson.gz | jq -sc 'sort_by(.at)[]' > mended-x.ndjson`,
    );
    expect(sorted('/at', packed('x.zst', 'zstd'))).toBe(`zstd -dc < x.zst | jq -sc 'sort_by(.at)[]' > mended-x`);
    expect(sorted('/at', packed('a.gz', 'gzip'), packed('b.gz', 'gzip'))).toBe(
      `for f in a.gz b.gz; do gzip -dc < "$f" | jq -sc 'sort_by(.at)[]' > "mended-$(basename "$f" .gz)"; done`,
    );
    expect(sorted('/at', packed('a.gz', 'gzip'), packed('b.gz', 'zstd'))).toBeUndefined();
  });

  it('quotes what a shell would read', () => {
    expect(['a.csv', "it's", '-x', '$(rm)'].map(shellWord)).toEqual(['a.csv', `'it'\\''s'`, './-x', `'$(rm)'`]);
  });
});
