import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadSettings } from '../../src/config/load.ts';
import { replay } from '../../src/replay/file-replay.ts';
import type { ReplayResult } from '../../src/replay/replay-result.ts';
import { CLEAN_FAULTS, USUAL_SETTINGS } from '../../src/simulate/simulation-settings.ts';
import { Traffic } from '../../src/simulate/traffic.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'receval-order-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const settings = loadSettings({
  readFile: () => 'attribution: {horizons: [10s, 1m, 30m], outOfOrderness: 10s}',
  env: {},
});

interface Line {
  readonly ts: number;
  readonly text: string;
}

function traffic(): Record<'impressions' | 'feedback', Line[]> {
  const lines: Record<'impressions' | 'feedback', Line[]> = { impressions: [], feedback: [] };
  for (const { topic, value } of new Traffic({ ...USUAL_SETTINGS, events: 3000, rate: 5, faults: CLEAN_FAULTS })) {
    const event = JSON.parse(value) as { ts: number | string };
    lines[topic].push({ ts: typeof event.ts === 'string' ? Date.parse(event.ts) : event.ts, text: value });
  }
  return lines;
}

let runs = 0;
async function result(impressions: readonly Line[], feedback: readonly Line[]): Promise<ReplayResult> {
  const write = (lines: readonly Line[]) => {
    const path = join(folder, `f${runs++}`);
    writeFileSync(path, lines.map((line) => `${line.text}\n`).join(''));
    return [{ path, defaults: new Map<string, string>() }];
  };
  return replay({
    settings,
    inputs: { impressions: write(impressions), feedback: write(feedback) },
    adapter: undefined,
    order: 'time',
    newId: () => String(runs++),
    hashSeed: 0,
    onProgress: () => {},
  });
}

describe('a replay', () => {
  it('gives the same result when the lines of each file are shuffled within the allowed lateness', async () => {
    const { impressions, feedback } = traffic();
    const want = await result(impressions, feedback);
    expect(want.feedback.attributed).toBeGreaterThan(1000);
    await fc.assert(
      fc.asyncProperty(fc.infiniteStream(fc.nat(9_999)), async (delays) => {
        const shuffled = (lines: readonly Line[]): Line[] =>
          lines
            .map((line) => ({ line, at: line.ts + (delays.next().value ?? 0) }))
            .sort((a, b) => a.at - b.at)
            .map(({ line }) => line);
        expect(await result(shuffled(impressions), shuffled(feedback))).toEqual(want);
      }),
      { numRuns: 5 },
    );
  });

  it('notices a shuffle that goes beyond the allowed lateness', async () => {
    const { impressions, feedback } = traffic();
    const delayed = [...impressions].sort(
      (a, b) => (a.ts % 7 === 0 ? a.ts + 60_000 : a.ts) - (b.ts % 7 === 0 ? b.ts + 60_000 : b.ts),
    );
    const { late } = (await result(delayed, feedback)).impressions;
    expect(late['10s']).toBeGreaterThan(50);
    expect(late['30m']).toBe(0);
  });
});
