import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addExact, ExactSums } from '../../src/accumulators/exact.ts';
import type { Exact } from '../../src/measures/sums.ts';

const PLACES = 4;
const place = fc.nat({ max: PLACES - 1 });
/** Of any size that a place takes at once. */
const amount = fc.oneof(
  fc.integer(),
  fc.constantFrom(2 ** 52, -(2 ** 52)),
  fc.maxSafeInteger().map((n) => n / 2),
);
const whole = amount.map(Math.trunc);
const exact: fc.Arbitrary<Exact> = fc
  .oneof(whole, fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }))
  .map((value) => addExact(value, 0));

const act = fc.oneof(
  fc.record({ does: fc.constant('add' as const), at: place, amount: whole }),
  fc.record({
    does: fc.constant('addAll' as const),
    amounts: fc.array(whole, { minLength: PLACES, maxLength: PLACES }),
  }),
  fc.record({ does: fc.constant('addEach' as const), at: place, amount: whole }),
  fc.record({ does: fc.constant('addExact' as const), at: place, amount: exact }),
  fc.record({ does: fc.constant('clear' as const), at: place }),
  fc.record({ does: fc.constant('grow' as const) }),
);

describe('sums in places', () => {
  it('are those of exact numbers, whatever their size, also when they are added to others', () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 30 }), (acts) => {
        const sums = new ExactSums(PLACES);
        const plain: Exact[] = new Array(PLACES).fill(0);
        const others = new ExactSums(PLACES);
        for (let i = 0; i < PLACES; i++) others.addExact(i, 2n ** 60n);
        for (const next of acts) {
          if (next.does === 'add') sums.add(next.at, next.amount);
          if (next.does === 'addExact') sums.addExact(next.at, next.amount);
          if (next.does === 'addEach') {
            sums.addEach(0, Int32Array.of(next.at, 0), Float64Array.of(next.amount, 1), 1);
          }
          if (next.does === 'addAll') {
            sums.addAll(0, Float64Array.from([9, ...next.amounts]), 1, PLACES);
            for (const [i, each] of next.amounts.entries()) plain[i] = addExact(plain[i], each);
          } else if (next.does === 'clear') {
            sums.clear(next.at, 1);
            plain[next.at] = 0;
          } else if (next.does === 'grow') {
            sums.grow(sums.length + 1);
          } else {
            plain[next.at] = addExact(plain[next.at], next.amount);
          }
        }
        const held = plain.map((_, i) => sums.get(i));
        expect(held).toEqual(plain);
        others.addFrom(sums, 0, 0, PLACES);
        expect(plain.map((_, i) => others.get(i))).toEqual(plain.map((value) => addExact(2n ** 60n, value)));
      }),
    );
  });

  it('are kept apart when they are added to other places', () => {
    const from = new ExactSums(4);
    for (const [at, value] of [1, 2n ** 80n, 3, 4].entries()) from.addExact(at, value);
    const to = new ExactSums(4);
    to.addFrom(from, 0, 2, 2);
    expect([0, 1, 2, 3].map((at) => to.get(at))).toEqual([0, 0, 1, 2n ** 80n]);
    to.clear(3, 1);
    expect(to.get(3)).toBe(0);
  });
});
