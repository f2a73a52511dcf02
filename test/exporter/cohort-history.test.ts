import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addToSum, type Row, shapeOf, sumsStarts } from '../../src/accumulators/row.ts';
import { rowCodec } from '../../src/accumulators/row-codec.ts';
import { paneKey } from '../../src/accumulators/store/layout.ts';
import { Exporter } from '../../src/exporter/exporter.ts';
import type { ExporterSettings, HistoryQuestion } from '../../src/exporter/exporter-contract.ts';
import { parseMeasures } from '../../src/measures/grammar/measure-name.ts';
import { measureValue } from '../../src/measures/value.ts';
import { anyHistory, type Closing, HORIZONS } from '../accumulators/histories.ts';
import { SHAPE } from '../accumulators/rows.ts';
import { RestorableStore } from '../restorable-store.ts';
import { StoredUnit, unitRows } from '../stored-units.ts';
import { unwatched } from './unwatched.ts';

const { measures } = parseMeasures(['mrr', 'ctr', 'ndcg@10'], { relevantFrom: 1 });
const READ = shapeOf(measures);
const SETS = [[], ['country']];
const PANE = 4;
const HOUR = 20;
const UNIT_TIMEOUT = 1000;
/** In panes. */
const WINDOWS = [1, 3];

const SETTINGS: ExporterSettings = {
  measures,
  cohorts: SETS,
  experiments: [],
  statistics: { clustered: [[]] },
  detect: unwatched(HORIZONS[0]),
  paneSize: { text: `${PANE}ms`, ms: PANE },
  windows: WINDOWS.map((length) => ({ text: `${length * PANE}ms`, ms: length * PANE })),
  attribution: { horizons: HORIZONS, window: HORIZONS[HORIZONS.length - 1], unitTimeout: UNIT_TIMEOUT },
};

function panesSettings(unit: number) {
  return {
    owner: { namespace: 'ns', unit, generation: '1' },
    paneSize: PANE,
    hour: HOUR,
    horizons: HORIZONS,
    dimensions: ['variant', 'country'],
    sets: SETS,
    clustered: [[]],
    shape: SHAPE,
    cohortsPerSet: 8,
    keepMinutes: 10_000,
    keepHours: 10_000,
    keepVectors: 10_000,
    totals: [],
    runs: [],
    closedUpTo: Number.NEGATIVE_INFINITY,
  };
}

interface World {
  readonly store: RestorableStore;
  readonly units: readonly StoredUnit[];
  readonly exporter: Exporter;
}

function worldOf(histories: readonly (readonly Closing[])[]): World {
  const store = new RestorableStore();
  const units = histories.map((history, unit) => new StoredUnit(store, panesSettings(unit), history));
  const exporter = new Exporter(SETTINGS, { store, namespace: 'ns', partitions: units.length, hour: HOUR });
  return { store, units, exporter };
}

const question = (by: readonly string[], values: readonly string[], change = {}): HistoryQuestion => ({
  by,
  values,
  measure: 'mrr',
  horizon: HORIZONS[0].text,
  window: PANE,
  span: 400,
  ...change,
});

/** Of one measure, from all panes of a kind that are stored: the sums of [from, to). */
function plainValue(
  { store, units }: World,
  field: string,
  size: 'm' | 'h',
  { from, to, m }: { readonly from: number; readonly to: number; readonly m: number },
): number | undefined {
  const codec = rowCodec(READ);
  const sums = new Map<string, Row>();
  for (const [unit, { generation }] of units.entries()) {
    for (let start = from; start < to; start += size === 'm' ? PANE : HOUR) {
      const text = store
        .snapshot()
        .get(paneKey({ namespace: 'ns', unit, generation }, size, start))
        ?.get(field);
      if (text !== undefined) addToSum(sums, '', codec.decode(text));
    }
  }
  const starts = sumsStarts(READ);
  const sum = sums.get('');
  return sum === undefined ? undefined : measureValue(measures[m], sum.sums.slice(starts[m], starts[m + 1]));
}

const histories = fc.array(anyHistory, { minLength: 1, maxLength: 3 });

describe('the history of a cohort', () => {
  it('is what panes and hours of all units hold, and ends with the window that is shown', async () => {
    let [minutes, hours] = [0, 0];
    await fc.assert(
      fc.asyncProperty(
        histories,
        fc.integer({ min: 20, max: 150 }),
        fc.constantFrom(...WINDOWS),
        fc.nat(2),
        async (all, upTo, length, m) => {
          const world = worldOf(all);
          for (const unit of world.units) await unit.close(upTo);
          const { rows } = await world.exporter.refresh();
          const window = { text: `${length * PANE}ms`, ms: length * PANE };
          for (const { by, values, horizon, row } of rows.filter((one) => one.window === window.text)) {
            if (values.includes('__other__')) continue;
            const asked = question(by, values, { horizon, window: window.ms, measure: measures[m].canonical });
            world.exporter.history(asked);
            await world.exporter.historyRead();
            const { points, hoursTo = Number.NEGATIVE_INFINITY, isReading } = world.exporter.history(asked);
            expect(isReading).toBe(false);
            expect(points.map(({ at }) => at)).toEqual([...new Set(points.map(({ at }) => at))].sort((a, b) => a - b));
            const field = `${horizon}|${by.join()}|${values.join()}`;
            for (const { at, value } of points) {
              const isHour = at <= hoursTo;
              const from = at - (isHour ? HOUR : window.ms);
              expect(value).toBe(plainValue(world, field, isHour ? 'h' : 'm', { from, to: at, m }));
              if (isHour) hours++;
              else minutes++;
            }
            const starts = sumsStarts(READ);
            const shown = measureValue(measures[m], row.sums.slice(starts[m], starts[m + 1]));
            const cut = upTo - (HORIZONS.find(({ text }) => text === horizon)?.ms ?? 0);
            const newest = points.filter(({ at }) => at === Math.floor(cut / PANE) * PANE);
            expect(newest.map(({ value }) => value)).toEqual(shown === undefined ? [] : [shown]);
          }
        },
      ),
      { numRuns: 60 },
    );
    expect(minutes).toBeGreaterThan(30);
    expect(hours).toBeGreaterThan(30);
  });

  const out = Float64Array.from([2, 0.5, 0, 0, 0, 1, 1, 20, 0, 0, 2, 0.25, 0, 0, 0]);
  const lists = (ts: number): Closing[] =>
    HORIZONS.map(({ ms }, horizon) => ({
      at: ts + ms,
      ts,
      horizon,
      values: ['A', 'DE'],
      userless: false,
      bucket: ts % 7,
      leftOut: 0,
      positive: true,
      out,
      impression: ts,
      last: horizon === 2,
    }));
  const busy = Array.from({ length: 60 }, (_, i) => lists(2 * i))
    .flat()
    .sort((a, b) => a.at - b.at);

  it('of a process that has just begun is there at once, and its older hours a moment later', async () => {
    const world = worldOf([busy]);
    await world.units[0].close(120);
    await world.exporter.refresh();
    const first = world.exporter.history(question([], []));
    expect(first.isReading).toBe(true);
    expect(first.points.length).toBeGreaterThan(0);
    await world.exporter.historyRead();
    const then = world.exporter.history(question([], []));
    expect(then.isReading).toBe(false);
    expect(then.points.length).toBeGreaterThan(first.points.length);
    expect(then.points.at(0)?.at).toBe(HOUR);
  });

  it('asks the store for nothing but the rows of its cohort, and for each hour once', async () => {
    const world = worldOf([busy]);
    await world.units[0].close(120);
    await world.exporter.refresh();
    const asked: (readonly string[])[] = [];
    const inner = world.store.readFields.bind(world.store);
    world.store.readFields = (keys, fields) => {
      asked.push([...fields]);
      return inner(keys, fields);
    };
    for (let i = 0; i < 3; i++) {
      world.exporter.history(question([], []));
      world.exporter.history(question(['country'], ['DE']));
      await world.exporter.historyRead();
    }
    expect(asked).toEqual([['2ms||', '2ms|country|DE']]);
  });

  it('goes on without the hours of a store that does not answer, and asks again', async () => {
    const world = worldOf([busy]);
    await world.units[0].close(120);
    await world.exporter.refresh();
    const inner = world.store.readFields.bind(world.store);
    world.store.readFields = () => Promise.reject(new Error('gone'));
    world.exporter.history(question([], []));
    await world.exporter.historyRead();
    expect(world.exporter.history(question([], [])).isReading).toBe(true);
    await world.exporter.historyRead();
    world.store.readFields = inner;
    world.exporter.history(question([], []));
    await world.exporter.historyRead();
    expect(world.exporter.history(question([], [])).isReading).toBe(false);
  });

  it('forgets what it read of units that went back', async () => {
    const world = worldOf([busy]);
    await world.units[0].close(60);
    const before = world.store.snapshot();
    await world.units[0].close(120);
    await world.exporter.refresh();
    world.exporter.history(question([], []));
    await world.exporter.historyRead();
    world.store.restoreSnapshot(before);
    await world.units[0].claim();
    await world.exporter.refresh();
    expect(unitRows(world.store, panesSettings(0), 1)[0].watermark).toBe(60);
    const { points } = world.exporter.history(question([], []));
    expect(Math.max(...points.map(({ at }) => at))).toBeLessThanOrEqual(60);
  });

  it('has no points of a cohort or a measure that is not there', async () => {
    const world = worldOf([busy]);
    await world.units[0].close(120);
    await world.exporter.refresh();
    expect(world.exporter.history(question([], [], { measure: 'ap@3' })).points).toEqual([]);
    expect(world.exporter.history(question([], [], { horizon: '1d' })).points).toEqual([]);
    expect(world.exporter.history(question(['country'], ['XX'])).points).toEqual([]);
  });
});
