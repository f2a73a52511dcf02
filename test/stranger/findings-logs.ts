import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { printResult } from '../../src/cli/result-output.ts';
import { loadSettings } from '../../src/config/load.ts';
import { replay } from '../../src/replay/file-replay.ts';
import type { ReplayResult } from '../../src/replay/replay-result.ts';

/** Half an hour of a small shop: what was shown, and what was clicked a few seconds later. */
export const START = Date.parse('2026-11-21T08:00:00Z');
export const NOW = Date.parse('2026-11-22T00:00:00Z');
const LISTS = 60;

export type Row = Record<string, unknown>;

export interface Log {
  readonly impressions: readonly Row[];
  readonly feedback: readonly Row[];
}

/** Each list and its click, changed as a logger may get them wrong. */
export function shop(
  change: { readonly shown?: (row: Row, n: number) => Row; readonly clicked?: (row: Row, n: number) => Row } = {},
): Log {
  const numbers = Array.from({ length: LISTS }, (_, n) => n);
  const id = (n: number): string => `${(7919 * (n + 1)).toString(36).padStart(5, '0')}-${n}`;
  const shown = numbers.map((n) => ({
    requestId: id(n),
    ts: START + 30_000 * n,
    userId: `u${n % 17}`,
    variant: n % 2 === 0 ? 'control' : 'treatment',
    items: [0, 1, 2, 3].map((i) => `sku-${(n + i) % 11}`),
  }));
  const clicked = numbers.map((n) => ({
    requestId: id(n),
    ts: START + 30_000 * n + 4000 + 500 * (n % 7),
    itemId: `sku-${(n + (n % 4)) % 11}`,
    action: 'click',
  }));
  return {
    impressions: shown.map((row, n) => change.shown?.(row, n) ?? row),
    feedback: clicked.map((row, n) => change.clicked?.(row, n) ?? row),
  };
}

let folder: string | undefined;
let files = 0;

export function writeLog(rows: readonly Row[] | string, name?: string): string {
  folder ??= mkdtempSync(join(tmpdir(), 'receval-stranger-'));
  const path = join(folder, name ?? `log${files++}.ndjson`);
  writeFileSync(path, typeof rows === 'string' ? rows : rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  return path;
}

export function removeLogs(): void {
  if (folder !== undefined) rmSync(folder, { recursive: true });
  folder = undefined;
}

/** What `receval replay` finds and prints. */
export async function replayed(
  log: Partial<Omit<Log, 'feedback'>> & {
    readonly events?: readonly Row[];
    readonly more?: readonly Row[];
    readonly feedback?: readonly Row[] | string;
  },
  config = '',
  closeAll = false,
): Promise<{ readonly result: ReplayResult; readonly codes: readonly string[]; readonly screen: string }> {
  const settings = loadSettings({
    readFile: () => config,
    env: {},
    overrides: { measures: 'mrr,ndcg@10' },
    command: 'replay',
    reads: 'files',
  });
  const file = (rows: readonly Row[] | string) => [{ path: writeLog(rows), defaults: new Map<string, string>() }];
  const { events, impressions = [], feedback, more } = log;
  const result = await replay({
    settings,
    inputs:
      events !== undefined
        ? { events: file(events) }
        : {
            impressions: [...file(impressions), ...(more === undefined ? [] : file(more))],
            feedback: feedback === undefined ? [] : file(feedback),
          },
    adapter: undefined,
    order: 'time',
    closeAll,
    now: NOW,
    newId: () => String(files++),
    hashSeed: 0,
    onProgress: () => {},
  });
  return {
    result,
    codes: result.findings.map(({ code }) => code),
    screen: printResult(result, settings, 'table'),
  };
}
