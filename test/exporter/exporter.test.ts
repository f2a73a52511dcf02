import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emptyRow, type RowShape, shapeOf } from '../../src/accumulators/row.ts';
import { rowCodec } from '../../src/accumulators/row-codec.ts';
import { paneKey, unitKey } from '../../src/accumulators/store/layout.ts';
import type { Fields, Store } from '../../src/accumulators/store/store-port.ts';
import { Exporter } from '../../src/exporter/exporter.ts';
import type { ExporterSettings, QualitySnapshot } from '../../src/exporter/exporter-contract.ts';
import { parseMeasures } from '../../src/measures/grammar/measure-name.ts';
import { anyHistory, type Closing, HORIZONS } from '../accumulators/histories.ts';
import { SHAPE } from '../accumulators/rows.ts';
import { RestorableStore } from '../restorable-store.ts';
import { runs } from '../runs.ts';
import { StoredUnit, unitRows } from '../stored-units.ts';
import { readWindow } from '../windows/plain-windows.ts';
import { unwatched } from './unwatched.ts';

const { measures } = parseMeasures(['mrr', 'ctr', 'ndcg@10'], { relevantFrom: 1 });
const OF_ITEMS = ['distinct', 'coverage@2', 'gini@3', 'entropy(exposure=log2)'];
const withItems = [...measures, ...parseMeasures(OF_ITEMS, { relevantFrom: 1 }).measures];
/** So few that some rows exceed it. */
const ITEMS_COUNTED = 4;
const RANKS = 3;
const SETS = [[], ['country'], ['country', 'variant']];
const CLUSTERED = [[], ['country']];
const HOUR = 40;

interface Shape {
  readonly paneSize: number;
  readonly lengths: readonly number[];
  readonly unitTimeout: number;
  /** Rows of some sets keep items. */
  readonly items?: boolean;
  /** As in `PanesSettings`. */
  readonly mostInCheckpoint?: number | undefined;
}

const anyShape: fc.Arbitrary<Shape> = fc.record({
  paneSize: fc.constantFrom(1, 4, 10),
  lengths: fc.constantFrom([1], [1, 3], [2, 3, 6]),
  unitTimeout: fc.constantFrom(3, 15, 60),
  items: fc.constantFrom(false, false, true),
  mostInCheckpoint: fc.constantFrom(undefined, 0, 1, 2),
});

function rowShape({ items }: Shape): RowShape {
  return items === true ? shapeOf(withItems, ITEMS_COUNTED, RANKS) : { ...SHAPE, ranks: RANKS };
}

function exporterSettings({ paneSize, lengths, unitTimeout, items }: Shape): ExporterSettings {
  return {
    measures: items === true ? withItems : measures,
    limits: { itemsCounted: ITEMS_COUNTED },
    positions: { ranks: RANKS },
    cohorts: SETS,
    experiments: [],
    statistics: { clustered: CLUSTERED },
    detect: unwatched(HORIZONS[0]),
    paneSize: { text: `${paneSize}ms`, ms: paneSize },
    windows: lengths.map((length) => ({ text: `${length * paneSize}ms`, ms: length * paneSize })),
    attribution: { horizons: HORIZONS, window: HORIZONS[HORIZONS.length - 1], unitTimeout },
  };
}

function panesSettings(shape: Shape, unit: number) {
  const { paneSize, lengths, unitTimeout, mostInCheckpoint } = shape;
  return {
    owner: { namespace: 'ns', unit, generation: '1' },
    paneSize,
    hour: HOUR,
    horizons: HORIZONS,
    dimensions: ['variant', 'country'],
    sets: SETS,
    clustered: CLUSTERED,
    shape: rowShape(shape),
    items: { sets: [[], ['country']], inTotals: false },
    positions: { sets: [['country']], inTotals: false, horizon: 1 },
    cohortsPerSet: 2,
    named: new Map([['country', ['FR']]]),
    takeover: { candidates: 2, ratio: 1 },
    mostInCheckpoint,
    keepMinutes: Math.max(...lengths) * paneSize + 9 + paneSize + unitTimeout,
    keepHours: 100,
    keepVectors: 100,
    totals: [],
    runs: [],
    closedUpTo: Number.NEGATIVE_INFINITY,
  };
}

/** What `readWindow` reads of everything in the store, in the words of a snapshot. */
function plainly(store: RestorableStore, shape: Shape, units: number): unknown {
  const all = unitRows(store, panesSettings(shape, 0), units);
  const codec = rowCodec(rowShape(shape));
  const settings = { paneSize: shape.paneSize, sets: SETS, unitTimeout: shape.unitTimeout };
  return HORIZONS.flatMap((horizon) =>
    exporterSettings(shape).windows.map((window) => {
      const { complete, rows } = readWindow(all, horizon, window.ms, settings);
      const hashes = [...Array(units).keys()].map((unit) => store.snapshot().get(unitKey('ns', unit)));
      const everyUnit = hashes.every((fields) => fields?.has('format'));
      return {
        horizon: horizon.text,
        window: window.text,
        complete: complete && everyUnit,
        rows: rows.map(({ by, values, row }) => [by, values, codec.encode(row)]),
      };
    }),
  );
}

function asPlain(snapshot: QualitySnapshot, shape: Shape): unknown {
  const codec = rowCodec(rowShape(shape));
  return snapshot.windows.map(({ horizon, window, complete }) => ({
    horizon,
    window,
    complete,
    rows: snapshot.rows
      .filter((row) => row.horizon === horizon && row.window === window)
      .map(({ by, values, row }) => [by, values, codec.encode(row)]),
  }));
}

/** Does something between the first and the second read after it was asked to. */
class BusyStore implements Store {
  readonly inner = new RestorableStore();
  between: (() => Promise<void>) | undefined;
  reads: (readonly string[])[] = [];
  claim = (unit: string, token: string) => this.inner.claim(unit, token);
  commit = (commit: Parameters<Store['commit']>[0]) => this.inner.commit(commit);
  async read(keys: readonly string[]): Promise<readonly Fields[]> {
    const answer = await this.inner.read(keys);
    this.reads.push(keys);
    const between = this.between;
    this.between = undefined;
    await between?.();
    return answer;
  }
}

class World {
  readonly store = new BusyStore();
  readonly shape: Shape;
  readonly units: readonly StoredUnit[];
  readonly exporter: Exporter;
  #generations = 0;

  constructor(shape: Shape, histories: readonly (readonly Closing[])[]) {
    this.shape = shape;
    this.units = histories.map(
      (history, unit) =>
        new StoredUnit(this.store.inner, panesSettings(shape, unit), history, unit === 2 ? 30 : undefined),
    );
    this.exporter = new Exporter(exporterSettings(shape), {
      store: this.store,
      namespace: 'ns',
      partitions: histories.length,
      hour: HOUR,
    });
  }

  async act({ what, unit, by }: Act): Promise<void> {
    const one = this.units[unit % this.units.length];
    const from = one.watermark === Number.NEGATIVE_INFINITY ? 0 : one.watermark;
    switch (what) {
      case 'close':
        return one.close(from + by);
      case 'claim':
        return one.claim();
      case 'generation':
        await one.claim(String(1 + ++this.#generations));
        return one.close(from + by);
      case 'rollback': {
        const before = this.store.inner.snapshot();
        for (const each of this.units) await each.close(each.watermark + by);
        this.store.inner.restoreSnapshot(before);
        for (const each of this.units) await each.claim();
      }
    }
  }

  async lost(): Promise<ReadonlyMap<string, string>> {
    return (await this.exporter.refresh()).lost?.keys ?? new Map();
  }

  plain(): unknown {
    return plainly(this.store.inner, this.shape, this.units.length);
  }
}

interface Act {
  readonly what: 'close' | 'claim' | 'generation' | 'rollback';
  readonly unit: number;
  readonly by: number;
}

const anyAct: fc.Arbitrary<Act> = fc.record({
  what: fc.constantFrom('close', 'close', 'close', 'close', 'close', 'close', 'claim', 'generation', 'rollback'),
  unit: fc.nat(2),
  by: fc.integer({ min: 1, max: 25 }),
});

const histories = fc.array(anyHistory, { minLength: 1, maxLength: 3 });

describe('an exporter', () => {
  it('shows what a plain sum over all panes shows, whatever the units do and however often it looks', async () => {
    let shown = 0;
    await fc.assert(
      fc.asyncProperty(
        anyShape,
        histories,
        fc.array(fc.tuple(anyAct, fc.boolean()), { minLength: 5, maxLength: 40 }),
        async (shape, all, acts) => {
          const world = new World(shape, all);
          for (const [act, looks] of acts) {
            await world.act(act);
            if (!looks) continue;
            const snapshot = await world.exporter.refresh();
            shown += snapshot.rows.length;
            expect(asPlain(snapshot, shape)).toEqual(world.plain());
          }
          expect(asPlain(await world.exporter.refresh(), shape)).toEqual(world.plain());
          expect(await world.lost()).toEqual(new Map());
        },
      ),
      { numRuns: runs(40) },
    );
    expect(shown).toBeGreaterThan(450);
  });

  it('never shows a mixture when a unit moves, changes hands, goes back or starts over while it reads', async () => {
    let during = 0;
    await fc.assert(
      fc.asyncProperty(
        anyShape,
        histories,
        fc.array(fc.tuple(anyAct, anyAct), { minLength: 3, maxLength: 15 }),
        async (shape, all, acts) => {
          const world = new World(shape, all);
          for (const [act, between] of acts) {
            await world.act(act);
            const before = world.plain();
            world.store.between = () => world.act(between);
            const snapshot = asPlain(await world.exporter.refresh(), shape);
            const after = world.plain();
            if (JSON.stringify(before) !== JSON.stringify(after)) during++;
            expect([JSON.stringify(before), JSON.stringify(after)]).toContain(JSON.stringify(snapshot));
          }
          expect((await world.exporter.refresh()).lost?.found).toBe(0);
        },
      ),
      { numRuns: runs(40) },
    );
    expect(during).toBeGreaterThan(45);
  });

  const SHAPE_10: Shape = { paneSize: 10, lengths: [2, 3], unitTimeout: 50 };
  const out = Float64Array.from([2, 0.5, 0, 0, 0, 1, 1, 20, 0, 0, 2, 0.25, 0, 0, 0]);
  const at = (ts: number): Closing[] =>
    HORIZONS.map(({ ms }, horizon) => ({
      at: ts + ms,
      ts,
      horizon,
      values: ['A', 'DE'],
      userless: false,
      bucket: 0,
      leftOut: 0,
      positive: true,
      out,
      impression: ts,
      last: horizon === 2,
    }));

  it('shows before anything was stored that nothing is complete', async () => {
    const { exporter } = new World(SHAPE_10, [[], []]);
    const snapshot = await exporter.refresh();
    expect(snapshot.rows).toEqual([]);
    expect(snapshot.resultTimes).toEqual(new Map());
    expect(snapshot.impressions).toBe(0);
    expect(snapshot.windows.map(({ horizon, window, complete }) => `${horizon} ${window} ${complete}`)).toEqual([
      '2ms 20ms false',
      '2ms 30ms false',
      '5ms 20ms false',
      '5ms 30ms false',
      '9ms 20ms false',
      '9ms 30ms false',
    ]);
  });

  it('does not wait for a unit that does not exist yet, and calls no window complete without it', async () => {
    const world = new World(SHAPE_10, [at(5), []]);
    await world.units[0].close(100);
    await world.units[1].claim();
    const first = await world.exporter.refresh();
    expect(first.windows.some(({ complete }) => complete)).toBe(false);
    expect(first.resultTimes).toEqual(new Map(HORIZONS.map(({ text }) => [text, 10])));
    await world.units[1].close(100);
    expect((await world.exporter.refresh()).windows.every(({ complete }) => complete)).toBe(true);
  });

  describe('of a store that has lost rows', () => {
    const every10 = [5, 15, 25, 35, 45, 55].flatMap(at).sort((a, b) => a.at - b.at);
    const minutes = (n: number): string => paneKey({ namespace: 'ns', unit: 1, generation: '1' }, 'm', 10 * n);
    const lose = async (world: World, key: string, rows?: (rows: Fields) => Fields): Promise<void> => {
      const stored = new Map(world.store.inner.snapshot());
      const before = stored.get(key);
      if (before === undefined) throw new Error(`${key} is not stored`);
      if (rows === undefined) stored.delete(key);
      else stored.set(key, rows(before));
      world.store.inner.restoreSnapshot(stored);
    };
    const contradicting = (rows: Fields): Fields =>
      new Map([...rows].map(([field, text]) => [field, text.replace(/"positives":\d+/, '"positives":77')]));

    it.each([
      ['deleted', undefined, /^gone$/],
      ['altered', contradicting, /^row\.positives: 77 of 1 lists$/],
    ] as const)(
      'shows the windows that need a pane that was %s as incomplete, and those after it as complete',
      async (_, how, why) => {
        const world = new World(SHAPE_10, [every10, every10]);
        for (const unit of world.units) await unit.close(48);
        await lose(world, minutes(2), how);
        const complete = async (): Promise<readonly (readonly [string, boolean])[]> =>
          (await world.exporter.refresh()).windows.map(({ horizon, window, complete }) => [
            `${horizon} ${window}`,
            complete,
          ]);
        // At 2 and 5 ms the cut is 40, at 9 ms it is 30.
        expect(await complete()).toEqual([
          ['2ms 20ms', false],
          ['2ms 30ms', false],
          ['5ms 20ms', false],
          ['5ms 30ms', false],
          ['9ms 20ms', false],
          ['9ms 30ms', false],
        ]);
        expect([...(await world.lost())]).toEqual([[minutes(2), expect.stringMatching(why)]]);
        for (const unit of world.units) await unit.close(58);
        expect((await complete()).map(([, is]) => is)).toEqual([true, false, true, false, false, false]);
        for (const unit of world.units) await unit.close(78);
        expect((await complete()).map(([, is]) => is)).toEqual([true, true, true, true, true, true]);
        expect((await world.exporter.refresh()).lost?.found).toBe(1);
      },
    );

    it('says when such windows are complete again', async () => {
      const world = new World(SHAPE_10, [every10, every10]);
      for (const unit of world.units) await unit.close(48);
      await lose(world, minutes(2));
      const [{ completeAt }] = (await world.exporter.refresh()).windows;
      expect(completeAt).toBe(30 + 20 + 2);
    });

    it('finds an hour that is gone, and calls no window complete that may reach into it', async () => {
      const world = new World(SHAPE_10, [every10, every10]);
      for (const unit of world.units) await unit.close(48);
      const hour = paneKey({ namespace: 'ns', unit: 0, generation: '1' }, 'h', 0);
      await lose(world, hour);
      expect((await world.exporter.refresh()).windows.some(({ complete }) => complete)).toBe(false);
      expect(await world.lost()).toEqual(new Map([[hour, 'gone']]));
    });

    it('takes back what it found when a unit goes back to a state that has the rows', async () => {
      const world = new World(SHAPE_10, [every10, every10]);
      for (const unit of world.units) await unit.close(47);
      const before = world.store.inner.snapshot();
      for (const unit of world.units) await unit.close(48);
      await lose(world, minutes(2));
      await world.exporter.refresh();
      world.store.inner.restoreSnapshot(before);
      expect((await world.exporter.refresh()).windows.map(({ complete }) => complete)).toContain(true);
      expect(await world.lost()).toEqual(new Map());
    });

    it('does not take a pane for lost that its owner has deleted meanwhile, or whose unit has begun another generation', async () => {
      for (const what of ['late', 'generation'] as const) {
        const world = new World(SHAPE_10, [every10, every10]);
        for (const unit of world.units) await unit.close(48);
        world.store.between = async () => {
          // After the units' hashes were read, before their panes are.
          if (what === 'generation') await world.act({ what, unit: 0, by: 1 });
          else for (const unit of world.units) await unit.close(500);
        };
        await world.exporter.refresh();
        expect(await world.lost()).toEqual(new Map());
      }
    });
  });

  it('names the end of the newest pane that is final, by horizon', async () => {
    const world = new World(SHAPE_10, [[...at(5), ...at(15), ...at(25)].sort((a, b) => a.at - b.at)]);
    await world.units[0].close(24);
    const { resultTimes, impressions } = await world.exporter.refresh();
    expect(resultTimes).toEqual(
      new Map([
        ['2ms', 20],
        ['5ms', 10],
        ['9ms', 10],
      ]),
    );
    expect(impressions).toBe(2);
  });

  it('reads a sealed pane once per horizon, and nothing but the hashes while nothing is sealed', async () => {
    const world = new World(SHAPE_10, [[...at(5), ...at(15)].sort((a, b) => a.at - b.at)]);
    await world.units[0].close(19);
    await world.exporter.refresh();
    const before = await world.exporter.refresh();
    world.store.reads = [];
    expect((await world.exporter.refresh()).rows).toBe(before.rows);
    expect(world.store.reads).toEqual([['receval:{ns:0}:unit']]);
    await world.units[0].close(21);
    world.store.reads = [];
    expect((await world.exporter.refresh()).rows).toBe(before.rows);
    expect(world.store.reads).toHaveLength(1);
    await world.units[0].close(22);
    world.store.reads = [];
    await world.exporter.refresh();
    expect(world.store.reads).toEqual([
      ['receval:{ns:0}:unit'],
      ['receval:{ns:0}:1:pane:m:10'],
      ['receval:{ns:0}:unit'],
      // The windows moved: the hour that they overlap is read as it is.
      ['receval:{ns:0}:1:vector:h:0', 'receval:{ns:0}:1:pane:h:0'],
      ['receval:{ns:0}:unit'],
    ]);
  });

  it('hides a cohort by name as soon as a unit that does not know it has folded into the window', async () => {
    const of = (country: string, ts: number, from = 0): Closing[] =>
      at(ts)
        .filter(({ horizon }) => horizon >= from)
        .map((closing) => ({ ...closing, values: ['A', country] }));
    const known = [...of('FR', 15), ...of('IT', 15)].sort((a, b) => a.at - b.at);
    const world = new World(SHAPE_10, [of('DE', 15), [...known, ...of('ES', 22, 2)]]);
    const countries = async (): Promise<readonly string[]> =>
      (await world.exporter.refresh()).rows
        .filter(({ by, horizon, window }) => by.length === 1 && horizon === '2ms' && window === '20ms')
        .map(({ values }) => values[0]);
    await world.units[0].close(30);
    await world.units[1].close(30);
    expect(await countries()).toEqual(['DE', 'FR', 'IT']);
    await world.units[1].close(31);
    expect(await countries()).toEqual(['FR', 'IT', '__other__']);
    expect(asPlain(await world.exporter.refresh(), world.shape)).toEqual(world.plain());
  });

  it('answers one and the same refresh to all who ask meanwhile', async () => {
    const world = new World(SHAPE_10, [at(5)]);
    await world.units[0].close(50);
    const [one, other] = await Promise.all([world.exporter.refresh(), world.exporter.refresh()]);
    expect(one).toBe(other);
  });

  it('gives up, and says so, when a unit changes hands at every look; the next refresh succeeds', async () => {
    const world = new World(SHAPE_10, [at(5)]);
    await world.units[0].close(25);
    const again = async (): Promise<void> => {
      await world.units[0].claim();
      world.store.between = again;
    };
    world.store.between = again;
    await expect(world.exporter.refresh()).rejects.toThrow(/namespace "ns" changed hands .* 5 times in a row/);
    world.store.between = undefined;
    expect(asPlain(await world.exporter.refresh(), world.shape)).toEqual(world.plain());
  });

  it('names the unit that it cannot read', async () => {
    const world = new World(SHAPE_10, [[], at(5)]);
    await world.units[1].close(50);
    const damaged = new Map([...world.store.inner.snapshot()].map(([key, fields]) => [key, new Map(fields)]));
    damaged.get('receval:{ns:1}:unit')?.set('format', '99');
    world.store.inner.restoreSnapshot(damaged);
    await expect(world.exporter.refresh()).rejects.toThrow(/^unit 1: .*format version 99/);
  });

  it('leaves out measures that the rows lack', async () => {
    const world = new World(SHAPE_10, [at(5)]);
    await world.units[0].close(15);
    const more = parseMeasures(['ndcg@10', 'mrr', 'hit@3'], { relevantFrom: 1 }).measures;
    const exporter = new Exporter(
      { ...exporterSettings(SHAPE_10), measures: more },
      { store: world.store, namespace: 'ns', partitions: 1 },
    );
    const [first] = (await exporter.refresh()).rows;
    const row = emptyRow({ names: ['a', 'b', 'c'], kinds: ['mean', 'mean', 'mean'] });
    row.impressions = row.positives = row.empty = 1;
    row.sums.splice(0, 8, 1, 1, 250_000_000, 62_500_000, 1, 1, 500_000_000, 250_000_000);
    expect(first).toEqual({
      horizon: '2ms',
      window: '20ms',
      by: [],
      values: [],
      row,
      stderrs: first.stderrs,
    });
    expect(first.stderrs).toEqual([{ absent: 'few_users' }, { absent: 'few_users' }, { absent: 'no_data' }]);
  });

  describe('that has another configuration than a partition was stored under', () => {
    const OURS = { shape: '{"grades":1}', additive: '["measure mrr","cohorts ","experiment e"]' };

    /** Two partitions, and an exporter that knows which configuration it has. */
    async function mixed(second: typeof OURS): Promise<{ readonly world: World; readonly exporter: Exporter }> {
      const world = new World(SHAPE_10, [at(5), at(5)]);
      world.units[0].fingerprint = OURS;
      world.units[1].fingerprint = second;
      for (const unit of world.units) await unit.close(45);
      const store = { store: world.store, namespace: 'ns', partitions: 2, hour: HOUR, fingerprint: OURS };
      return { world, exporter: new Exporter(exporterSettings(SHAPE_10), store) };
    }

    const seen = ({ windows, rows }: QualitySnapshot) => ({
      complete: windows.some(({ complete }) => complete),
      lists: rows.find(({ by }) => by.length === 0)?.row.impressions,
    });

    it('shows it as complete if it has all that is shown, and more', async () => {
      const more = { ...OURS, additive: '["measure mrr","measure hit@1","cohorts ","cohorts surface"]' };
      const { exporter } = await mixed(more);
      expect(seen(await exporter.refresh())).toEqual({ complete: true, lists: 2 });
      expect(exporter.misfits).toEqual([
        { changed: [], missing: [] },
        { changed: [], missing: [] },
      ]);
    });

    it('lacks what it was stored without, until its worker has it; all else is complete', async () => {
      const { world, exporter } = await mixed({ ...OURS, additive: '["measure mrr"]' });
      const lacking = await exporter.refresh();
      expect(seen(lacking)).toEqual({ complete: true, lists: 2 });
      expect(lacking.windows.map(({ lacks }) => lacks)).toEqual(lacking.windows.map(() => ['cohorts ']));
      expect(exporter.misfits[1]).toEqual({ changed: [], missing: ['cohorts '] });
      world.units[1].fingerprint = OURS;
      for (const unit of world.units) await unit.close(46);
      expect((await exporter.refresh()).windows.flatMap(({ lacks }) => lacks)).toEqual([]);
      expect(seen(await exporter.refresh())).toEqual({ complete: true, lists: 2 });
      expect(exporter.misfits[1]).toEqual({ changed: [], missing: [] });
    });

    it('shows nothing as complete when its worker knows more partitions than were there at our start', async () => {
      const { world, exporter } = await mixed(OURS);
      expect(seen(await exporter.refresh())).toEqual({ complete: true, lists: 2 });
      expect(exporter.partitionsStored).toBe(1);
      for (const unit of world.units) unit.partitions = 3;
      for (const unit of world.units) await unit.close(46);
      expect(seen(await exporter.refresh())).toEqual({ complete: false, lists: 2 });
      expect(exporter.partitionsStored).toBe(3);
    });

    it('does not show rows of another meaning, and says what differs', async () => {
      const { world, exporter } = await mixed({ ...OURS, shape: '{"grades":2}' });
      expect(seen(await exporter.refresh())).toEqual({ complete: false, lists: 1 });
      expect(exporter.misfits[1]).toEqual({ changed: ['grades: stored 2, now 1'], missing: [] });
      expect(exporter.nothingStored).toBeUndefined();
      world.units[1].fingerprint = OURS;
      for (const unit of world.units) await unit.close(46);
      expect(seen(await exporter.refresh())).toEqual({ complete: true, lists: 2 });
    });
  });
});
