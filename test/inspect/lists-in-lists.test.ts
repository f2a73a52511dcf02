/** Lists two levels deep, such as carousels of products: the finding says where the ids are, and what it advises works. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sampleFiles } from '../../src/cli/inspect.ts';
import { inspect } from '../../src/inspect/inspection.ts';
import type { LogFinding } from '../../src/inspect/log-finding.ts';
import { eventsOf } from '../../src/inspect/reading.ts';
import { MADE_AT } from './made-log.ts';

const numbers = Array.from({ length: 40 }, (_, n) => n);
const item = (n: number, i: number): string => `sku${(7 * n + i) % 23}`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'receval-carousels-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Pages of this many carousels of three products each. */
function page(n: number, carousels: number): object {
  const blocks = Array.from({ length: carousels }, (_, c) => ({
    name: `c${c}`,
    products: [0, 1, 2].map((i) => ({ sku: item(n, 3 * c + i) })),
  }));
  return { rid: `r${n}x`, at: MADE_AT + n * 9000, user: `u${n % 7}`, carousels: blocks };
}

function write(name: string, rows: readonly object[]): string {
  writeFileSync(join(folder, name), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  return join(folder, name);
}

async function inspected(lists: string, clicked: (n: number) => string) {
  const clicks = write(
    'clicks.jsonl',
    numbers.map((n) => ({ rid: `r${n}x`, at: MADE_AT + n * 9000 + 4000, sku: clicked(n), type: 'click' })),
  );
  const given = [lists, clicks].map((path) => ({ path, role: undefined }));
  return inspect(await sampleFiles(given, 1000), { now: MADE_AT + 9e8, grades: new Set(), weights: undefined });
}

const wrongIn = ({ findings }: { readonly findings: readonly LogFinding[] }) =>
  findings.filter(({ level }) => level === 'wrong');

describe('carousels of products', () => {
  it('are told by the place of their ids, and become one list by the command that is shown', async () => {
    const lists = write(
      'pages.jsonl',
      numbers.map((n) => page(n, 2)),
    );
    const clicked = (n: number): string => item(n, n % 6);
    const [finding, ...others] = wrongIn(await inspected(lists, clicked));
    expect([finding.code, others]).toEqual(['items_never_match', []]);
    expect(finding.cause).toContain('the ids of feedback are in /carousels/*/products/*/sku');
    execFileSync('sh', ['-c', finding.command ?? 'false'], { cwd: folder });
    const mended = await inspected(join(folder, 'mended-pages.jsonl'), clicked);
    expect(wrongIn(mended)).toEqual([]);
    expect(mended.facts.joining).toMatchObject({ asked: 40, known: 40, inList: 40 });
    expect(mended.impressions?.sample.lists[1].items).toEqual([0, 1, 2, 3, 4, 5].map((i) => item(1, i)));
  });

  it('are told with the map that reads them if every page has one', async () => {
    const rows = numbers.map((n) => page(n, 1));
    const [finding] = wrongIn(await inspected(write('page.jsonl', rows), (n) => item(n, n % 3)));
    expect(finding.remedy).toContain('map items: /carousels/0/products, items.id: /sku');
    expect(finding.command).toBeUndefined();
    const map = { requestId: '/rid', ts: '/at', items: '/carousels/0/products', 'items.id': '/sku' };
    const read = eventsOf(JSON.parse(JSON.stringify(rows)), { adapter: { map }, time: undefined, positionBase: 1 });
    expect(read.lists[1].items).toEqual([0, 1, 2].map((i) => item(1, i)));
  });

  it('are not blamed for ids that are nowhere', async () => {
    const lists = write(
      'other.jsonl',
      numbers.map((n) => page(n, 2)),
    );
    const [finding] = wrongIn(await inspected(lists, (n) => `offer${n}`));
    expect(finding.code).toBe('items_never_match');
    expect(finding.cause).toContain('Lists have "c0"');
  });
});
