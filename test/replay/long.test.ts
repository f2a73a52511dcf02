/** A replay commits every 50,000 records: a log that is longer counts as a whole. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadSettings } from '../../src/config/load.ts';
import { replay } from '../../src/replay/file-replay.ts';

const LISTS = 70_000;
const BEGIN = Date.UTC(2026, 0, 1);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'receval-long-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('a log of more records than one commit takes', () => {
  it('counts to its end', async () => {
    const write = (name: string, lines: readonly string[]) => {
      const path = join(folder, name);
      writeFileSync(path, `${lines.join('\n')}\n`);
      return [{ path, defaults: new Map<string, string>() }];
    };
    const places = Array.from({ length: LISTS }, (_, n) => n);
    const shown = places.map((n) => `{"requestId":"r${n}","ts":${BEGIN + 20 * n},"items":["a","b"]}`);
    // Every other list has a click on its first item.
    const clicked = places
      .filter((n) => n % 2 === 0)
      .map((n) => `{"requestId":"r${n}","ts":${BEGIN + 20 * n + 5},"itemId":"a","action":"click"}`);
    const result = await replay({
      settings: loadSettings({
        readFile: () => 'attribution: {horizons: [1m]}',
        env: {},
        overrides: { measures: 'mrr' },
      }),
      inputs: { impressions: write('shown', shown), feedback: write('clicked', clicked) },
      adapter: undefined,
      order: 'time',
      closeAll: true,
      newId: () => 'id',
      hashSeed: 0,
      onProgress: () => {},
    });
    expect(result.impressions).toMatchObject({ read: LISTS, accepted: LISTS });
    expect(result.feedback).toMatchObject({ read: LISTS / 2, attributed: LISTS / 2 });
    expect(result.rows[0]).toMatchObject({ impressions: LISTS, measures: { mrr: { value: 0.5 } } });
  });
});
