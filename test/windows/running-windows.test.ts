import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ItemSums } from '../../src/accumulators/item-sums.ts';
import { emptyRow, type Row } from '../../src/accumulators/row.ts';
import { rowCodec } from '../../src/accumulators/row-codec.ts';
import { RunningWindows } from '../../src/windows/running-windows.ts';
import { ITEMS, shownOf } from '../accumulators/plain-items.ts';
import { mergeRows, SHAPE } from '../accumulators/rows.ts';

const LENGTHS = [2, 5, 12];
const codec = rowCodec(SHAPE);

/** What one unit has in one pane: impressions by field, some with items. */
const anyRows = fc.dictionary(fc.constantFrom('1m||', '1m|v|a', '1m|v|b'), fc.nat(9));
/** Panes of units, and moves of the windows in between. */
const anySteps = fc.array(fc.oneof(fc.record({ pane: fc.nat(20), rows: anyRows }), fc.record({ end: fc.nat(30) })), {
  maxLength: 30,
});

function rowOf(field: string, impressions: number): Row {
  const row = { ...emptyRow(SHAPE), impressions };
  if (field !== '1m|v|b') {
    row.items = new ItemSums(ITEMS);
    row.items.add(shownOf([`of ${impressions}`]));
  }
  return row;
}

describe('running windows', () => {
  it('are the sums of their panes, in whatever order panes are added and windows moved', () => {
    fc.assert(
      fc.property(anySteps, (steps) => {
        const windows = new RunningWindows(LENGTHS);
        const added: { readonly pane: number; readonly rows: Readonly<Record<string, number>> }[] = [];
        let end = 0;
        for (const step of steps) {
          if ('end' in step) {
            end = step.end;
            for (const _ of windows.moving(end));
          } else {
            added.push(step);
            windows.add(step.pane, new Map(Object.entries(step.rows).map(([field, n]) => [field, rowOf(field, n)])));
          }
          for (const [w, length] of LENGTHS.entries()) {
            const sums = new Map<string, Row>();
            for (const { pane, rows } of added) {
              if (pane < end - length || pane >= end) continue;
              for (const [field, n] of Object.entries(rows)) {
                const sum = sums.get(field);
                sums.set(field, sum === undefined ? rowOf(field, n) : mergeRows(sum, rowOf(field, n)));
              }
            }
            const texts = (rows: Iterable<readonly [string, Row]>): ReadonlyMap<string, string> =>
              new Map([...rows].map(([field, row]) => [field, codec.encode(row)]));
            expect(texts(windows.rows(w))).toEqual(texts(sums));
          }
        }
      }),
    );
  });

  it('let others have a turn after each pane of a first move', () => {
    const windows = new RunningWindows([1440]);
    for (let pane = 0; pane < 1440; pane++) windows.add(pane, new Map([['1m||', rowOf('1m|v|b', 1)]]));
    let turns = 0;
    for (const _ of windows.moving(1440)) turns++;
    expect(turns).toBe(1440);
    expect([...windows.rows(0)].map(([, { impressions }]) => impressions)).toEqual([1440]);
  });
});
