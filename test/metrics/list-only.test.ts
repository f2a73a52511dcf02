import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MemoryStore } from '../../src/accumulators/store/memory-store.ts';
import { withCatalogue } from '../../src/config/catalogue-file.ts';
import type { Settings } from '../../src/config/settings.ts';
import { Exporter } from '../../src/exporter/exporter.ts';
import { metricSpecs } from '../../src/metrics/metric-specs.ts';
import { Quality } from '../../src/metrics/quality.ts';
import { replay } from '../../src/replay/file-replay.ts';
import type { ReplayResult } from '../../src/replay/replay-result.ts';
import { claimsOf } from '../unit/claimed-unit.ts';
import { parse } from './parse.ts';
import { settingsOf } from './settings.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'receval-gauges-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const MINUTE = 60_000;
const T = Date.parse('2026-11-21T08:00:00.000Z');
/** Logs end within the pane that begins here, so it is not final. */
const END = T + 19 * MINUTE;
const LISTS = 400;
const UNITS = 3;
const NAMES = [
  'distinct',
  'distinct@3',
  'coverage',
  'gini@5',
  'gini(over=catalogue)',
  'entropy(exposure=log2)',
  'length',
];
/** The two halves of what is shown have items of their own, but for a few. */
const impressions = Array.from({ length: LISTS }, (_, i) => ({
  requestId: `r${i}`,
  ts: T + Math.floor((i * 20 * MINUTE) / LISTS),
  items: Array.from(
    { length: 4 + (i % 5) },
    (__, s) => `item-${(i * i + s * 37 + (s % 2) * i) % (i < LISTS / 2 ? 90 : 140)}`,
  ),
}));

async function settings(more = ''): Promise<Settings> {
  const items = Array.from({ length: 200 }, (_, n) => `item-${n}`).slice(10);
  const path = join(folder, 'items.csv');
  writeFileSync(path, ['item', ...items].join('\n'));
  const measures = NAMES.map((name) => `"${name}"`).join();
  return withCatalogue(
    settingsOf(
      `{catalogue: ${path}, measures: [${measures}], cohorts: [[]], windows: [10m, 24h], incompleteWindows: show, attribution: {horizons: [1m]}${more}}`,
    ),
  );
}

/** Units of the service that have read everything, and what an exporter shows of them. */
async function gauges(from: Settings): Promise<ReturnType<typeof parse>> {
  const store = new MemoryStore();
  for (let partition = 0; partition < UNITS; partition++) {
    const unit = await claimsOf(from, { partition, partitions: UNITS })(store);
    const own = impressions.filter((_, i) => i % UNITS === partition);
    const records = own.map((event, offset) => ({
      offset,
      timestamp: event.ts,
      value: Buffer.from(JSON.stringify(event)),
    }));
    unit.feed({ partition, topic: 0, records, next: records.length });
    unit.finish();
    expect(await unit.commit()).toBe('OK');
  }
  const exporter = new Exporter(from, { store, namespace: 'test', partitions: UNITS });
  const quality = new Quality(
    metricSpecs(from).filter(({ role }) => role === 'exporter'),
    from,
  );
  quality.take(await exporter.refresh());
  return parse(quality.text());
}

async function replayed(from: Settings, events: readonly object[]): Promise<ReplayResult> {
  const path = join(folder, 'events.ndjson');
  writeFileSync(path, events.map((event) => JSON.stringify(event)).join('\n'));
  let ids = 0;
  return replay({
    settings: from,
    inputs: { events: [{ path, defaults: new Map() }] },
    adapter: 'canonical',
    order: 'time',
    newId: () => `id-${ids++}`,
    hashSeed: 0,
    onProgress: () => {},
  });
}

function shownValue(page: ReturnType<typeof parse>, name: string, window: string): number | undefined {
  const [, measure, params, k] = /^(\w+)(?:\((.*)\))?(?:@(\d+))?$/.exec(name) ?? [];
  const samples = page.get(`receval_${measure}`)?.samples ?? [];
  return samples.find(({ labels }) => labels['window'] === window && labels['k'] === k && labels['params'] === params)
    ?.value;
}

describe('the gauges of measures of items', () => {
  it('are the values of a replay of the lists of their window, over all units', async () => {
    const from = await settings();
    const page = await gauges(from);
    for (const [window, since] of [
      ['24h', T],
      ['10m', END - 10 * MINUTE],
    ] as const) {
      const { rows, unknownItems } = await replayed(
        from,
        impressions.filter(({ ts }) => ts >= since && ts < END),
      );
      expect(unknownItems?.['1m']).toBeGreaterThan(0);
      for (const name of NAMES) {
        const { value } = rows[0].measures[name];
        expect(value, `${name} ${window}`).toBeGreaterThan(0);
        expect(shownValue(page, name, window), `${name} ${window}`).toBeCloseTo(value ?? Number.NaN, 9);
      }
    }
    expect(page.get('receval_item_limit_rows')?.samples[0].value).toBe(0);
    expect(page.get('receval_gini_stderr')?.samples).toEqual([]);
    expect(page.get('receval_coverage')?.help).toContain('over the size of the catalogue');
  });

  it('are absent above the limit, and that is counted; registers know no limit', async () => {
    const page = await gauges(await settings(', limits: {itemsCounted: 100}'));
    expect(shownValue(page, 'gini(over=catalogue)', '24h')).toBeUndefined();
    expect(shownValue(page, 'entropy(exposure=log2)', '24h')).toBeUndefined();
    expect(shownValue(page, 'distinct', '24h')).toBeGreaterThan(100);
    expect(page.get('receval_item_limit_rows')?.samples[0].value).toBeGreaterThan(0);
  });
});
