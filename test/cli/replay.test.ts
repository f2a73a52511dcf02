import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FEEDBACK_DROPS, IMPRESSION_DROPS } from '../../src/vocabulary/drops.ts';
import { fnv, userBucket } from '../reference/user-bucket.ts';
import { ROOT, receval } from './receval.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'receval-replay-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
function file(text: string | Buffer, name = `f${files++}`): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const T = Date.parse('2026-11-21T08:00:00.000Z');
const impression = (requestId: string, ts: number, more: object = {}): string =>
  `${JSON.stringify({ requestId, ts: T + ts, items: ['a', 'b', 'c', 'd'], variant: 'A', ...more })}\n`;
const click = (requestId: string, ts: number, itemId: string, more: object = {}): string =>
  `${JSON.stringify({ requestId, ts: T + ts, itemId, action: 'click', ...more })}\n`;

const IMPRESSIONS = [
  impression('r1', 0),
  impression('r2', 1000, { variant: 'B' }),
  impression('r2', 1500, { variant: 'B' }),
  '{"broken\n',
  impression('r3', 59_000),
].join('');
const FEEDBACK = [
  click('r1', 5000, 'b'),
  click('r1', 5000, 'b'),
  click('r2', 61_001, 'a'),
  click('r2', 8000, 'z'),
  click('r9', 8000, 'a'),
  `${JSON.stringify({ requestId: 'r1', ts: T, action: 'click' })}\n`,
].join('');

async function replayJson(args: readonly string[], input?: string): Promise<{ text: string; result: Result }> {
  const run = await receval(['replay', ...args, '--output', 'json'], input === undefined ? {} : { input });
  // A machine on which it takes seconds sees lines of progress.
  expect(run.stderr.replace(/^[\d,]+ events, [\d,]+\/s(?:, \d+ %, \d+ s left)?\n/gm, '')).toBe('');
  expect(run.code).toBe(0);
  return { text: run.stdout, result: JSON.parse(run.stdout) as Result };
}

/** The same for logs so short that their lists would be too young to count. */
const closedJson = (args: readonly string[], input?: string) => replayJson([...args, '--close-all'], input);

interface Result {
  asOf: string | null;
  impressions: {
    read: number;
    accepted: number;
    drops: Record<string, number>;
    late: Record<string, number>;
    open: Record<string, number>;
  };
  feedback: { read: number; attributed: number; drops: Record<string, number>; late: Record<string, number> };
  rows: {
    by: string[];
    labels: Record<string, string>;
    horizon: string;
    window: string;
    impressions: number;
    positives: number;
    measures: Record<string, { value: number | null; n: number; stderr: number | null; reason?: string }>;
  }[];
}

const row = (result: Result, horizon: string, labels: Record<string, string> = {}): Result['rows'][number] => {
  const found = result.rows.filter((r) => r.horizon === horizon && JSON.stringify(r.labels) === JSON.stringify(labels));
  expect(found).toHaveLength(1);
  return found[0];
};

describe('receval replay', () => {
  it('joins two logs and prints every count and every row', async () => {
    const { result } = await closedJson(['--impressions', file(IMPRESSIONS), '--feedback', file(FEEDBACK)]);
    expect(result.asOf).toBe('2026-11-21T08:01:00.000Z');
    expect(result.impressions).toEqual({
      read: 5,
      accepted: 3,
      drops: { undecodable: 0, tombstone: 0, invalid: 1, future: 0, excluded: 0, late: 0, duplicate: 1 },
      late: { '1m': 0, '5m': 0, '30m': 0 },
      open: { '1m': 0, '5m': 0, '30m': 0 },
    });
    expect(result.feedback).toEqual({
      read: 6,
      attributed: 2,
      drops: {
        ...Object.fromEntries(FEEDBACK_DROPS.map((reason) => [reason, 0])),
        ...{ invalid: 1, orphan: 1, not_in_list: 1, duplicate: 1 },
      },
      late: { '1m': 0, '5m': 0, '30m': 0 },
    });
    // At 1m the click on r2 (60.001 s after it) does not count yet; at 5m it does.
    expect(row(result, '1m').measures['mrr']).toEqual({ value: 0.5 / 3, n: 3, stderr: null, reason: 'few_buckets' });
    expect(row(result, '5m').measures['mrr'].value).toBeCloseTo(1.5 / 3, 9);
    expect(row(result, '5m', { variant: 'B' })).toMatchObject({
      impressions: 1,
      positives: 1,
      window: 'all',
      by: ['variant'],
    });
    expect(row(result, '5m', { variant: 'A' })).toMatchObject({ impressions: 2, positives: 1 });
    expect(Object.keys(result.impressions.drops).sort()).toEqual([...IMPRESSION_DROPS].sort());
    expect(Object.keys(result.feedback.drops).sort()).toEqual([...FEEDBACK_DROPS].sort());
  });

  it('takes horizons from the command line, written as in the configuration', async () => {
    const logs = ['--impressions', file(IMPRESSIONS), '--feedback', file(FEEDBACK)];
    const { result } = await closedJson([...logs, '--horizons', '90s,2h']);
    expect(new Set(result.rows.map(({ horizon }) => horizon))).toEqual(new Set(['90s', '2h']));
    expect(row(result, '90s').measures['mrr'].value).toBeCloseTo(1.5 / 3, 9);
    const refused = await receval(['replay', ...logs, '--horizons', 'soon']);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('attribution.horizons');
    expect(refused.stderr).toContain('given on the command line');
  });

  it('prints the same bytes for the same logs, packed or plain, from files or standard input, in one log or two', async () => {
    const impressions = file(IMPRESSIONS);
    const plain = await closedJson(['--impressions', impressions, '--feedback', file(FEEDBACK)]);
    const packed = await closedJson([
      '--impressions',
      file(gzipSync(IMPRESSIONS), 'i.ndjson.gz'),
      '--feedback',
      file(gzipSync(FEEDBACK)),
    ]);
    const piped = await closedJson(['--impressions', impressions, '--feedback', '-'], FEEDBACK);
    // An example of a finding says in which file it is.
    const nameless = ({ text }: { readonly text: string }): string =>
      text.replace(/row \d+ of (?:\S+\/[\w.]+|standard input)/g, (found) => found.replace(/ of .*/, ' of a file'));
    expect(nameless(plain)).toContain('row 4 of a file');
    expect(nameless(packed)).toBe(nameless(plain));
    expect(nameless(piped)).toBe(nameless(plain));
    const both = await closedJson(['--events', file(IMPRESSIONS.replace('{"broken\n', '') + FEEDBACK)]);
    expect(both.result.rows).toEqual(plain.result.rows);
    expect(both.result.feedback).toEqual(plain.result.feedback);
  });

  it('merges the files of a side by event time, or takes them one after the other', async () => {
    const early = file(impression('r1', 0));
    const late = file(impression('r2', 3_600_000));
    const feedback = file('');
    const merged = await closedJson(['--allow-empty', '--impressions', late, early, '--feedback', feedback]);
    expect(merged.result.impressions).toMatchObject({ accepted: 2, drops: { late: 0 } });
    const concatenated = await closedJson([
      '--allow-empty',
      '--concat',
      '--impressions',
      late,
      early,
      '--feedback',
      feedback,
    ]);
    expect(concatenated.result.impressions).toMatchObject({ accepted: 1, drops: { late: 1 } });
  });

  it('sets the fields of FILE@field=value where a record lacks them', async () => {
    const bare = impression('r1', 0, { variant: undefined });
    const { result } = await closedJson([
      '--allow-empty',
      '--impressions',
      `${file(bare + impression('r2', 0))}@variant=X,country=DE`,
      '--feedback',
      file(''),
    ]);
    expect(row(result, '1m', { country: 'DE', variant: 'X' }).impressions).toBe(1);
    expect(row(result, '1m', { country: 'DE', variant: 'A' }).impressions).toBe(1);
  });

  it('gives the Open Bandit numbers that counting the rows gives', async () => {
    const sample = join(ROOT, 'sample/open_bandit');
    const { result } = await replayJson([
      '--config',
      join(sample, 'receval.yaml'),
      '--adapter',
      'open-bandit',
      '--events',
      `${sample}/random_men.csv.gz@variant=random`,
      `${sample}/bts_men.csv.gz@variant=bts`,
    ]);
    for (const policy of ['random', 'bts']) {
      const lines = gunzipSync(readFileSync(`${sample}/${policy}_men.csv.gz`))
        .toString()
        .trim()
        .split('\n')
        .slice(1);
      const rows = lines.map((line) => line.split(',').map(Number));
      const clicked = rows.filter((r) => r[3] === 1);
      const reciprocal = clicked.reduce((sum, r) => sum + 1 / r[2], 0);
      const { impressions, positives, measures } = row(result, '1m', { variant: policy });
      expect({ impressions, positives }).toEqual({ impressions: 10_000, positives: clicked.length });
      expect(measures['ctr'].value).toBe(clicked.length / rows.length);
      expect(measures['mrr'].value).toBeCloseTo(reciprocal / rows.length, 9);
      expect(measures['precision'].value).toBeCloseTo(reciprocal / rows.length, 9);
      const users = lines.map((line) => line.split(',').slice(5).join('|'));
      const clicks = rows.map((r) => r[3]);
      expect(
        stderrByBucket(
          users.map(fnv).map((word) => word % 64),
          clicks,
          64,
        ),
      ).toBeCloseTo(GOLDEN[policy], 11);
      const stderr = stderrByBucket(users.map(userBucket), clicks, 256);
      expect(measures['ctr'].stderr).toBeCloseTo(stderr, 12);
      expect(measures['ctr']).not.toHaveProperty('reason');
      const first = rows.filter((r) => r[2] === 1);
      expect(measures['ctr(slot=1)']).toMatchObject({
        value: first.filter((r) => r[3] === 1).length / first.length,
        n: first.length,
      });
    }
  });

  it('shows the pairs of errors and the users of means over users, and says which lists it leaves out', async () => {
    const items = [{ id: 'a', score: 3 }, { id: 'b' }];
    const args = [
      '--impressions',
      file([impression('r1', 0, { items, userId: 'u' }), impression('r2', 1000, { items })].join('')),
      '--feedback',
      file(
        ['a', 'b']
          .map((item, i) => click('r1', 2000 + i, item, { action: 'rating', value: 4 + i }))
          .concat(click('r2', 2000, 'a', { action: 'rating', value: 1 }))
          .join(''),
      ),
      '--measures',
      'mae,mrr(per=user)',
    ];
    const run = await receval(['replay', ...args, '--close-all', '--output', 'table']);
    expect(run.code).toBe(0);
    expect(run.stderr).toBe('receval: mrr(per=user) leaves out lists without a userId: 1\n');
    expect(run.stdout).toMatch(/1\.500000 \(66\.7 % scored\)/);
    expect(run.stdout).toMatch(/1\.000000 \(n 1\)/);
  });

  it.each([
    ['ndcg(ideal=all)@10', 'needs judgements of items that were not shown: it is for score only'],
    ['ndcg(gain=binary,ideal=perfect)@10', 'it is for score only; expected ideal=shown'],
  ])('refuses %s in words', async (measure, words) => {
    const sides = ['--impressions', file(IMPRESSIONS), '--feedback', file(FEEDBACK)];
    const run = await receval(['replay', ...sides, '--measures', measure]);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain(words);
  });

  it('prints tables, Markdown and CSV of the same values', async () => {
    const args = [
      'replay',
      '--impressions',
      file(IMPRESSIONS),
      '--feedback',
      file(FEEDBACK),
      '--measures',
      'mrr,hit@1',
      '--close-all',
      '--output',
    ];
    const table = await receval([...args, 'table']);
    expect(table.stdout).toMatch(/variant +horizon +impressions +positives +mrr +hit@1/);
    expect(table.stdout).toMatch(/ B +5m +1 +1 +1\.000000 +1\.000000/);
    expect(table.stdout).toMatch(/feedback +6 +2 +invalid 1, orphan 1, not_in_list 1, duplicate 1/);
    const md = await receval([...args, 'md']);
    expect(md.stdout).toContain('| B | 5m | 1 | 1 | 1.000000 | 1.000000 |');
    const csv = await receval([...args, 'csv']);
    expect(csv.stdout).toContain('\nvariant,variant=B,5m,all,1,1,mrr,1,1,,0\n');
  });

  it('shows plain progress lines only when it takes long, and nothing when there is nothing', async () => {
    const { result } = await closedJson(['--allow-empty', '--impressions', file(''), '--feedback', file('')]);
    expect(result).toMatchObject({ asOf: null, rows: [], impressions: { read: 0 }, feedback: { read: 0 } });
    const table = await receval(['replay', '--impressions', file(''), '--feedback', file('')]);
    expect(table.stdout).toContain('No impression was accepted');
    expect(table.stdout).toContain('nothing_counted: There is no impression in the input.');
    expect(table.code).toBe(1);
  });

  it.each([
    [['--impressions', 'nowhere.ndjson', '--feedback', 'x'], 1, /cannot read nowhere\.ndjson: there is no such file/],
    [['--impressions', '.', '--feedback', 'x'], 1, /cannot read \.: it is a folder/],
    [[], 2, /name the logs/],
    [['--impressions', 'package.json'], 2, /--feedback is missing: without it mrr finds no positive in any list/],
    [
      ['--events', 'package.json', '--now', 'noon'],
      2,
      /--now: expected a time such as 2026-11-21T08:00:00Z; found "noon"/,
    ],
    [['--feedback', 'package.json'], 2, /--impressions is missing/],
    [['--impressions', 'package.json', '--events', 'package.json'], 2, /--events holds both sides/],
    [['--events', '-', '-'], 2, /only once/],
    [['--events', 'package.json@Variant=1'], 2, /"Variant" is neither a field.*did you mean "variant"/],
    [['--events', 'package.json', '--adapter', 'open-bandt'], 2, /did you mean "open-bandit"/],
    [['--events', 'package.json', '--output', 'jsn'], 2, /did you mean "json"/],
    [['--events', 'package.json', '--measures', 'mrr,ndgc@10'], 2, /measures\[1\].*did you mean "ndcg@10"/],
    [['--evnts', 'package.json'], 2, /Did you mean --events/],
  ])('explains %j and exits with %i', async (args, code, message) => {
    const run = await receval(['replay', ...args]);
    expect(run.stderr).toMatch(message);
    expect(run.stderr).not.toMatch(/\n\s+at /);
    expect(run.code).toBe(code);
    expect(run.stdout).toBe('');
  });

  it('fails when nothing was accepted, and asks whether the files were swapped', async () => {
    const run = await receval(['replay', '--impressions', file(FEEDBACK), '--feedback', file(IMPRESSIONS)]);
    expect(run.stdout).toContain('files_swapped: 6 records of --impressions are feedback');
    expect(run.stdout).toMatch(/invalid impressions: wrong_kind 6/);
    expect(run.code).toBe(1);
  });

  it('fails when none of the feedback joined, unless that is allowed', async () => {
    const args = ['replay', '--impressions', file(IMPRESSIONS), '--feedback', file(click('r9', 1000, 'a'))];
    const run = await receval([...args, '--output', 'csv']);
    expect(run.code).toBe(1);
    expect(run.stderr).toContain('receval: nothing_joined: None of 1 feedback events counted: orphan 1.');
    expect((await receval([...args, '--allow-empty'])).code).toBe(0);
  });

  it('needs no feedback for measures of the list alone', async () => {
    const lists = [IMPRESSIONS.replace('{"broken\n', ''), '--measures', 'length,duplicated'];
    const run = await receval(['replay', '--impressions', file(lists[0]), ...lists.slice(1), '--output', 'json']);
    expect(run.code).toBe(0);
    expect(JSON.parse(run.stdout)).toMatchObject({ findings: [] });
  });

  it('takes what is later than --now for future', async () => {
    const args = ['--impressions', file(IMPRESSIONS), '--feedback', file(FEEDBACK)];
    const { result } = await closedJson([...args, '--allow-empty', '--now', new Date(T - 299_500).toISOString()]);
    expect(result.impressions).toMatchObject({ accepted: 1, drops: { future: 3 } });
  });

  it('says so when a log of both sides is not in the order of time', async () => {
    const clicks = Array.from({ length: 20 }, (_, i) => click('r1', 1000 + i, 'a')).join('');
    const jumbled = impression('r1', 0) + impression('r2', 1_200_000) + clicks;
    expect((await receval(['replay', '--events', file(jumbled)])).stdout).toContain('out_of_order');
  });

  it('names a packed file that is cut off', async () => {
    const packed = gzipSync(IMPRESSIONS.repeat(500));
    const run = await receval(['replay', '--events', file(packed.subarray(0, packed.length / 2))]);
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(/cannot read .*f\d+: the gzip data end too early/);
  });
});

/** Of click rates, by 64 buckets of plain FNV-1a. */
const GOLDEN: Readonly<Record<string, number>> = { random: 0.00059856767, bts: 0.00078691545 };

/** SE of a mean as a ratio over buckets: sqrt(B/(B-1) Σ (m - R d)²) / D. */
function stderrByBucket(bucketOf: readonly number[], values: readonly number[], buckets: number): number {
  const m = new Array<number>(buckets).fill(0);
  const d = new Array<number>(buckets).fill(0);
  for (const [i, bucket] of bucketOf.entries()) {
    m[bucket] += values[i];
    d[bucket]++;
  }
  const ratio = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = m.reduce((sum, above, b) => sum + (above - ratio * d[b]) ** 2, 0);
  return Math.sqrt((buckets / (buckets - 1)) * squares) / values.length;
}
