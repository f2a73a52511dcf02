/** Logs that come out of pipes, as a shell makes them. */
import { execFileSync } from 'node:child_process';
import { createWriteStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ScoreInputs } from '../../src/cli/score-inputs.ts';
import { run } from '../services/commands.ts';
import { RECEVAL } from '../tested.ts';

/** More than a pipe holds (64 KiB on Linux): a writer has to wait for the reader. */
const LISTS = 2000;
const T = Date.parse('2026-11-21T08:00:00.000Z');

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'receval-pipes-'));
  const lines = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  const numbers = Array.from({ length: LISTS }, (_, n) => n);
  const shown = lines(
    numbers.map((n) => ({ requestId: `r${n}`, ts: T + 1000 * n, userId: `u${n}`, items: ['a', 'b', 'c', 'd'] })),
  );
  const clicks = lines(
    numbers.map((n) => ({ requestId: `r${n}`, ts: T + 1000 * n + 500, itemId: 'abcd'[n % 4], action: 'click' })),
  );
  writeFileSync(join(folder, 'shown.gz'), gzipSync(shown));
  writeFileSync(join(folder, 'clicks.gz'), gzipSync(clicks));
  writeFileSync(join(folder, 'clicks.ndjson'), clicks);
  execFileSync('mkfifo', [join(folder, 'p1'), join(folder, 'p2')]);
});
afterAll(() => rmSync(folder, { recursive: true }));

const REPLAY = '"$node" "$receval" replay --measures mrr,hit@1 --horizons 1m --output csv';

/** What a shell prints for this, with the command as `$node "$receval"`. */
function shell(
  script: string,
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  return run('bash', ['-c', `cd "$0" && node="$1" receval="$2"; ${script}`, folder, process.execPath, RECEVAL]);
}

describe('a log out of a pipe', () => {
  it.each([
    ['standard input by its name', `gzip -dc shown.gz | ${REPLAY} --impressions /dev/stdin --feedback clicks.ndjson`],
    ['standard input that is packed', `cat shown.gz | ${REPLAY} --impressions - --feedback clicks.gz`],
    ['what a shell opens', `${REPLAY} --impressions <(gzip -dc shown.gz) --feedback <(gzip -dc clicks.gz)`],
  ])('is read: %s', async (_, script) => {
    const { code, stdout, stderr } = await shell(script);
    expect([code, stderr]).toEqual([0, '']);
    const plain = await shell(`${REPLAY} --impressions shown.gz --feedback clicks.gz`);
    expect(stdout).toBe(plain.stdout);
    // Of 2,000, those that were a minute old.
    expect(stdout).toContain(',1930,');
  });

  it('is read from two pipes that are written at the same time, which is said', async () => {
    const { code, stdout, stderr } = await shell(
      `gzip -dc shown.gz > p1 & gzip -dc clicks.gz > p2 & ${REPLAY} --impressions p1 --feedback p2`,
    );
    expect([code, stderr]).toEqual([
      0,
      'receval: p1, p2 are pipes: reads what is written to them at the same time (... > p1 & ... > p2 &)\n',
    ]);
    expect(stdout).toContain(',1930,');
  });

  it('is a run whose first row comes in pieces, and is read as a whole', async () => {
    const path = join(folder, 'pieces');
    execFileSync('mkfifo', [path]);
    const writer = createWriteStream(path);
    const inputs = await ScoreInputs.of([path]);
    const head = inputs.head(path);
    for (const piece of ['\n', '1,a', ',3,4\n2']) {
      writer.write(piece);
      await setTimeout(50);
    }
    expect(Buffer.from(await head).toString()).toContain('\n1,a,3,4\n');
    writer.end();
    inputs.end();
  });

  it('is named without control characters, which a terminal would obey', async () => {
    const odd = 'p\u001b[2J3';
    execFileSync('mkfifo', [join(folder, odd)]);
    const { code, stderr } = await shell(
      `gzip -dc shown.gz > p1 & gzip -dc clicks.gz > '${odd}' & ${REPLAY} --impressions p1 --feedback '${odd}'`,
    );
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/^receval: p1, p\S+2J3 are pipes: reads what is written to them at the same time/),
    ]);
    expect(stderr).not.toContain('\u001b');
  });

  it.each([
    ['gzip -dc shown.gz |', '/dev/stdin', '/dev/stdin'],
    ['gzip -dc shown.gz |', '-', '/dev/stdin'],
    ['', 'p1', 'p1'],
  ])('is refused where it is to be read twice: %s %s and %s', async (before, impressions, feedback) => {
    const { code, stdout, stderr } = await shell(
      `${before} ${REPLAY} --impressions ${impressions} --feedback ${feedback}`,
    );
    expect([code, stdout, stderr]).toEqual([
      2,
      '',
      `receval: ${feedback} is a pipe and can be read only once: write it to a file, and name that\n`,
    ]);
  });

  it.each(['--report', '--dropped'])('is refused where it is also an output: %s', async (flag) => {
    const { code, stdout, stderr } = await shell(`${REPLAY} --impressions p1 --feedback clicks.gz ${flag} ./p1`);
    expect([code, stdout, stderr]).toEqual([
      2,
      '',
      `receval: ${flag}: ./p1 is one of the inputs, and would wait for itself\n`,
    ]);
  });

  it('is refused by inspect, which reads a log more than once', async () => {
    const { code, stderr } = await shell('gzip -dc shown.gz | "$node" "$receval" inspect /dev/stdin clicks.ndjson');
    expect([code, stderr]).toEqual([
      1,
      'receval: cannot read /dev/stdin: it is a pipe, and this is read more than once. Write it to a file, and name that\n',
    ]);
  });
});

describe('a pipe that is written', () => {
  const LOGS = 'replay --impressions shown.gz --feedback clicks.gz --measures mrr --horizons 1m';
  it.each([
    ['--report', LOGS, '<!doctype html>'],
    ['--dropped', LOGS, ''],
    ['--output', 'fuse --lists votes.csv --method borda', '1 Q0 a'],
  ])('says that it waits for a reader: %s', async (flag, command, held) => {
    writeFileSync(join(folder, 'votes.csv'), '1,v,a,2,-\n1,v,b,1,-\n');
    // Who reads begins once it is said.
    const { code, stdout, stderr } = await shell(
      `"$node" "$receval" ${command} ${flag} p1 2> said > /dev/null & ` +
        'until grep -qs "is a pipe" said; do sleep 0.05; done; cat p1; cat said >&2; wait $!',
    );
    expect([code, stderr.split('\n')[0]]).toEqual([0, 'receval: p1 is a pipe: waits until somebody reads it']);
    expect(stdout).toContain(held);
  });

  it('is said nothing of where a shell has opened it', async () => {
    const script = '"$node" "$receval" fuse --lists votes.csv --method borda --output >(cat > merged); wait';
    expect((await shell(script)).stderr).not.toContain('pipe');
  });
});
