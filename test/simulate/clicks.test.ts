import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Random } from '../../src/simulate/random.ts';
import { clickModel, examination } from '../../src/simulate/shop-requests.ts';
import { clickedLists, clicksByRank, deviations, recordsOf, settings } from './reading.ts';

const LISTS = 40_000;
const RANKS = Array.from({ length: 10 }, (_, slot) => slot + 1);

/** Clicks on each slot of many lists that attract alike. */
function clicksOf(model: ReturnType<typeof clickModel>, attraction: number): number[] {
  const random = new Random(7, 'clicks');
  const tastes = new Float64Array(10).fill(attraction);
  const clicked = new Uint8Array(10);
  const sums = new Array<number>(10).fill(0);
  for (let n = 0; n < LISTS; n++) {
    model(tastes, 10, clicked, random);
    for (let slot = 0; slot < 10; slot++) sums[slot] += clicked[slot];
  }
  return sums;
}

test.each([0, 0.5, 1, 2])('position model: rank r is clicked with probability r^-%d times the attraction', (eta) => {
  const sums = clicksOf(clickModel({ model: 'position', eta }), 0.4);
  for (const rank of RANKS) expect(deviations(sums[rank - 1], LISTS, 0.4 * rank ** -eta)).toBeLessThan(4);
});

test('position model: in traffic that is ranked at random, clicks fall as examination does', () => {
  const variants = [{ name: 'random', weight: 1, quality: 0 }];
  const sums = clicksByRank(clickedLists(recordsOf(settings({ events: 60_000, variants }))));
  const total = sums.reduce((a, b) => a + b, 0);
  const mass = RANKS.reduce((sum, rank) => sum + examination(rank, 1), 0);
  expect(total).toBeGreaterThan(10_000);
  // Given the total, the clicks of a rank are binomial with its share of the examination.
  for (const rank of RANKS) expect(deviations(sums[rank - 1], total, examination(rank, 1) / mass)).toBeLessThan(4);
});

test('cascade model of Craswell et al.: at most one click, at rank r with probability a (1 - a)^(r - 1)', () => {
  const sums = clicksOf(clickModel({ model: 'cascade', satisfaction: 1, perseverance: 1 }), 0.3);
  for (const rank of RANKS) expect(deviations(sums[rank - 1], LISTS, 0.3 * 0.7 ** (rank - 1))).toBeLessThan(4);
});

test('cascade model: rank r is clicked with probability a (g (1 - a s))^(r - 1)', () => {
  const sums = clicksOf(clickModel({ model: 'cascade', satisfaction: 0.6, perseverance: 0.9 }), 0.3);
  for (const rank of RANKS) {
    expect(deviations(sums[rank - 1], LISTS, 0.3 * (0.9 * (1 - 0.3 * 0.6)) ** (rank - 1))).toBeLessThan(4);
  }
});

test('cascade model: traffic of users who are always satisfied has at most one click per list', () => {
  const clicks = { model: 'cascade', satisfaction: 1, perseverance: 1 } as const;
  const lists = clickedLists(recordsOf(settings({ clicks })));
  const most = Math.max(...lists.map((list) => list.clicks.reduce((a, b) => a + b, 0)));
  expect(most).toBe(1);
  const never = { model: 'cascade', satisfaction: 0, perseverance: 1 } as const;
  const restless = clickedLists(recordsOf(settings({ clicks: never })));
  expect(Math.max(...restless.map((list) => list.clicks.reduce((a, b) => a + b, 0)))).toBeGreaterThan(2);
});

test('the answer is the number of clicks, and slots beyond the list are not written', () => {
  const models = [
    clickModel({ model: 'position', eta: 0.5 }),
    clickModel({ model: 'cascade', satisfaction: 0.5, perseverance: 0.9 }),
  ];
  fc.assert(
    fc.property(fc.nat(), fc.integer({ min: 0, max: 10 }), fc.constantFrom(...models), (seed, length, model) => {
      const clicked = new Uint8Array(10).fill(9);
      const answer = model(new Float64Array(10).fill(0.7), length, clicked, new Random(seed, 'clicks'));
      expect(clicked.subarray(0, length).reduce((a, b) => a + b, 0)).toBe(answer);
      expect([...clicked.subarray(length)]).toEqual(new Array(10 - length).fill(9));
    }),
  );
});
