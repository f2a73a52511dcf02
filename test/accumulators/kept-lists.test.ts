import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeptLists, KeptTable } from '../../src/accumulators/kept-lists.ts';
import { Panes } from '../../src/accumulators/panes.ts';
import { shapeOf } from '../../src/accumulators/row.ts';
import type { Measure } from '../../src/measures/definition.ts';
import { parseMeasure } from '../../src/measures/grammar/measure-name.ts';
import { compile } from '../../src/measures/scorer.ts';
import { SCORE_WIDTH } from '../../src/measures/sums.ts';
import type { Joined } from '../../src/vocabulary/events.ts';
import { smallList, someMeasures } from '../measures/alike-lists.ts';
import { GRADING, joined } from '../measures/lists.ts';
import { listOf } from './lists.ts';

interface Added {
  readonly list: Joined;
  readonly bucket: number;
  readonly userless: boolean;
}

/** The rows of lists that close one after the other, and how many of them were kept. */
function rowsOf(measures: readonly Measure[], lists: readonly Added[], keeps: boolean) {
  const scorer = compile(measures, GRADING);
  const panes = new Panes({
    owner: { namespace: 'ns', unit: 0, generation: 'g' },
    paneSize: 1000,
    hour: 10_000,
    horizons: [{ text: '10ms', ms: 10 }],
    dimensions: ['variant'],
    sets: [[], ['variant']],
    clustered: [[]],
    shape: shapeOf(measures, undefined, 2),
    positions: { sets: [['variant']], inTotals: true, horizon: 0 },
    cohortsPerSet: 1,
    keepMinutes: 20,
    keepHours: 20,
    keepVectors: 20,
    totals: ['all'],
    runs: [],
    closedUpTo: Number.NEGATIVE_INFINITY,
  });
  const tag = panes.cohorts.tag(['A']);
  const out = new Float64Array(SCORE_WIDTH * measures.length);
  const kept = KeptLists.by(scorer);
  let found = 0;
  for (const { list, bucket, userless } of lists) {
    const closed = { at: 10, ts: 0, horizon: 0, tag, userless, bucket, list };
    const known = keeps ? kept?.of(list) : undefined;
    if (known === undefined) {
      panes.add(closed, scorer.score(list, out), out, scorer);
    } else {
      found++;
      panes.addKept(closed, known);
    }
  }
  return { rows: panes.takeChanges().rows, found };
}

const actionsOf = (measures: readonly Measure[]) => compile(measures, GRADING).actions;

describe('lists that are kept', () => {
  it('give the rows, vectors and counts by rank of scoring each of them', () => {
    let all = 0;
    const drawn = fc.record({
      measures: someMeasures,
      lists: fc.array(smallList, { minLength: 1, maxLength: 8 }),
      turns: fc.array(fc.record({ list: fc.nat(7), bucket: fc.constantFrom(0, 7, 200), userless: fc.boolean() }), {
        minLength: 10,
        maxLength: 60,
      }),
    });
    fc.assert(
      fc.property(drawn, ({ measures, lists, turns }) => {
        const plain = lists.map((list) => joined(list, actionsOf(measures)));
        const added = turns.map((turn) => ({ ...turn, list: plain[turn.list % plain.length] }));
        const { rows, found } = rowsOf(measures, added, true);
        expect(rows).toEqual(rowsOf(measures, added, false).rows);
        all += found;
      }),
      { numRuns: 150 },
    );
    expect(all).toBeGreaterThan(200);
  });

  it('do so with more patterns than the table has places, which take them from each other', () => {
    const measures = ['mrr', 'precision(denom=list)@5', 'ndcg(gain=exp)'].map((text) =>
      parseMeasure(text, { relevantFrom: 1 }),
    );
    const lists = Array.from({ length: 700 }, (_, n) => n + 1).flatMap((n) => {
      const length = (n % 100) + 1;
      return Array.from({ length }, (_, slot): Joined => {
        const list = {
          ...listOf(Array.from({ length }, (_, s) => s + 1)),
          ranks: undefined,
          pageOffset: n - (n % 100),
        };
        return { ...list, events: 1, slot: Int32Array.of(slot), action: Int32Array.of(0) };
      });
    });
    const value = Float64Array.of(Number.NaN);
    // Each twice in a row, and once more when others were there.
    const added = [...lists.flatMap((list) => [list, list]), ...lists].map((list, n) => ({
      list: { ...list, value, ts: value },
      bucket: n & 255,
      userless: false,
    }));
    expect(lists.length).toBeGreaterThan(KeptTable.places);
    const { rows, found } = rowsOf(measures, added, true);
    expect(rows).toEqual(rowsOf(measures, added, false).rows);
    expect(found).toBeGreaterThanOrEqual(lists.length);
    expect(found).toBeLessThan(2 * lists.length);
  });

  it('are those that were met before, with nothing else in their place since', () => {
    const kept = KeptLists.by(compile([parseMeasure('mrr', { relevantFrom: 1 })], GRADING));
    const list = { ...listOf([1, 2]), ranks: undefined };
    expect(kept?.of(list)).toBeUndefined();
    expect(kept?.of(list)?.sums).toMatchObject({ isPositive: false, count: 0, ownCount: 0 });
    expect(kept?.of({ ...list })?.sums).toMatchObject({ isPositive: false, count: 0, ownCount: 0 });
    expect(kept?.of({ ...list, ranks: Int32Array.of(1, 3) })).toBeUndefined();
  });
});
