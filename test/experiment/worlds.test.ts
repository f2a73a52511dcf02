/**
 * The promises of the decisions in worlds that may deceive (bench/honesty/worlds.ts), counted on fixed seeds: a short form of
 * `npm run bench:honesty -- --only worlds,losses`.
 */
import { describe, expect, it } from 'vitest';
import { type CrowdWatched, watchLists } from '../../bench/honesty/crowd-watch.ts';
import { drawWorld, type World } from '../../bench/honesty/world.ts';
import { HEALED, HOLE, SOUND, UNSOUND } from '../../bench/honesty/worlds.ts';

function watched(world: World, count: number, loss = 0): CrowdWatched[] {
  return Array.from({ length: count }, (_, i) => watchLists(drawWorld(9001 + i, world, loss)));
}

function decided(all: readonly CrowdWatched[]): number {
  return all.filter((one) => one.decided).length;
}

describe('variants that are the same', () => {
  it.each([...SOUND])('are distinguished in at most one of six: %s', (_, world) => {
    expect(decided(watched(world, 6))).toBeLessThanOrEqual(1);
  });

  it.each([...UNSOUND])('are never distinguished, and the reason is said: %s', (name, world) => {
    const all = watched(world, 10);
    expect(decided(all)).toBe(0);
    const reasons = name === 'no user ids' ? ['no_user_ids'] : ['no_user_ids', 'srm'];
    for (const { reason } of all) expect(reasons).toContain(reason);
  });

  it.each([
    ['after a hole that is known', HOLE],
    ['after a split that healed', HEALED],
  ])('are not distinguished by what was gathered while they were unsound: %s', (name, world) => {
    const all = watched(world, 20);
    expect(decided(all)).toBe(0);
    // It was found, and is over for some of them.
    if (name.includes('split')) expect(all.filter(({ srm }) => srm).length).toBe(20);
    expect(all.filter(({ reason }) => reason === 'wide_interval').length).toBeGreaterThan(2);
  });
});

describe('a loss', () => {
  it.each([
    ['users who learn: each click makes the next more likely', 0.2],
    ['98 % of the lists clicked, 1 % of the users never', 0.1],
    ['4 % of the users without id', 0.5],
  ])('is found: %s', (name, loss) => {
    const world = SOUND.get(name);
    if (world === undefined) throw new Error(`no world "${name}"`);
    expect(watched(world, 4, loss).filter(({ regressed }) => regressed !== undefined)).toHaveLength(4);
  });

  it('is found after a hole that is known, once it is over', () => {
    const found = watched(HOLE, 4, 0.2);
    expect(found.map(({ reason }) => reason)).toEqual(found.map(() => 'primary_worse'));
  });
});
