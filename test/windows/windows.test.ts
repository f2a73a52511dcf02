import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ItemSums } from '../../src/accumulators/item-sums.ts';
import { Panes } from '../../src/accumulators/panes.ts';
import { type PanesSettings, parsePanesState } from '../../src/accumulators/panes-settings.ts';
import { PositionSums } from '../../src/accumulators/position-sums.ts';
import { emptyRow, type Row } from '../../src/accumulators/row.ts';
import { rowCodec } from '../../src/accumulators/row-codec.ts';
import { paneKey, SINCE_START, totalKey } from '../../src/accumulators/store/layout.ts';
import { cutOf } from '../../src/windows/windows.ts';
import { anyHistory, anySettings, type Closing, HORIZONS } from '../accumulators/histories.ts';
import { listOf, placesOf } from '../accumulators/lists.ts';
import { ITEMS, shownOf } from '../accumulators/plain-items.ts';
import { scored } from '../accumulators/plain-panes.ts';
import { addToVector, type PlainVector, vectorText } from '../accumulators/plain-vectors.ts';
import { mergeRows, SHAPE } from '../accumulators/rows.ts';
import { wholeTables } from '../accumulators/whole-tables.ts';
import { runs } from '../runs.ts';
import { readTotal, readWindow, type UnitRows, type WindowRows } from './plain-windows.ts';

const NEVER = Number.NEGATIVE_INFINITY;

/** What a unit has stored when it has closed everything up to `watermark`. */
function unitOf(settings: PanesSettings, history: readonly Closing[], watermark: number): UnitRows {
  const panes = new Panes(settings);
  for (const { at, ts, horizon, values, userless, positive, out, bucket, items, places } of history) {
    const shown = items === undefined ? undefined : shownOf(items);
    const tag = panes.cohorts.tag(values);
    const list = listOf(places?.slots ?? []);
    panes.add({ at, ts, horizon, tag, userless, bucket, list }, positive, out, {
      items: shown,
      positives: placesOf(places?.positives ?? []),
    });
  }
  panes.advance(watermark);
  const { rows } = panes.takeChanges();
  const codec = rowCodec(settings.shape);
  function read(key: string): ReadonlyMap<string, Row> | undefined {
    const fields = rows.get(key);
    return fields && new Map([...fields].map(([field, text]) => [field, codec.decode(text)] as const));
  }
  return {
    watermark,
    admission: wholeTables(parsePanesState(panes.stateText()).admission, settings.owner, (key) => rows.get(key)),
    incompleteBefore: NEVER,
    pane: (start) => read(paneKey(settings.owner, 'm', start)),
    total: (name) => read(totalKey(settings.owner, name, SINCE_START)),
  };
}

/** The sum of the lists that belong to a cohort. */
function sumOf(
  settings: PanesSettings,
  lists: readonly Closing[],
  by: readonly string[],
  values: readonly string[],
  of = by,
): Row {
  return lists
    .filter((list) => by.every((name, i) => list.values[settings.dimensions.indexOf(name)] === values[i]))
    .map(({ userless, positive, out, items, places, horizon }) => {
      const row = scored(settings.shape, userless, positive, out, (places?.slots ?? []).length === 0);
      if (items !== undefined && settings.items?.sets.some((set) => set.join() === of.join()) === true) {
        row.items = new ItemSums(ITEMS);
        row.items.add(shownOf(items));
      }
      const { positions } = settings;
      const isPlaced = positions?.horizon === horizon && positions.sets.some((set) => set.join() === of.join());
      const ranks = settings.shape.ranks ?? 0;
      if (isPlaced && places?.slots.some((rank) => rank <= ranks) === true) {
        row.positions = new PositionSums(ranks);
        row.positions.add(listOf(places.slots), placesOf(places.positives));
      }
      return row;
    })
    .reduce(mergeRows, emptyRow(settings.shape));
}

function expectSums(settings: PanesSettings, lists: readonly Closing[], window: Pick<WindowRows, 'rows'>): void {
  const codec = rowCodec(settings.shape);
  const rows = window.rows.map((one) => ({ ...one, row: { ...one.row, vector: undefined } }));
  for (const { by, values, row } of rows) {
    if (!values.includes('__other__')) {
      expect([by, values, codec.encode(row)]).toEqual([by, values, codec.encode(sumOf(settings, lists, by, values))]);
    }
  }
  for (const by of settings.sets) {
    const all = rows.filter((one) => one.by === by).map(({ row }) => row);
    expect(codec.encode(all.reduce(mergeRows, emptyRow(settings.shape)))).toBe(
      codec.encode(sumOf(settings, lists, [], [], by)),
    );
  }
}

const units = fc.array(fc.tuple(anyHistory, fc.integer({ min: 0, max: 12 })), { minLength: 1, maxLength: 3 });

describe('a window', () => {
  it('shows whole sums of all units, and never a part of a cohort by name', () => {
    let named = 0;
    let other = 0;
    fc.assert(
      fc.property(anySettings, units, fc.nat(2), fc.integer({ min: 1, max: 4 }), (some, histories, h, panes) => {
        const length = panes * some.paneSize;
        const settings = { ...some, keepMinutes: length + 9 + 3 * some.paneSize + 12, cohortsPerSet: 1 };
        const end = Math.max(0, ...histories.flatMap(([history]) => history.map(({ at }) => at)));
        const rows = histories.map(([history, ahead]) => unitOf(settings, history, end + ahead));
        const window = readWindow(rows, HORIZONS[h], length, { ...settings, unitTimeout: 20 });
        expect(window.end - window.start).toBe(length);
        expect(window.complete).toBe(true);
        const lists = histories.flatMap(([history]) =>
          history.filter(({ ts, horizon }) => horizon === h && ts >= window.start && ts < window.end),
        );
        if (lists.length === 0) expect(window.rows).toEqual([]);
        expectSums(settings, lists, window);
        for (const { values } of window.rows) {
          if (values.includes('__other__')) other++;
          else if (values.length > 0) named++;
        }
      }),
      { numRuns: runs(250) },
    );
    expect(Math.min(named, other)).toBeGreaterThan(8);
  });

  it('ends at the last pane that is final in the slowest unit', () => {
    const [unit, slower] = [empty(10_000), empty(9_999)];
    expect(cutOf([unit], MINUTE, 100)).toBe(9_940);
    expect(cutOf([unit, slower], MINUTE, 100)).toBe(9_939);
    expect(readWindow([unit, slower], MINUTE, 300, { paneSize: 100, sets: [[]], unitTimeout: 100 })).toEqual({
      start: 9_600,
      end: 9_900,
      complete: true,
      rows: [],
    });
  });

  it.each([
    [9_901, 9_841, true],
    [9_900, 9_840, true],
    [9_899, 9_940, false],
  ])('beside a unit at 10000, one at %d: cut %d, complete %j', (watermark, cut, complete) => {
    const pair = [empty(10_000), empty(watermark)];
    expect(cutOf(pair, MINUTE, 100)).toBe(cut);
    expect(readWindow(pair, MINUTE, 300, { paneSize: 100, sets: [[]], unitTimeout: 100 }).complete).toBe(complete);
  });

  it('takes of a unit that is behind the panes that are final in it', () => {
    const row = { ...emptyRow(SHAPE), impressions: 1 };
    const pane = (): ReadonlyMap<string, Row> => new Map([['60ms||', row]]);
    const window = readWindow([empty(10_000), { ...empty(9_760), pane }], MINUTE, 300, {
      paneSize: 100,
      sets: [[]],
      unitTimeout: 100,
    });
    expect(window.rows).toEqual([{ by: [], values: [], row }]);
    expect(
      readWindow([empty(10_000), { ...empty(9_759), pane }], MINUTE, 300, {
        paneSize: 100,
        sets: [[]],
        unitTimeout: 100,
      }).rows,
    ).toEqual([]);
  });

  it.each([
    [9_599, true],
    [9_600, true],
    [9_601, false],
  ])('that starts at 9600 with something missing before %d is complete: %j', (incompleteBefore, complete) => {
    const unit = { ...empty(10_000), incompleteBefore };
    expect(readWindow([unit], MINUTE, 300, { paneSize: 100, sets: [[]], unitTimeout: 100 }).complete).toBe(complete);
  });

  it('is empty and incomplete before anything was seen', () => {
    const window = readWindow([empty(NEVER)], MINUTE, 300, { paneSize: 100, sets: [[]], unitTimeout: 100 });
    expect(window.complete).toBe(false);
    expect(window.rows).toEqual([]);
    expect(cutOf([], MINUTE, 100)).toBe(NEVER);
  });
});

describe('a total', () => {
  it('shows whole sums of all units since the start', () => {
    fc.assert(
      fc.property(anySettings, units, fc.nat(2), (some, histories, h) => {
        const settings = {
          ...some,
          totals: ['all'],
          items: some.items && { ...some.items, inTotals: true },
          positions: some.positions && { ...some.positions, inTotals: true },
        };
        const rows = histories.map(([history]) => unitOf(settings, history, 200));
        const total = { rows: readTotal(rows, HORIZONS[h], 'all', settings.sets) };
        expectSums(
          settings,
          histories.flatMap(([history]) => history.filter(({ horizon }) => horizon === h)),
          total,
        );
        for (const { by, row } of total.rows) {
          if (by.length > 0) continue;
          const sums: PlainVector = new Map();
          for (const { horizon, bucket, positive, out, places } of histories.flatMap(([history]) => history)) {
            const isEmpty = (places?.slots ?? []).length === 0;
            if (horizon === h) addToVector(sums, settings.shape, bucket, positive, out, isEmpty);
          }
          expect(JSON.stringify(JSON.parse(rowCodec(settings.shape).encode(row)).vector)).toBe(
            vectorText(sums, settings.shape, 256),
          );
        }
      }),
    );
  });
});

const MINUTE = { text: '60ms', ms: 60 };

function empty(watermark: number): UnitRows {
  return {
    watermark,
    admission: [],
    incompleteBefore: NEVER,
    pane: () => undefined,
    total: () => undefined,
  };
}
