import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Panes } from '../../src/accumulators/panes.ts';
import { brokenPlaces, placeHistories, placesGiven } from './place-histories.ts';

describe('places of cohorts', () => {
  it('go as the plain rule says however units commit and restart, and no window shows a part of a cohort by name', () => {
    let given = 0;
    fc.assert(
      fc.property(placeHistories, (history) => {
        given += placesGiven(history);
        expect(brokenPlaces(history, Panes)).toBeUndefined();
      }),
      { numRuns: 1000 },
    );
    expect(given).toBeGreaterThan(500);
  });
});
