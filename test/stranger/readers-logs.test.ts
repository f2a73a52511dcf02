import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { receval } from '../cli/receval.ts';

/** Logs as people have them, each with the configuration that reads it: one small log, written in every form that is read. */
const LOGS = join(import.meta.dirname, 'logs');

const SIDES: readonly (readonly [string, RegExp])[] = [
  ['--events', /^events\./],
  ['--feedback', /^(?:feedback|klicks)\./],
  ['--impressions', /^(?:impressions|shown|listen)\./],
];

/** Replays what lies in a folder, as its names say. */
function replay(name: string, output = 'json') {
  const folder = join(LOGS, name);
  const files = readdirSync(folder);
  const logs = SIDES.flatMap(([flag, pattern]) => {
    const found = files.filter((file) => pattern.test(file));
    return found.length === 0 ? [] : [flag, ...found];
  });
  return receval(['replay', ...logs, '--close-all', '--output', output], { cwd: folder });
}

let expected: string;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'receval-stranger-'));
  expected = (await replay('readers-canonical')).stdout;
});
afterAll(() => rmSync(folder, { recursive: true }));

it('the log in canonical events has two lists with a click of three, at ranks 2 and 1', () => {
  const { impressions, feedback, rows } = JSON.parse(expected);
  expect(impressions).toMatchObject({ read: 3, accepted: 3 });
  expect(feedback).toMatchObject({ read: 2, attributed: 2 });
  expect(rows[0]).toMatchObject({ by: [], impressions: 3, positives: 2, measures: { mrr: { value: 0.5 } } });
});

describe('the same numbers, to the byte, come of', () => {
  it.each([
    ['one row per shown item, in CSV, with a column of clicks', 'readers-rows-csv'],
    ['such rows of several requests mixed, each list out of order', 'readers-rows-interleaved'],
    ['such rows under canonical names, in TSV, with the time of the click', 'readers-rows-canonical'],
    ['CSV with semicolons, a mark, CRLF, lists as text and local times', 'readers-semicolons'],
    ['JSON lists, times with UTC behind them, and seconds as text', 'readers-json-list'],
    ['nanoseconds, seconds and microseconds beside each other', 'readers-mixed-units'],
    ['JSON inside of texts, in it a list inside of a text', 'readers-json-in-text'],
    ['canonical columns in TSV with line breaks in quotes, and zstd', 'readers-tsv'],
    ['Parquet with nested lists and times without a zone', 'readers-parquet'],
    ['a configuration from before there was inputs, on a gzipped CSV', 'readers-kafka-map'],
  ])('%s', async (_, name) => {
    const { stdout, stderr, code } = await replay(name);
    expect(stdout, stderr).toBe(expected);
    expect(code).toBe(0);
  });
});

describe('what is wrong is counted with its reason', () => {
  it.each([
    ['rows of a list that had ended before them', 'readers-rows-split', 4, 3, 'split_list 1'],
    ['a delimiter that the file does not have', 'readers-wrong-delimiter', 7, 0, 'missing_field 7'],
    ['seconds that are said to be milliseconds', 'readers-wrong-unit', 3, 0, 'bad_time 3'],
    ['a time without a zone', 'readers-no-zone', 1, 0, 'bad_time 1'],
    ['times of Parquet without a zone', 'readers-parquet-no-zone', 3, 0, 'bad_time 3'],
    ['a quote that does not end, and a row that is too short', 'readers-stray-quote', 4, 2, 'not_csv 2'],
    ['nothing but a header', 'readers-header-only', 0, 0, ''],
  ])('%s', async (_, name, read, accepted, code) => {
    const { stdout } = await replay(name, 'table');
    const [, shownRead, shownAccepted, drops] = /^ impressions +(\d+) +(\d+) +(\S.*?) {2,}/m.exec(stdout) ?? [];
    expect([Number(shownRead), Number(shownAccepted)], stdout).toEqual([read, accepted]);
    if (read > accepted) expect(drops).toContain(`invalid ${read - accepted}`);
    expect(stdout).toContain(code);
  });
});

describe('a file that cannot be read to its end is named, with the reason', () => {
  it.each([
    [
      'readers-cut-off',
      /^receval: cannot read impressions\.json: it ends in the middle of value 3: was it cut off\?\n$/,
    ],
    [
      'readers-cut-off-gz',
      /^receval: cannot read impressions\.ndjson\.gz: the gzip data end too early. Copy the file again from where it was written, or pack it again\n$/,
    ],
    ['readers-utf-16', /^receval: cannot read impressions\.csv: it is UTF-16: convert it to UTF-8\n$/],
  ])('%s', async (name, message) => {
    const { code, stdout, stderr } = await replay(name);
    expect(stderr).toMatch(message);
    expect(stdout).toBe('');
    expect(code).toBe(1);
  });
});
