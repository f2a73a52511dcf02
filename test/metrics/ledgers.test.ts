import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ClaimLedger, LifetimeLedger } from '../../src/metrics/ledgers.ts';

const totals = fc.array(fc.nat(50), { minLength: 2, maxLength: 2 });
const looks = fc.array(fc.uniqueArray(fc.tuple(fc.nat(2), totals), { selector: ([unit]) => unit }), { maxLength: 20 });

describe.each([
  ['of totals since the first record', () => new LifetimeLedger(2)],
  ['of totals since a claim', () => new ClaimLedger(2)],
])('a ledger %s', (_, make) => {
  it('never goes down, whatever the units tell', () => {
    fc.assert(
      fc.property(looks, (all) => {
        const ledger = make();
        for (const units of all) {
          const before = [...ledger.sums];
          ledger.update(new Map(units));
          for (const [i, sum] of ledger.sums.entries()) expect(sum).toBeGreaterThanOrEqual(before[i]);
        }
      }),
    );
  });

  it('is the sum of the units while they stay and grow', () => {
    fc.assert(
      fc.property(fc.array(fc.array(totals, { minLength: 3, maxLength: 3 }), { minLength: 1 }), (steps) => {
        const ledger = make();
        const sums = [0, 1, 2].map(() => [0, 0]);
        for (const step of steps) {
          for (const [unit, [a, b]] of step.entries()) sums[unit] = [sums[unit][0] + a, sums[unit][1] + b];
          ledger.update(new Map(sums.map((one, unit) => [unit, [...one]] as const)));
        }
        expect(ledger.sums).toEqual([0, 1].map((i) => sums.reduce((sum, one) => sum + one[i], 0)));
      }),
    );
  });
});

describe('totals since the first record', () => {
  it('do not count what others counted before a claim', () => {
    const ledger = new LifetimeLedger(1);
    ledger.claimed(0, [1000]);
    ledger.update(new Map([[0, [1003]]]));
    expect(ledger.sums).toEqual([3]);
  });

  it('do not count again what a rollback took back', () => {
    const ledger = new LifetimeLedger(1);
    const seen = [10, 4, 8, 10, 12].map((total) => {
      ledger.update(new Map([[0, [total]]]));
      return ledger.sums[0];
    });
    expect(seen).toEqual([10, 10, 10, 10, 12]);
  });

  it.each([
    ['at what others have counted', undefined, 12],
    ['at the claim, when that was told', 25, 17],
  ])('of a unit that was away begin %s', (_, claimed, sum) => {
    const ledger = new LifetimeLedger(1);
    ledger.update(new Map([[0, [10]]]));
    ledger.update(new Map());
    if (claimed !== undefined) ledger.claimed(0, [claimed]);
    ledger.update(new Map([[0, [30]]]));
    ledger.update(new Map([[0, [32]]]));
    expect(ledger.sums).toEqual([sum]);
  });
});

describe('totals since a claim', () => {
  it('that fall started over', () => {
    const ledger = new ClaimLedger(1);
    for (const total of [5, 2, 4]) ledger.update(new Map([[0, [total]]]));
    expect(ledger.sums).toEqual([9]);
  });

  it('of a unit that was away begin at 0', () => {
    const ledger = new ClaimLedger(1);
    ledger.update(new Map([[0, [5]]]));
    ledger.update(new Map());
    ledger.update(new Map([[0, [7]]]));
    expect(ledger.sums).toEqual([12]);
  });
});
