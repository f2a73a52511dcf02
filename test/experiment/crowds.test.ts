/**
 * The promises of the decisions in crowds as they hurt (bench/honesty/crowd-settings.ts), counted on fixed seeds: a short form
 * of `npm run bench:honesty -- --only crowds,power`.
 */
import { describe, expect, it } from 'vitest';
import type { CrowdSettings } from '../../bench/honesty/crowd.ts';
import { POWER, SAME_CROWDS } from '../../bench/honesty/crowd-settings.ts';
import { type CrowdWatched, watchCrowd } from '../../bench/honesty/crowd-watch.ts';

const EXPERIMENTS = 20;
/** Where the users are many or the looks are, fewer have to do. */
const SHORT: ReadonlyMap<string, Partial<CrowdSettings>> = new Map([
  ['everyone at once, then four weeks', { hours: 168 }],
  ['.99/.01, 20,000 users', { hours: 24 }],
]);

function watched(settings: CrowdSettings, count = EXPERIMENTS): CrowdWatched[] {
  return Array.from({ length: count }, (_, i) => watchCrowd(7001 + i, settings));
}

function decided(all: readonly CrowdWatched[]): number {
  return all.filter((one) => one.decided).length;
}

describe('variants that are the same', () => {
  it.each([...SAME_CROWDS])('are distinguished in at most 5 of 100: %s', (name, settings) => {
    const all = watched({ ...settings, ...SHORT.get(name) });
    expect(decided(all)).toBeLessThanOrEqual(0.05 * EXPERIMENTS);
    if (settings.bot !== undefined) expect(all.map(({ reason }) => reason)).toEqual(all.map(() => 'few_users'));
  });
});

describe('a loss', () => {
  it('of 20 % is found among 10,000 users, almost as often as by one test at the end', () => {
    const all = watched({ ...POWER, users: 10_000, hours: 12, loss: 0.2 }, 10);
    const once = all.filter(({ fixedWorse }) => fixedWorse).length;
    expect(once).toBeGreaterThanOrEqual(9);
    expect(all.filter(({ regressed }) => regressed !== undefined).length).toBeGreaterThanOrEqual(once - 2);
  });
});
