/** Lists two levels deep, such as carousels of products: the map that is proposed reads them as one. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sampleFiles } from '../../src/cli/inspect.ts';
import { inspect } from '../../src/inspect/inspection.ts';
import type { LogFinding } from '../../src/inspect/log-finding.ts';
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
  it.each([1, 2])('are read as one list by the map that is proposed: %d of them', async (carousels) => {
    const lists = write(
      'pages.jsonl',
      numbers.map((n) => page(n, carousels)),
    );
    const found = await inspected(lists, (n) => item(n, n % (3 * carousels)));
    expect(wrongIn(found)).toEqual([]);
    expect(found.mends[0].finding.cause).toContain('Feedback names what is in /carousels/*/products/*/sku');
    expect(found.facts.joining).toMatchObject({ asked: 40, known: 40, inList: 40 });
    const shown = Array.from({ length: 3 * carousels }, (_, i) => item(1, i));
    expect(found.impressions?.sample.lists[1].items).toEqual(shown);
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
