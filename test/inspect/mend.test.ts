import { describe, expect, it } from 'vitest';
import { profileOf } from '../../src/inspect/fields.ts';
import type { Form } from '../../src/inspect/file-shape.ts';
import type { InspectedFile } from '../../src/inspect/inspected.ts';
import { mendCommand, type Step, unpairCommand } from '../../src/inspect/mend.ts';
import { shellWord } from '../../src/vocabulary/shell-word.ts';
import { sampledFile } from './made-log.ts';

const fileOf = (name: string, form: Form): InspectedFile => ({
  ...sampledFile(name, []),
  format: { compression: 'none', encoding: 'UTF-8', lineEnds: 'LF', form },
  profile: profileOf([]),
  guess: undefined,
  known: undefined,
});
const CSV: Form = { kind: 'delimited', delimiter: ';', columns: ['ts', 'id'], width: 2, isSeen: true };
const mend = (form: Form, path: string, ...steps: readonly Step[]) =>
  mendCommand(path, steps, ['a b.csv'], [fileOf('a b.csv', form)]);

describe('the command that mends a file', () => {
  it('is one of jq for JSON lines', () => {
    expect(mend({ kind: 'ndjson' }, '/rec/id', { kind: 'prefix', cut: 'r-' }, { kind: 'case' })).toBe(
      `jq -c '.rec.id |= (ltrimstr("r-") | ascii_downcase)' 'a b.csv' > 'mended-a b.csv'`,
    );
    expect(mend({ kind: 'ndjson' }, '/ts', { kind: 'subtract', by: 3600, quoted: false })).toContain(`'.ts -= 3600'`);
  });

  it('is one of Python for CSV, for the column of the field, without the header', () => {
    expect(mend(CSV, '/id', { kind: 'prefix', cut: 'r-' }, { kind: 'case' })).toBe(
      `python3 -c 'import csv,sys; csv.writer(sys.stdout,delimiter=";",lineterminator="\\n").writerows([*r[:1],r[1].removeprefix("r-").lower(),*r[2:]] if n else r for n,r in enumerate(csv.reader(sys.stdin,delimiter=";")))' < 'a b.csv' > 'mended-a b.csv'`,
    );
    expect(mend({ ...CSV, columns: undefined }, '/column_1', { kind: 'suffix', put: '/0' })).toContain(
      'writerows([*r[:0],r[0]+"/0",*r[1:]] for r in csv.reader',
    );
  });

  it('is one for all files of a side, where all are of one form', () => {
    const files = [fileOf('day 1/a.csv', CSV), fileOf('b.csv', CSV)];
    expect(mendCommand('/id', [{ kind: 'case' }], ['day 1/a.csv', 'b.csv'], files)).toMatch(
      /^for f in 'day 1\/a\.csv' b\.csv; do python3 -c '.*' < "\$f" > "mended-\$\{f##\*\/\}"; done$/,
    );
    const mixed = [files[0], fileOf('b.csv', { kind: 'ndjson' })];
    expect(mendCommand('/id', [{ kind: 'case' }], ['day 1/a.csv', 'b.csv'], mixed)).toBeUndefined();
  });

  it('keeps parts of one name in many folders apart', () => {
    const files = [fileOf('20/a.csv', CSV), fileOf('21/a.csv', CSV)];
    expect(mendCommand('/id', [{ kind: 'case' }], ['20/a.csv', '21/a.csv'], files)).toMatch(
      /^for f in 20\/a\.csv 21\/a\.csv; do python3 -c '.*' < "\$f" > "mended-\$\(printf %s "\$\{f%\}" \| tr \/ -\)"; done$/,
    );
  });

  it('writes days of a spreadsheet, and dates with their zone; jq would forget the zone', () => {
    expect(mend(CSV, '/ts', { kind: 'serial' })).toContain(
      'str(datetime.datetime(1899,12,30)+datetime.timedelta(float(r[0].replace(",","."))))',
    );
    const zoned: Step = { kind: 'date', format: '%d/%b/%Y:%H:%M:%S %z' };
    expect(mend(CSV, '/ts', zoned)).toContain('strptime(r[0],"%d/%b/%Y:%H:%M:%S %z"))');
    expect(mend({ kind: 'ndjson' }, '/ts', zoned)).toBeUndefined();
    const utc: Step = { kind: 'date', format: '%a, %d %b %Y %H:%M:%S GMT' };
    expect(mend(CSV, '/ts', utc)).toContain('+"Z"');
    expect(mend({ kind: 'ndjson' }, '/ts', utc)).toContain('strftime("%Y-%m-%d %H:%M:%SZ")');
  });

  it('writes decimal points', () => {
    expect(mend(CSV, '/id', { kind: 'comma' })).toContain('r[1].replace(",",".")');
    expect(mend({ kind: 'ndjson' }, '/stars', { kind: 'comma' })).toBe(
      `jq -c '.stars |= (if type == "string" then sub(","; ".") else . end)' 'a b.csv' > 'mended-a b.csv'`,
    );
  });

  it('is not made up where there is none: a column that is not there, Parquet', () => {
    expect(mend(CSV, '/other', { kind: 'case' })).toBeUndefined();
    expect(mend({ kind: 'parquet' }, '/id', { kind: 'case' })).toBeUndefined();
  });

  it('unpacks what is packed', () => {
    const packed = (name: string, compression: 'gzip' | 'zstd'): InspectedFile => {
      const file = fileOf(name, { kind: 'ndjson' });
      return { ...file, format: { ...file.format, compression } };
    };
    const lower = (...files: readonly InspectedFile[]) =>
      mendCommand(
        '/id',
        [{ kind: 'case' }],
        files.map(({ name }) => name),
        files,
      );
    expect(lower(packed('day/x.ndjson.gz', 'gzip'))).toBe(
      `gzip -dc < day/x.ndjson.gz | jq -c '.id |= ascii_downcase' > mended-x.ndjson`,
    );
    expect(lower(packed('x.zst', 'zstd'))).toBe(`zstd -dc < x.zst | jq -c '.id |= ascii_downcase' > mended-x`);
    expect(lower(packed('a.gz', 'gzip'), packed('b.gz', 'gzip'))).toBe(
      `for f in a.gz b.gz; do gzip -dc < "$f" | jq -c '.id |= ascii_downcase' > "mended-$(basename "$f" .gz)"; done`,
    );
    expect(lower(packed('a.gz', 'gzip'), packed('b.zst', 'zstd'))).toBeUndefined();
  });

  it('makes fields of lists of pairs, of CSV as NDJSON', () => {
    expect(unpairCommand(['/params', '/user'], 'key', fileOf('a.json', { kind: 'ndjson' }))).toBe(
      `jq -c '(.params, .user) |= (if type == "string" then fromjson else . end | map({(.key): (.value | if type == "object" then [.[] | values][0] else . end)}) | add)' a.json > mended-a.json`,
    );
    const python = unpairCommand(['/id'], 'name', fileOf('a b.csv', CSV));
    expect(python).toContain('{e["name"]:one(e["value"]) for e in json.loads(v)} if c in ["id"] else');
    expect(python).toContain(`csv.DictReader(sys.stdin,delimiter=";")]' < 'a b.csv' > 'mended-a b.ndjson'`);
    expect(unpairCommand(['/id'], 'key', fileOf('a.parquet', { kind: 'parquet' }))).toBeUndefined();
  });

  it('quotes what a shell would read', () => {
    expect(['a.csv', "it's", '-x', '$(rm)'].map(shellWord)).toEqual(['a.csv', `'it'\\''s'`, './-x', `'$(rm)'`]);
  });
});
