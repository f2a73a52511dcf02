/** Names of fields and files that would be code in a command that is shown: it takes them as they are. The commands are run. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { profileOf } from '../../src/inspect/fields.ts';
import type { Form } from '../../src/inspect/file-shape.ts';
import type { InspectedFile } from '../../src/inspect/inspected.ts';
import { sortCommand, splitCommand } from '../../src/inspect/log-commands.ts';
import { jqPath } from '../../src/inspect/log-finding.ts';
import { printing, recordsIn, recordsOpened, valueAt } from '../../src/inspect/python-records.ts';
import { runs } from '../runs.ts';
import { sampledFile } from './made-log.ts';

const NAMES = [
  'x"]|=.|.request_id=$ENV.SECRET|.["request_id',
  '\\(env.SECRET)',
  '\\',
  '"',
  "'",
  "';touch touched;'",
  '$(touch touched)',
  '`touch touched`',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a shell would read it.
  '${SECRET}',
  'a"]+__import__("os").environ["SECRET"]+r["a',
  '"+__import__("os").system("touch touched")+"',
  'a\nb',
  ' a ',
  '-rf',
  'a//b',
  '__proto__',
  'é\u2028\u202e',
  '😀',
  '\u0000\u001b[31m',
];
/** For the literals alone, which are quick. */
const MORE = ['\\\\(env.SECRET)', '$SECRET', '{SECRET}', '%s', 'a\r\nb', '\t', '--args', '#a', 'and', 'a~b~1'];
/** In the path of a field `a[]` would be the elements of a list. */
const name = fc
  .oneof(fc.constantFrom(...NAMES, ...MORE), fc.string({ unit: 'grapheme', minLength: 1 }), fc.string({ minLength: 1 }))
  .filter((text) => !text.endsWith('[]'));
const pointerTo = (text: string): string => `/${text.replaceAll('~', '~0').replaceAll('/', '~1')}`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'receval-names-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A folder of its own for each command, so that nothing else is in it. */
let folders = 0;
function newFolder(): string {
  const own = join(folder, `n${folders++}`);
  mkdirSync(own);
  return own;
}

/** What the command writes: the files by name. */
function written(own: string, command: string | undefined): Readonly<Record<string, string>> {
  const before = readdirSync(own);
  expect(command).toBeDefined();
  execFileSync('sh', ['-c', command ?? 'false'], {
    cwd: own,
    stdio: 'pipe',
    env: { ...process.env, SECRET: 'hunter2' },
  });
  const made = readdirSync(own).filter((one) => !before.includes(one));
  const files = Object.fromEntries(made.map((one) => [one, readFileSync(join(own, one), 'utf8')]));
  expect(JSON.stringify(files)).not.toContain('hunter2');
  return files;
}

const NDJSON: Form = { kind: 'ndjson' };
const csvOf = (columns: readonly string[]): Form => ({
  kind: 'delimited',
  delimiter: ',',
  columns,
  width: columns.length,
  isSeen: true,
});

function fileOf(file: string, form: Form, rows: readonly object[]): InspectedFile {
  const format = { compression: 'none', encoding: 'UTF-8', lineEnds: 'LF', form } as const;
  const sampled = sampledFile(file, rows);
  return { ...sampled, made: [], format, profile: profileOf(sampled.rows), guess: undefined, known: undefined };
}

const json = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
const parsed = (text: string): unknown[] =>
  text
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
const cell = (text: string): string => `"${text.replaceAll('"', '""')}"`;

describe('a name in a command', () => {
  test('of jq and of Python is the name, whatever it holds', () => {
    fc.assert(
      fc.property(fc.uniqueArray(name, { minLength: 1, maxLength: 20 }), (names) => {
        const row = Object.fromEntries(names.map((one, i) => [one, { [one]: [{ [one]: i }] }]));
        const own = newFolder();
        writeFileSync(join(own, 'in'), json([row]));
        const paths = names.map((one) => pointerTo(one)).map((path) => jqPath(`${path}${path}[]${path}`));
        const jq = execFileSync('jq', ['-c', `[${paths.join(', ')}]`, join(own, 'in')], { encoding: 'utf8' });
        expect(JSON.parse(jq)).toEqual(names.map((_, i) => i));
        const values = names.map((one) => valueAt(pointerTo(one))).filter((value) => value !== undefined);
        const python = `import json; r=json.load(open("in")); print(json.dumps([next(iter(v.values()))[0] for v in [${values.join(',')}]]))`;
        const read = execFileSync('python3', ['-c', python], { cwd: own, encoding: 'utf8' });
        const expected = names.flatMap((one, i) => (valueAt(pointerTo(one)) === undefined ? [] : [{ [one]: i }]));
        expect(JSON.parse(read)).toEqual(expected);
      }),
      { numRuns: runs(20), examples: [[[...NAMES, ...MORE]]], endOnFailure: true },
    );
  });

  // Names of files have no NUL and no `/`.
  const files = NAMES.map((one) => one.replaceAll(/[/\0]/g, '')).filter((one) => one !== '');

  it.each(NAMES)('%j: each command on JSON changes its field alone', (field) => {
    const path = pointerTo(field);
    const file = files[NAMES.indexOf(field) % files.length];
    const run = (rows: readonly object[], commandOf: (file: InspectedFile) => string | undefined): unknown[][] => {
      const own = newFolder();
      writeFileSync(join(own, file), json(rows));
      const made = written(own, commandOf(fileOf(file, NDJSON, rows)));
      expect(Object.keys(made).every((one) => one.endsWith(file.slice(file.lastIndexOf('\\') + 1)))).toBe(true);
      return Object.values(made).map(parsed);
    };
    const rows = [
      { other: 'R-A', [field]: 'r-a' },
      { other: 'R-B', [field]: 'r-b' },
    ];
    expect(run(rows.toReversed(), (one) => sortCommand(path, [file], [one]))).toEqual([rows]);
    const parts = { one: ['r-a'], two: ['r-b'] };
    expect(run(rows, (one) => splitCommand(path, parts, [file], [one]))).toEqual([[rows[0]], [rows[1]]]);
  });

  it.each(NAMES.filter((one) => !/[\0\r]/.test(one)))('%j: each command on CSV changes its column alone', (field) => {
    const path = pointerTo(field);
    const file = files[NAMES.indexOf(field) % files.length];
    const form = csvOf(['other', field]);
    const head = `other,${cell(field)}\n`;
    const objects = [
      { other: 'R-A', [field]: 'r-a' },
      { other: 'R-B', [field]: 'r-b' },
    ];
    const run = (commandOf: (file: InspectedFile) => string | undefined, rows = 'R-A,r-a\nR-B,r-b\n'): string[] => {
      const own = newFolder();
      writeFileSync(join(own, file), head + rows);
      return Object.values(written(own, commandOf(fileOf(file, form, objects)))).map((text) =>
        text.slice(text.indexOf('R-')),
      );
    };
    expect(run((one) => sortCommand(path, [file], [one]), 'R-B,r-b\nR-A,r-a\n')).toEqual(['R-A,r-a\nR-B,r-b\n']);
    expect(run((one) => splitCommand(path, { one: ['r-a'] }, [file], [one]))).toEqual(['R-A,r-a\n']);
    const at = valueAt(path);
    if (at === undefined) return;
    const own = newFolder();
    writeFileSync(join(own, file), `${head}R-A,r-a\n`);
    const one = fileOf(file, form, objects);
    const joined = `({"a":${at},"b":[s${at.slice(1)} for s in ${recordsOpened(one)}]} for r in ${recordsIn(one, 'sys.stdin')})`;
    expect(Object.values(written(own, printing([], joined, one, true))).map(parsed)).toEqual([
      [{ a: 'r-a', b: ['r-a'] }],
    ]);
  });
});
