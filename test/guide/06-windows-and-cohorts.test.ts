/** Chapter 6: results go to one-minute panes by cohort; a window is a sum of whole panes. */

import { describe, expect, it } from 'vitest';
import { Panes } from '../../src/accumulators/panes.ts';
import { parsePanesState } from '../../src/accumulators/panes-settings.ts';
import { rowCodec } from '../../src/accumulators/row-codec.ts';
import { paneKey } from '../../src/accumulators/store/layout.ts';
import { WITH_POSITIVE, WITHOUT_POSITIVE } from '../../src/measures/sums.ts';
import { wholeTables } from '../accumulators/whole-tables.ts';
import { readWindow, type UnitRows } from '../windows/plain-windows.ts';
import { EIGHT, PANES } from './shop.ts';

const MINUTE = 60_000;
const HORIZON = { text: '1m', ms: MINUTE };
const owner = { namespace: 'guide', unit: 0, generation: '1' };

/** A list of this minute after eight, with its reciprocal rank. */
type Scored = readonly [minute: number, country: string, mrr: number];

/** What a unit has stored when event time has reached this minute after eight. */
function unitOf(lists: readonly Scored[], watermark: number): UnitRows {
  const panes = new Panes({ ...PANES, owner, closedUpTo: Number.NEGATIVE_INFINITY });
  for (const [minute, country, mrr] of lists) {
    const ts = EIGHT + minute * MINUTE;
    const out = Float64Array.of(mrr > 0 ? WITH_POSITIVE : WITHOUT_POSITIVE, mrr, 0);
    panes.add(
      { at: ts + HORIZON.ms, ts, horizon: 0, tag: panes.cohorts.tag([country]), userless: false, bucket: 0 },
      mrr > 0,
      out,
    );
  }
  const { rows } = panes.takeChanges();
  const { decode } = rowCodec(PANES.shape);
  const pane = (start: number) => {
    const fields = rows.get(paneKey(owner, 'm', start));
    return fields && new Map([...fields].map(([field, text]) => [field, decode(text)] as const));
  };
  const { admission } = parsePanesState(panes.stateText());
  const eight = {
    admission: wholeTables(admission, owner, (key) => rows.get(key)),
    incompleteBefore: EIGHT,
    total: () => undefined,
  };
  return { ...eight, watermark: EIGHT + watermark * MINUTE, pane };
}

/** `country: lists sum` in billionths, of the last two minutes that are final. */
function lastTwo(lists: readonly Scored[], watermark: number): { complete: boolean; rows: string[] } {
  const settings = { paneSize: MINUTE, sets: PANES.sets, unitTimeout: 10 * MINUTE };
  const { complete, rows } = readWindow([unitOf(lists, watermark)], HORIZON, 2 * MINUTE, settings);
  return { complete, rows: rows.map(({ values, row }) => `${values.join() || 'all'}: ${row.sums[0]} ${row.sums[2]}`) };
}

const LISTS: readonly Scored[] = [
  [0, 'DE', 1],
  [1, 'DE', 0.5],
  [1, 'FR', 0],
  [2, 'DE', 0.25],
];

describe('a window', () => {
  it('holds the panes that are final: at 08:03 those of minutes 0 and 1, because minute 2 closes until 08:04', () => {
    expect(lastTwo(LISTS, 3)).toEqual({ complete: true, rows: ['all: 3 1500000000', 'DE: 2 1500000000', 'FR: 1 0'] });
  });

  it('rolls by whole panes: at 08:04 minute 0 has left and minute 2 has come; at 08:05 only that one is left', () => {
    expect(lastTwo(LISTS, 4).rows).toEqual(['all: 3 750000000', 'DE: 2 750000000', 'FR: 1 0']);
    expect(lastTwo(LISTS, 5).rows).toEqual(['all: 1 250000000', 'DE: 1 250000000']);
  });

  it('says when it is not filled yet, and when empty it has no rows, which is not 0', () => {
    expect(lastTwo(LISTS, 2)).toEqual({ complete: false, rows: ['all: 1 1000000000', 'DE: 1 1000000000'] });
    expect(lastTwo(LISTS, 9).rows).toEqual([]);
  });

  it('shows no partial sum: with room for two countries (`cohortsPerSet`), the third is added to __other__', () => {
    expect(lastTwo([...LISTS.slice(0, 3), [1, 'JP', 0.25]], 3).rows).toContain('__other__: 1 250000000');
  });
});
