/** Files that are written onto a disk that gets full: words and an exit code, and no part that looks like the whole. */
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../services/commands.ts';
import { RECEVAL } from '../tested.ts';

const folder = mkdtempSync(join(tmpdir(), 'receval-full-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Of these, bash counts 1024 bytes each. The system writes what fits, and refuses the rest, as a disk does. */
const MOST_BLOCKS = 4;

beforeAll(() => {
  const list = (n: number): string => `{"requestId":"r${n}","ts":"2026-11-21T08:00:00Z","items":["a","b"]}\n`;
  writeFileSync(join(folder, 'lists.ndjson'), Array.from({ length: 200 }, (_, n) => list(n % 100)).join(''));
  writeFileSync(
    join(folder, 'clicks.ndjson'),
    '{"requestId":"r1","itemId":"a","ts":"no time","action":"click"}\n'.repeat(200),
  );
});

async function onFullDisk(command: string): Promise<readonly [code: number, stderr: string]> {
  const script = `ulimit -f ${MOST_BLOCKS}; trap '' XFSZ; cd "$2"; "$0" "$1" ${command}`;
  const { code, stderr } = await run('bash', ['-c', script, process.execPath, RECEVAL, folder]);
  return [code, stderr];
}

const SIDES = '--impressions lists.ndjson --feedback clicks.ndjson';

describe('on a disk that gets full', () => {
  it.each([
    ['config reference > out.txt', 'out.txt'],
    [`replay ${SIDES} --output html > page.html`, 'page.html'],
  ])('%s says that standard output could not be written', async (command, file) => {
    const [code, stderr] = await onFullDisk(command);
    expect(stderr).toMatch(/^receval: cannot write standard output: (?:the disk is full|it would be larger than)/m);
    expect(code).toBe(1);
    // What a shell has opened is the shell's.
    expect(statSync(join(folder, file)).size).toBeLessThanOrEqual(MOST_BLOCKS * 1024);
  });

  it.each([
    [`replay ${SIDES} --dropped dropped.ndjson`, 'dropped.ndjson'],
    [`replay ${SIDES} --dead-letters letters.ndjson`, 'letters.ndjson'],
    [`replay ${SIDES} --report report.html`, 'report.html'],
    ['rules generate --output rules.yml', 'rules.yml'],
    ['dashboards generate --output .', 'receval-quality.json'],
    ['simulate --to shop --events 20000', 'shop/impressions.ndjson.gz'],
  ])('%s says what to do, and leaves no part of it', async (command, file) => {
    const [code, stderr] = await onFullDisk(command);
    expect(stderr).toMatch(new RegExp(`cannot write (?:\\./|.*/)?${file}: .*Make room, or name a file elsewhere`));
    expect(stderr).not.toMatch(/^ +at /m);
    expect(code).toBe(1);
    expect(existsSync(join(folder, file))).toBe(false);
  });
});
