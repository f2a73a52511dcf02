/**
 * Three thousand variants that come once each, then a real one: with the settings of the service, out of its store, as an
 * exporter shows it.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { MemoryStore } from '../../src/accumulators/store/memory-store.ts';
import { Exporter } from '../../src/exporter/exporter.ts';
import { compile } from '../../src/measures/scorer.ts';
import { WITH_POSITIVE } from '../../src/measures/sums.ts';
import { unitShape } from '../../src/unit/unit-settings.ts';
import type { Closing } from '../accumulators/histories.ts';
import { load } from '../config/fixture.ts';
import { StoredUnit } from '../stored-units.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const BEGIN = Date.UTC(2026, 0, 5);
const SETTINGS = load(`
measures: [mrr]
cohorts: [[], [variant], [variant, country]]
windows: [5m, 1h]
attribution: {horizons: [1m, 5m]}
limits: {cohortsPerSet: 26}
experiments: {default: {control: A, variants: {A: 0.5, B: 0.5}}}
`);
const SETS = SETTINGS.cohorts.map((by) => by.join(','));

/** So many impressions of a variant, evenly from one time to another. */
function traffic(variant: string, from: number, to: number, perMinute: number) {
  const count = Math.round(((to - from) / MINUTE) * perMinute);
  return Array.from({ length: count }, (_, i) => ({
    ts: BEGIN + from + Math.floor(((to - from) * i) / count),
    values: SETTINGS.dimensions.map((name) => (name === 'variant' ? variant : ['DE', 'FR'][i % 2])),
  }));
}

const SHOWN = [
  ...Array.from({ length: 3000 }, (_, i) => traffic(`x${i}`, i * 200, i * 200 + MINUTE, 1)).flat(),
  ...traffic('A', 5 * MINUTE, 5 * HOUR, 5),
  ...traffic('B', 20 * MINUTE, 5 * HOUR, 5),
  ...traffic('ranker_v2', 20 * MINUTE, 5 * HOUR, 5),
  // The attack continues.
  ...Array.from({ length: 280 }, (_, i) => traffic(`y${i}`, (20 + i) * MINUTE, (21 + i) * MINUTE, 1)).flat(),
].sort((a, b) => a.ts - b.ts);

function closings(): readonly Closing[] {
  return SHOWN.flatMap(({ ts, values }, impression) =>
    SETTINGS.attribution.horizons.map(({ ms }, horizon) => ({
      at: ts + ms,
      ts,
      horizon,
      values,
      userless: false,
      positive: true,
      out: Float64Array.of(WITH_POSITIVE, 1, 0, 0, 0),
      bucket: 0,
      leftOut: 0,
      impression,
      last: horizon === SETTINGS.attribution.horizons.length - 1,
    })),
  ).sort((a, b) => a.at - b.at || a.impression - b.impression);
}

/** By window and set: impressions by cohort at the shortest horizon, some time after the beginning. */
type Page = ReadonlyMap<string, ReadonlyMap<string, number>>;

async function pages(...times: readonly number[]): Promise<readonly Page[]> {
  const store = new MemoryStore();
  const { panes } = unitShape(SETTINGS, compile(SETTINGS.measures, SETTINGS.grading), 0);
  const owner = { namespace: 'ns', unit: 0, generation: '1' };
  const settings = { ...panes, owner, runs: [], closedUpTo: Number.NEGATIVE_INFINITY };
  const unit = new StoredUnit(store, settings, closings());
  const exporter = new Exporter(SETTINGS, { store, namespace: 'ns', partitions: 1, hour: HOUR });
  const made: Page[] = [];
  for (let at = 0; at <= 5 * HOUR; at += 5 * MINUTE) {
    // A new owner every hour, so that everything goes through the checkpoint.
    if (at % HOUR === 0) await unit.claim();
    await unit.close(BEGIN + at + MINUTE);
    const { rows } = await exporter.refresh();
    if (!times.includes(at)) continue;
    const page = new Map<string, Map<string, number>>();
    for (const { horizon, window, by, values, row } of rows) {
      if (horizon !== '1m') continue;
      const key = `${window} ${by.join()}`;
      page.set(key, (page.get(key) ?? new Map()).set(values.join(), row.impressions));
    }
    made.push(page);
  }
  return made;
}

function shown(page: Page, window: string, by: string, cohort: string): number | undefined {
  return page.get(`${window} ${by}`)?.get(cohort);
}

const NAMES = (page: Page, key: string): readonly string[] =>
  [...(page.get(key)?.keys() ?? [])].filter((name) => !name.includes('__other__'));

describe('three thousand variants that come once', () => {
  let early: Page;
  let soon: Page;
  let later: Page;
  beforeAll(async () => {
    [early, soon, later] = await pages(55 * MINUTE, HOUR + 10 * MINUTE, 3 * HOUR);
  });

  it('do not keep out those that the configuration names, also where these come later', () => {
    for (const page of [early, soon, later]) {
      expect([shown(page, '5m', 'variant', 'A'), shown(page, '5m', 'variant', 'B')]).toEqual([25, 25]);
    }
    expect([shown(early, '1h', 'variant', 'A'), shown(early, '1h', 'variant', 'B')]).toEqual([250, 175]);
  });

  it('keep out a real one that it does not name, until the hour has ended', () => {
    expect([shown(early, '5m', 'variant', 'ranker_v2'), shown(early, '5m', 'variant', '__other__')]).toEqual([
      undefined,
      30,
    ]);
    expect(shown(soon, '5m', 'variant', 'ranker_v2')).toBe(25);
    expect(shown(later, '1h', 'variant', 'ranker_v2')).toBe(300);
    expect(shown(later, '1h', 'variant,country', 'ranker_v2,DE')).toBe(150);
  });

  it('leave all sums whole, and no more cohorts by name than there are places', () => {
    for (const page of [early, soon, later]) {
      for (const window of ['5m', '1h']) {
        const all = shown(page, window, '', '') ?? Number.NaN;
        for (const by of SETS) {
          const cohorts = page.get(`${window} ${by}`) ?? new Map();
          expect([...cohorts.values()].reduce((sum, count) => sum + count, 0)).toBe(all);
          expect(NAMES(page, `${window} ${by}`).length).toBeLessThanOrEqual(26);
        }
      }
    }
  });
});
