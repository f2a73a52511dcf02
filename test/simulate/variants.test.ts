import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Random } from '../../src/simulate/random.ts';
import { inviteVisitors, makeShopItems, SEGMENTS } from '../../src/simulate/shop-items.ts';
import { Ranker } from '../../src/simulate/shop-requests.ts';
import type { RegressionSettings } from '../../src/simulate/simulation-settings.ts';
import { type ClickedList, clickedLists, deviations, eventsOf, recordsOf, settings } from './reading.ts';

const USERS = 50_000;

test('users are split by the weights of the variants', () => {
  const variants = [
    { name: 'a', weight: 2, quality: 0.5 },
    { name: 'b', weight: 1, quality: 0.5 },
    { name: 'none', weight: 0, quality: 0.5 },
    { name: 'c', weight: 1, quality: 0.5 },
  ];
  const { variant } = inviteVisitors(1, USERS, variants);
  const count = (index: number): number => variant.filter((v) => v === index).length;
  expect(deviations(count(0), USERS, 0.5)).toBeLessThan(4);
  expect(deviations(count(1), USERS, 0.25)).toBeLessThan(4);
  expect(count(2)).toBe(0);
  expect(deviations(count(3), USERS, 0.25)).toBeLessThan(4);
});

test('a user keeps the variant when more users come, and with another seed', () => {
  const { variants } = settings();
  const few = inviteVisitors(1, 100, variants).variant;
  expect(inviteVisitors(1, 1000, variants).variant.subarray(0, 100)).toEqual(few);
  fc.assert(
    fc.property(fc.maxSafeNat(), (seed) => {
      expect(inviteVisitors(seed, 100, variants).variant).toEqual(few);
    }),
    { numRuns: 50 },
  );
});

test('the traffic of two seeds has other requests, and no user in two variants', () => {
  const [first, second] = [1, 99].map(
    (seed) => eventsOf(recordsOf(settings({ seed, events: 5000, users: 200 }))).impressions,
  );
  const seen = new Map<string, Set<string>>();
  for (const { userId, variant } of [...first, ...second])
    seen.set(userId, (seen.get(userId) ?? new Set()).add(variant));
  expect(seen.size).toBeGreaterThan(150);
  expect([...seen].filter(([, variants]) => variants.size !== 1)).toEqual([]);
  const ids = new Set(first.map(({ requestId }) => requestId));
  expect(second.filter(({ requestId }) => ids.has(requestId))).toEqual([]);
});

test('utility has mean 0 and deviation 1 over items drawn by popularity, in each segment', () => {
  const shopItems = makeShopItems(3, 500);
  const random = new Random(1, 'draws');
  const draws = Array.from({ length: 40_000 }, () => shopItems.popularity.pick(random));
  for (let segment = 0; segment < SEGMENTS; segment++) {
    const utilities = draws.map((item) => shopItems.utility[segment * 500 + item]);
    const mean = utilities.reduce((a, b) => a + b, 0) / draws.length;
    const square = utilities.reduce((a, b) => a + b * b, 0) / draws.length;
    expect(Math.abs(mean)).toBeLessThan(0.03);
    expect(Math.abs(square - 1)).toBeLessThan(0.05);
  }
});

test.each([0, 0.3, 0.7, 1])('scores of a ranker of quality %d correlate with the utility by that much', (quality) => {
  const shopItems = makeShopItems(3, 2000);
  const ranker = new Ranker(shopItems, new Random(1, 'candidates'));
  let [n, x, y, xx, yy, xy] = [0, 0, 0, 0, 0, 0];
  for (let round = 0; round < 3000; round++) {
    const segment = round % SEGMENTS;
    ranker.rank(segment, quality);
    expect(new Set(ranker.items).size).toBe(30);
    for (let place = 0; place < ranker.length; place++) {
      const score = ranker.scores[place];
      const utility = shopItems.utility[segment * 2000 + ranker.items[place]];
      n++;
      x += score;
      y += utility;
      xx += score * score;
      yy += utility * utility;
      xy += score * utility;
    }
  }
  const correlation = (n * xy - x * y) / Math.sqrt((n * xx - x * x) * (n * yy - y * y));
  expect(Math.abs(correlation - quality)).toBeLessThan(0.02);
});

/** Mean of DCG@10 with clicks as gains, and its standard error. */
function meanDcg(lists: readonly ClickedList[]): { readonly mean: number; readonly error: number } {
  const values = lists.map(({ clicks }) => clicks.reduce((sum, gain, slot) => sum + gain / Math.log2(slot + 2), 0));
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
  return { mean, error: Math.sqrt(variance / values.length) };
}

/** How many standard errors the first mean lies below the second. */
function standardErrorsBelow(low: readonly ClickedList[], high: readonly ClickedList[]): number {
  const [a, b] = [meanDcg(low), meanDcg(high)];
  return (b.mean - a.mean) / Math.hypot(a.error, b.error);
}

test('the better ranker earns more at the top of its lists', () => {
  const variants = [
    { name: 'control', weight: 1, quality: 0.4 },
    { name: 'treatment', weight: 1, quality: 0.8 },
  ];
  const lists = clickedLists(recordsOf(settings({ events: 60_000, variants })));
  const of = (name: string): ClickedList[] => lists.filter(({ impression }) => impression.variant === name);
  expect(standardErrorsBelow(of('control'), of('treatment'))).toBeGreaterThan(8);
});

test('a regression lowers its variant in its span, and leaves all other lists as they are', () => {
  const base = settings({ events: 60_000 });
  const regression: RegressionSettings = {
    variant: 'treatment',
    from: base.start + 900_000,
    to: base.start + 1_800_000,
    share: 0.8,
  };
  const sound = clickedLists(recordsOf(base));
  const broken = clickedLists(recordsOf({ ...base, regression }));
  const inside = ({ impression }: ClickedList): boolean =>
    impression.variant === 'treatment' && impression.ts >= regression.from && impression.ts < regression.to;
  expect(standardErrorsBelow(broken.filter(inside), sound.filter(inside))).toBeGreaterThan(4);

  const key = ({ impression }: ClickedList): string => `${impression.requestId} ${impression.offset ?? 0}`;
  const before = new Map(sound.map((list) => [key(list), list]));
  let changed = 0;
  let same = 0;
  for (const list of broken) {
    const twin = before.get(key(list));
    if (twin === undefined) continue;
    expect(`${list.impression.ts} ${list.impression.userId}`).toBe(`${twin.impression.ts} ${twin.impression.userId}`);
    const equal = JSON.stringify(list.impression.items) === JSON.stringify(twin.impression.items);
    // The second page of a request is ranked when its first page is.
    if (list.impression.offset === undefined && !inside(list)) expect(equal).toBe(true);
    if (list.impression.offset === undefined && inside(list)) {
      if (equal) same++;
      else changed++;
    }
  }
  expect(deviations(changed, changed + same, regression.share)).toBeLessThan(4);
});

test('a regression begins at its start and ends before its end', () => {
  const base = settings({ events: 2000 });
  const times = clickedLists(recordsOf(base)).filter(
    ({ impression }) => impression.variant === 'treatment' && impression.offset === undefined,
  );
  const [from, to] = [times[50].impression.ts, times[100].impression.ts];
  const regression = { variant: 'treatment', from, to, share: 1 };
  const broken = clickedLists(recordsOf({ ...base, regression }));
  const changed = times
    .filter(({ impression }) => {
      const twin = broken.find((list) => list.impression.requestId === impression.requestId);
      return JSON.stringify(twin?.impression.items) !== JSON.stringify(impression.items);
    })
    .map(({ impression }) => impression.ts);
  expect(changed[0]).toBe(from);
  expect(changed[changed.length - 1]).toBe(times[99].impression.ts);
  expect(changed.length).toBe(50);
});
