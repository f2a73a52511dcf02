import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Panes } from '../../src/accumulators/panes.ts';
import { createJoin } from '../../src/consumers/join/join.ts';
import { compile } from '../../src/measures/scorer.ts';
import { UnitScoring } from '../../src/unit/unit-scoring.ts';
import { added, histories, MANY_LISTS, type Parts } from './added.ts';

const PARTS: Parts = { createJoin, Panes, UnitScoring, compile };

describe('closings that the engine adds itself', () => {
  it('come to the rows, counters and tags that they come to where the host adds each', () => {
    let told = 0;
    let all = 0;
    fc.assert(
      fc.property(histories, (history) => {
        const byEngine = added(PARTS, history, true);
        const byHost = added(PARTS, history, false);
        expect(byEngine.commits).toEqual(byHost.commits);
        expect(byEngine.tags).toBe(byHost.tags);
        told += byEngine.told;
        all += byHost.told;
      }),
      { numRuns: 300 },
    );
    expect(all).toBeGreaterThan(20_000);
    expect(told).toBeLessThan(0.8 * all);
  });

  it('do so after another unit has failed in the middle of its closings', () => {
    let failed = 0;
    fc.assert(
      fc.property(histories, fc.integer({ min: 1, max: 60 }), (history, most) => {
        const failing: Parts = {
          ...PARTS,
          createJoin: (settings, sink) => {
            let told = 0;
            const closed: typeof sink.closed = (closing, names) => {
              if (++told > most) throw new Error('the unit fails');
              sink.closed(closing, names);
            };
            return createJoin(settings, { ...sink, closed });
          },
        };
        try {
          added(failing, history, true);
        } catch {
          failed++;
        }
        const byEngine = added(PARTS, history, true);
        const byHost = added(PARTS, history, false);
        expect([byEngine.commits, byEngine.tags]).toEqual([byHost.commits, byHost.tags]);
      }),
      { numRuns: 60 },
    );
    expect(failed).toBeGreaterThan(40);
  });

  it('do so when they add more than doubles hold', () => {
    const byEngine = added(PARTS, MANY_LISTS, true);
    expect(byEngine.commits).toEqual(added(PARTS, MANY_LISTS, false).commits);
    expect(JSON.stringify(byEngine.commits, (_, value) => (typeof value === 'bigint' ? String(value) : value))).toMatch(
      /"1\d{16}/,
    );
    // Of a bucket the engine adds 4,096 lists before it is folded, at each of two horizons.
    expect(60_000 - byEngine.told).toBeGreaterThan(2 * 4000);
    expect(60_000 - byEngine.told).toBeLessThanOrEqual(2 * 4096);
  });
});
