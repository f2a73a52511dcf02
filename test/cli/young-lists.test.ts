/** What every form of output says of lists that are too young where files end (specification: join 4.1). */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { receval } from './receval.ts';

const MINUTE = 60_000;
const BEGIN = Date.UTC(2026, 10, 20, 8);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'receval-young-'));
  // Ten hours of a list every five minutes, each other one bought from after 50 minutes.
  const lists = Array.from({ length: 120 }, (_, n) => ({ n, ts: BEGIN + 5 * n * MINUTE }));
  const shown = lists.map(({ n, ts }) => ({
    requestId: `r${n}`,
    ts,
    userId: `u${n}`,
    variant: n % 4 < 2 ? 'A' : 'B',
    items: ['a', 'b'],
  }));
  const bought = lists
    .filter(({ n }) => n % 2 === 0 && n < 110)
    .map(({ n, ts }) => ({ requestId: `r${n}`, ts: ts + 50 * MINUTE, itemId: 'b', action: 'purchase' }));
  const lines = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  writeFileSync(join(folder, 'shown.ndjson'), lines(shown));
  writeFileSync(join(folder, 'bought.ndjson'), lines(bought));
  writeFileSync(
    join(folder, 'receval.yaml'),
    `attribution: {horizons: [1h, 24h]}
measures: [mrr]
cohorts: [[], [variant]]
experiments: {default: {control: A, variants: {A: 1, B: 1}, horizon: 24h}}
`,
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

const run = (command: 'replay' | 'compare', ...flags: readonly string[]) =>
  receval([command, '--impressions', 'shown.ndjson', '--feedback', 'bought.ndjson', ...flags], { cwd: folder });

/** In one line, without signs of markup around words. */
const plain = (text: string): string => text.replace(/\\(?=[-_*])/g, '').replace(/\n%? */g, ' ');

// The last purchase is that from the list of 17:00, 50 minutes later.
const END = '2026-11-20T17:50:00.000Z';
const NONE = `None of 120 lists is 24h old at the end of the feedback, ${END}. The first will be at 2026-11-21T08:00:10.000Z, all at 2026-11-21T17:55:10.000Z; --close-all counts them with the feedback so far.`;

describe('replay of a log of ten hours', () => {
  it('shows what is open, and says in the place of a row that nothing is known', async () => {
    const { code, stdout, stderr } = await run('replay');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^ horizon +impressions +open +positives +mrr/);
    // Up to 16:49:50.
    expect(stdout).toMatch(/^ 1h +106 +14 +53 +0\.25/m);
    expect(stdout).not.toMatch(/^ *(?:[AB] +)?24h/m);
    expect(plain(stdout).split(NONE)).toHaveLength(2);
    expect(plain(stdout)).toContain(
      `open: lists younger than the horizon at the end of the feedback, ${END}, in no other`,
    );
  });

  it.each(['md', 'latex', 'html'])('says it in %s, too', async (output) => {
    const { code, stdout, stderr } = await run('replay', '--output', output);
    expect([code, stderr]).toEqual([0, '']);
    expect(plain(stdout)).toContain(NONE);
    expect(stdout).toContain('open');
  });

  it('has it in the rows of JSON', async () => {
    const { impressions, rows, ...result } = JSON.parse((await run('replay', '--output', 'json')).stdout);
    expect(result).toMatchObject({ closeAll: false, feedbackEnd: END });
    expect(impressions).toMatchObject({ accepted: 120, open: { '1h': 14, '24h': 120 } });
    const [hour, day] = rows;
    expect(hour).toMatchObject({ horizon: '1h', impressions: 106, open: 14, knownFrom: '2026-11-20T17:50:10.000Z' });
    expect(day).toMatchObject({
      horizon: '24h',
      impressions: 0,
      positives: 0,
      open: 120,
      knownFrom: '2026-11-21T08:00:10.000Z',
      allKnownFrom: '2026-11-21T17:55:10.000Z',
      measures: { mrr: { n: 0, value: null, stderr: null, reason: 'no_data' } },
    });
  });

  it('has it in a column of CSV', async () => {
    const { stdout, stderr } = await run('replay', '--output', 'csv');
    expect(stdout.split('\n').slice(0, 3)).toEqual([
      'by,cohort,horizon,window,impressions,positives,measure,value,n,stderr,open',
      expect.stringMatching(/^,,1h,all,106,53,mrr,0\.25,106,[\d.]+,14$/),
      ',,24h,all,0,0,mrr,,0,,120',
    ]);
    expect(stderr).toBe('');
  });

  it('is as good as empty where no list is old enough at any horizon', async () => {
    const flags = ['--horizons', '12h,24h'];
    const table = await run('replay', ...flags);
    expect([table.code, table.stderr]).toEqual([1, '']);
    expect(plain(table.stdout)).toContain('None of 120 lists is 12h old');
    for (const output of ['json', 'csv', 'html']) {
      const { code, stderr } = await run('replay', ...flags, '--output', output);
      expect(code).toBe(1);
      expect(stderr).toContain(`receval: ${NONE}\n`);
    }
    expect((await run('replay', ...flags, '--allow-empty')).code).toBe(0);
  });

  it.each(['table', 'md', 'latex', 'html', 'json', 'csv'])(
    'says with --close-all that all lists count: %s',
    async (output) => {
      const { code, stdout, stderr } = await run('replay', '--close-all', '--output', output);
      expect(code).toBe(0);
      if (output === 'json') {
        const { closeAll, rows } = JSON.parse(stdout);
        expect([closeAll, rows[1].impressions, rows[1].open]).toEqual([true, 120, 0]);
      } else if (output === 'csv') expect(stderr).toContain('receval: --close-all: lists that are younger');
      else
        expect(plain(stdout)).toContain(
          output === 'html' ? 'also those younger than a horizon (--close-all)' : '--close-all: lists that are younger',
        );
    },
  );
});

describe('compare of a log of ten hours', () => {
  it('decides nothing, and says from when on it could', async () => {
    const { code, stdout } = await run('compare');
    expect(code).toBe(0);
    expect(stdout).toContain('B: insufficient (no_data)\n');
    expect(stdout).toContain(NONE.replace('120 lists', '120 lists of A and B'));
    expect(stdout).toMatch(/^ variant +users +impressions +open\n A +0 +0 +60\n B +0 +0 +60$/m);
    expect((await run('compare', '--fail-on', 'insufficient')).code).toBe(4);
  });

  it('exits with 1 where nothing is known at any horizon', async () => {
    writeFileSync(
      join(folder, 'day.yaml'),
      'attribution: {horizons: [24h]}\nexperiments: {default: {control: A, variants: {A: 1, B: 1}}}\n',
    );
    expect((await run('compare', '--config', 'day.yaml')).code).toBe(1);
  });

  it('has it in JSON, and in the report', async () => {
    const comparison = JSON.parse((await run('compare', '--output', 'json')).stdout);
    expect(comparison).toMatchObject({ closeAll: false, feedbackEnd: END, open: { A: 60, B: 60 }, findings: [] });
    const { stdout } = await run('compare', '--output', 'html');
    expect(stdout).toContain(NONE.replace('120 lists', '120 lists of A and B'));
    expect(stdout).toContain('120 at 24h: younger than that at the end of the feedback');
  });

  it('says with --close-all that all lists count, and how little the log can tell', async () => {
    const { stdout } = await run('compare', '--close-all');
    expect(stdout).toContain(
      '--close-all: lists that are younger than a horizon count there with the feedback so far\n',
    );
    expect(plain(stdout)).toContain('feedback_to_come: All impressions are younger than 24h');
    expect(JSON.parse((await run('compare', '--close-all', '--output', 'json')).stdout)).toMatchObject({
      closeAll: true,
    });
  });

  it('knows --close-all of files alone', async () => {
    const { code, stderr } = await receval(['compare', '--close-all'], { cwd: folder });
    expect([code, stderr]).toEqual([2, 'receval: --close-all says how files are read: name some, or leave it out\n']);
  });
});
