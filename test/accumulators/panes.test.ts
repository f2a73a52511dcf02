import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fixed } from '../../src/accumulators/exact.ts';
import { Panes } from '../../src/accumulators/panes.ts';
import {
  liveKeys,
  type PanesSettings,
  type PanesState,
  parsePanesState,
} from '../../src/accumulators/panes-settings.ts';
import { rowCodec } from '../../src/accumulators/row-codec.ts';
import { WITH_POSITIVE, WITHOUT_POSITIVE } from '../../src/measures/sums.ts';
import { runs } from '../runs.ts';
import { anyHistory, anySettings } from './histories.ts';
import { listOf } from './lists.ts';
import { PanesWorker } from './panes-worker.ts';
import { PlainPanes } from './plain-panes.ts';

const step = fc.record({
  what: fc.constantFrom('nothing', 'advance', 'commit', 'restart', 'take'),
  part: fc.double({ min: 0, max: 1, noNaN: true }),
});

describe('panes', () => {
  it('give the rows, tables and deletions of adding every list to every row, however they commit and restart', () => {
    fc.assert(
      fc.property(
        anySettings,
        anyHistory,
        fc.array(step, { minLength: 1, maxLength: 40 }),
        fc.nat(60),
        (settings, history, steps, rest) => {
          const plain = new PlainPanes(settings);
          const worker = new PanesWorker(settings);
          let before = -1;
          history.forEach((closing, i) => {
            const { what, part } = steps[i % steps.length];
            if (what === 'take') worker.commit();
            else if (what !== 'nothing' && closing.at > before) {
              worker.advance(before + Math.floor(part * (closing.at - before - 1)));
              if (what === 'commit') worker.commit();
              if (what === 'restart') worker.restart();
            }
            before = closing.at;
            plain.add(closing);
            worker.add(closing);
          });
          plain.advance(before + rest);
          worker.advance(before + rest);
          const state = worker.commit();
          expect(state).toEqual(plain.state());
          expect(sorted(worker.stored)).toEqual(sorted(plain.rows()));
          expect(worker.deletes.sort()).toEqual(plain.deletes.sort());
        },
      ),
      { numRuns: runs(250) },
    );
  });

  it('are exact over many large values in one cell', () => {
    const panes = new Panes(SETTINGS);
    const tag = panes.cohorts.tag([]);
    const value = 1048.5760000009;
    for (let i = 0; i < 20_000; i++)
      panes.add(
        { at: 10, ts: 0, horizon: 0, tag, userless: false, bucket: 7 },
        true,
        Float64Array.of(WITH_POSITIVE, value, 0),
      );
    const text = panes.takeChanges().rows.get('receval:{ns:0}:g:pane:m:0')?.get('10ms||') ?? '';
    const sums = rowCodec(SETTINGS.shape).decode(text).sums.map(BigInt);
    expect(sums).toEqual([20_000n, 20_000n, BigInt(fixed(value)) * 20_000n, BigInt(fixed(value * value)) * 20_000n]);
  });

  it('count empty lists, but not empty pages behind the first', () => {
    const panes = new Panes(SETTINGS);
    const tag = panes.cohorts.tag([]);
    for (const list of [listOf([1, 2]), listOf([]), { ...listOf([]), pageOffset: 10 }, listOf([])]) {
      const closed = { at: 10, ts: 0, horizon: 0, tag, userless: false, bucket: 7, list };
      panes.add(closed, false, Float64Array.of(WITHOUT_POSITIVE, 0, 0));
    }
    expect(panes.takeChanges().rows.get('receval:{ns:0}:g:pane:m:0')?.get('10ms||')).toBe(
      '{"impressions":4,"positives":0,"userless":0,"empty":2,"measures":{"dcg":[4,0,0,0]}}',
    );
  });

  it('tell only what changed since they were asked before', () => {
    const panes = new Panes(SETTINGS);
    const tag = panes.cohorts.tag([]);
    panes.add(
      { at: 10, ts: 0, horizon: 0, tag, userless: false, bucket: 7 },
      true,
      Float64Array.of(WITH_POSITIVE, 1, 0),
    );
    expect([...panes.takeChanges().rows.keys()]).toEqual(['receval:{ns:0}:g:pane:m:0', 'receval:{ns:0}:g:pane:h:0']);
    expect(panes.takeChanges()).toEqual({ rows: new Map(), stored: new Set(), deletes: [], removes: new Map() });
    panes.add(
      { at: 1010, ts: 1000, horizon: 0, tag, userless: false, bucket: 7 },
      true,
      Float64Array.of(WITH_POSITIVE, 1, 0),
    );
    const { rows } = panes.takeChanges();
    expect([...rows.keys()]).toEqual(['receval:{ns:0}:g:pane:m:1000', 'receval:{ns:0}:g:pane:h:0']);
    expect(rows.get('receval:{ns:0}:g:pane:h:0')?.get('10ms||')).toContain('"impressions":2');
  });

  it.each([
    [1019, 0],
    [1020, 1],
    [1021, 1],
  ])('that end at 1000 and are kept for 20 are deleted by %d: %d', (watermark, deleted) => {
    const panes = new Panes(SETTINGS);
    panes.add(
      { at: 10, ts: 0, horizon: 0, tag: panes.cohorts.tag([]), userless: false, bucket: 7 },
      true,
      new Float64Array(3),
    );
    panes.takeChanges();
    panes.advance(watermark);
    expect(panes.takeChanges().deletes).toHaveLength(deleted);
  });

  it.each([
    [1009, ['receval:{ns:0}:g:pane:m:0', 'receval:{ns:0}:g:pane:h:0', 'receval:{ns:0}:g:vector:h:0']],
    [1010, ['receval:{ns:0}:g:pane:h:0', 'receval:{ns:0}:g:vector:h:0']],
    [10_009, ['receval:{ns:0}:g:pane:h:0', 'receval:{ns:0}:g:vector:h:0']],
    [10_010, []],
  ])('that can still change after %d are %j', (watermark, keys) => {
    const state: PanesState = { minutes: [[0, 1]], hours: [[0, 1]], admission: [] };
    expect(liveKeys(SETTINGS, state, watermark)).toEqual(keys);
  });

  it('hold no tag of what can change no more', () => {
    const panes = new Panes(SETTINGS);
    const tag = panes.cohorts.tag([]);
    panes.add({ at: 10, ts: 0, horizon: 0, tag, userless: false, bucket: 7 }, true, new Float64Array(3));
    panes.cohorts.unref(tag);
    panes.takeChanges();
    expect(panes.cohorts.bytes).toBeGreaterThan(0);
    panes.advance(1010);
    panes.takeChanges();
    expect(panes.cohorts.bytes).toBe(0);
  });

  it('ask again where a cohort goes when a place became free while its pane is open', () => {
    const settings: PanesSettings = { ...SETTINGS, dimensions: ['variant'], sets: [['variant']], keepMinutes: 100 };
    const panes = new Panes(settings);
    const [a, b] = [panes.cohorts.tag(['A']), panes.cohorts.tag(['B'])];
    panes.add({ at: 910, ts: 900, horizon: 0, tag: a, userless: false, bucket: 7 }, true, new Float64Array(3));
    panes.add({ at: 1059, ts: 1049, horizon: 0, tag: b, userless: false, bucket: 7 }, true, new Float64Array(3));
    panes.add({ at: 1099, ts: 1089, horizon: 0, tag: b, userless: false, bucket: 7 }, true, new Float64Array(3));
    panes.add({ at: 1100, ts: 1090, horizon: 0, tag: b, userless: false, bucket: 7 }, true, new Float64Array(3));
    const { rows, deletes } = panes.takeChanges();
    expect(deletes).toEqual(['receval:{ns:0}:g:pane:m:0']);
    const pane = rows.get('receval:{ns:0}:g:pane:m:1000');
    expect(pane?.get('10ms|variant|__other__')).toContain('"impressions":2');
    expect(pane?.get('10ms|variant|B')).toContain('"impressions":1');
    expect(parsePanesState(panes.stateText()).admission[0]).toMatchObject({ entries: [['B', 2000, 2000]] });
  });

  it('refuse a list that closes after its pane was settled', () => {
    const panes = new Panes({ ...SETTINGS, closedUpTo: 5000 });
    expect(() =>
      panes.add(
        { at: 10, ts: 0, horizon: 0, tag: panes.cohorts.tag([]), userless: false, bucket: 7 },
        true,
        new Float64Array(3),
      ),
    ).toThrow('out of order');
  });

  it('refuse to be kept for less than the longest horizon', () => {
    expect(() => new Panes({ ...SETTINGS, keepMinutes: 9 })).toThrow('longest horizon (10 ms)');
    expect(() => new Panes({ ...SETTINGS, keepHours: 9 })).toThrow('longest horizon (10 ms)');
  });

  it('refuse vectors that outlive their hour panes, and those of sets that are none', () => {
    expect(() => new Panes({ ...SETTINGS, keepVectors: 9 })).toThrow('longest horizon (10 ms)');
    expect(() => new Panes({ ...SETTINGS, keepVectors: 21 })).toThrow('kept longer');
    expect(() => new Panes({ ...SETTINGS, clustered: [['variant']] })).toThrow('[variant] is none');
  });

  it.each([
    [10_019, ['receval:{ns:0}:g:pane:m:0']],
    [10_020, ['receval:{ns:0}:g:pane:m:0', 'receval:{ns:0}:g:vector:h:0']],
    [10_021, ['receval:{ns:0}:g:pane:m:0', 'receval:{ns:0}:g:vector:h:0']],
  ])('delete the vectors of an hour that ends at 10 000 and is kept for 20 by %d: %j', (watermark, deletes) => {
    const panes = new Panes({ ...SETTINGS, clustered: [[]], keepHours: 40 });
    panes.add(
      { at: 10, ts: 0, horizon: 0, tag: panes.cohorts.tag([]), userless: false, bucket: 200 },
      true,
      Float64Array.of(WITH_POSITIVE, 0.5, 0),
    );
    expect(panes.takeChanges().rows.get('receval:{ns:0}:g:vector:h:0')?.get('10ms||')).toBe(
      '{"buckets":64,"filled":[8],"n":[1],"positives":[1],"measures":{"dcg":{"S":[500000000]}}}',
    );
    panes.advance(watermark);
    expect(panes.takeChanges().deletes).toEqual(deletes);
  });

  it('refuse to go on without the stored rows', () => {
    const state: PanesState = { minutes: [[0, 1]], hours: [], admission: [] };
    expect(() => new Panes(SETTINGS, { state, rows: new Map() })).toThrow('read all of liveKeys');
  });
});

const SETTINGS: PanesSettings = {
  owner: { namespace: 'ns', unit: 0, generation: 'g' },
  paneSize: 1000,
  hour: 10_000,
  horizons: [{ text: '10ms', ms: 10 }],
  dimensions: [],
  sets: [[]],
  clustered: [],
  shape: { names: ['dcg'], kinds: ['mean'] },
  cohortsPerSet: 1,
  keepMinutes: 20,
  keepHours: 20,
  keepVectors: 20,
  totals: [],
  runs: [],
  closedUpTo: Number.NEGATIVE_INFINITY,
};

function sorted(
  rows: ReadonlyMap<string, ReadonlyMap<string, string>>,
): readonly (readonly [string, string, string])[] {
  return [...rows]
    .flatMap(([key, fields]) => [...fields].map(([field, text]) => [key, field, text] as const))
    .sort((a, b) => (`${a[0]} ${a[1]}` < `${b[0]} ${b[1]}` ? -1 : 1));
}
