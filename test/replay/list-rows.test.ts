import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { replay } from '../../src/replay/file-replay.ts';
import { load } from '../config/fixture.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'receval-list-rows-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const T = Date.parse('2026-11-21T08:00:00Z');
const MINUTE = 60_000;
const LISTS = 300;

/** A list of two every ten seconds, its second item clicked after some minutes: far longer than records may be out of order. */
function table(delay: (list: number) => number): string {
  const rows = ['request,item,rank,at,clicked_at'];
  for (let n = 0; n < LISTS; n++) {
    const at = T + n * 10_000;
    rows.push(`r${n},a,1,${at},`, `r${n},b,2,${at},${at + delay(n)}`);
  }
  return `${rows.join('\n')}\n`;
}

function read(text: string, side: 'impressions' | 'events') {
  const path = join(folder, 'shown.csv');
  writeFileSync(path, text);
  const files = [{ path, defaults: new Map<string, string>() }];
  return replay({
    settings: load(`
attribution: {horizons: [1m, 5m], outOfOrderness: 10s}
measures: [mrr]
inputs:
  impressions:
    adapter:
      list: {by: request, order: rank}
      map: {ts: /at, itemId: /item}
      feedback: {clicked_at: {action: click, ts: /clicked_at}}
`),
    inputs: side === 'events' ? { events: files } : { impressions: files, feedback: [] },
    adapter: undefined,
    order: 'time',
    closeAll: true,
    newId: () => 'token',
    hashSeed: 1,
    onProgress: () => {},
  });
}

test.each(['impressions', 'events'] as const)(
  'clicks of minutes later make neither lists nor clicks late: --%s',
  async (side) => {
    for (const delay of [() => 3 * MINUTE, (n: number) => (n % 7) * 40_000]) {
      const { impressions, feedback, rows } = await read(table(delay), side);
      expect(impressions).toMatchObject({
        read: LISTS,
        accepted: LISTS,
        drops: { late: 0, future: 0 },
        late: { '1m': 0, '5m': 0 },
      });
      expect(feedback).toMatchObject({
        read: LISTS,
        attributed: LISTS,
        drops: { late: 0, orphan: 0 },
        late: { '1m': 0, '5m': 0 },
      });
      const whole = rows.find(({ by, horizon }) => by.length === 0 && horizon === '5m');
      expect(whole).toMatchObject({ impressions: LISTS, positives: LISTS });
      expect(whole?.measures['mrr']?.value).toBe(0.5);
    }
  },
);
