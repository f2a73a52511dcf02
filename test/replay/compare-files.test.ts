import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compareFiles, type FilesCompared } from '../../src/replay/compare-files.ts';
import { meanOfBuckets } from '../../src/statistics/mean.ts';
import { multiplierAt } from '../../src/statistics/sequence.ts';
import { bucketOf } from '../../src/vocabulary/user-words.ts';
import { load } from '../config/fixture.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'receval-compare-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const BEGIN = Date.UTC(2026, 10, 21, 8);

/** A list of three items, and the rank that was clicked; 0: none. */
interface Shown {
  readonly id: string;
  readonly user: string;
  readonly variant: string;
  readonly ts: number;
  readonly clicked: number;
  /** undefined: it has no cohorts. */
  readonly country?: string | undefined;
}

/** Four and a half hours with one of 60 users every 20 seconds, by a plain formula. */
const LOG: readonly Shown[] = Array.from({ length: 810 }, (_, i) => {
  const user = (i * 7919) % 60;
  return {
    id: `r${i}`,
    user: `u${user}`,
    variant: user % 2 === 0 ? 'A' : 'B',
    ts: BEGIN + i * 20_000,
    clicked: ((i * 104_729 + user * 31) % 97) % 4,
  };
});

const YAML = `
measures: [mrr, "mrr(empty=skip)", ctr]
attribution: {horizons: [1m, 5m]}
experiments: {default: {control: A, variants: {A: 1, B: 1}, primary: mrr}}
`;

let files = 0;
async function compared(log: readonly Shown[], yaml = YAML, ratioBy?: readonly string[]): Promise<FilesCompared> {
  const settings = load(yaml);
  const write = (lines: readonly object[]): string => {
    const path = join(folder, `f${files++}.ndjson`);
    writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    return path;
  };
  const impressions = log.map(({ id, user, variant, ts, country }) => ({
    requestId: id,
    userId: user,
    variant,
    ts,
    cohorts: country === undefined ? undefined : { country, tenure: user.length % 2 === 0 ? 'new' : 'loyal' },
    items: ['a', 'b', 'c'],
  }));
  const feedback = log
    .filter(({ clicked }) => clicked > 0)
    .map(({ id, ts, clicked }) => ({ requestId: id, itemId: 'abc'[clicked - 1], ts: ts + 4000, action: 'click' }));
  const inputs = {
    impressions: [{ path: write(impressions), defaults: new Map<string, string>() }],
    feedback: [{ path: write(feedback), defaults: new Map<string, string>() }],
  };
  return compareFiles(
    {
      settings,
      inputs,
      adapter: undefined,
      order: 'time',
      // Each click comes four seconds after its list.
      closeAll: true,
      newId: () => 'id',
      hashSeed: 0,
      onProgress: () => {},
    },
    settings.experiments[0],
    ratioBy,
  );
}

/** Mean of the reciprocal ranks and its error, from a plain table of users' buckets. */
function plain(log: readonly Shown[], variant: string, skip = false) {
  const m = new Float64Array(256);
  const d = new Float64Array(256);
  for (const list of log) {
    if (list.variant !== variant || (skip && list.clicked === 0)) continue;
    const bucket = bucketOf(list.user);
    m[bucket] += list.clicked === 0 ? 0 : Math.round(1e9 / list.clicked) / 1e9;
    d[bucket]++;
  }
  const mean = meanOfBuckets(m, d);
  if ('absent' in mean || typeof mean.stderr !== 'number') throw new Error('there is an error');
  return { value: mean.value, stderr: mean.stderr };
}

describe('files', () => {
  test('effect and error are those of a plain table of buckets', async () => {
    // So many users that no variant takes the other one's spread.
    const log = LOG.map((list, i) => ({ ...list, user: `${list.user}-${i % 7}` }));
    const { comparison } = await compared(log);
    const [{ measures }] = comparison.variants;
    for (const [name, skip] of [
      ['mrr', false],
      ['mrr(empty=skip)', true],
    ] as const) {
      const found = measures.find(({ measure }) => measure === name);
      const [a, b] = [plain(log, 'A', skip), plain(log, 'B', skip)];
      expect(found?.control).toBeCloseTo(a.value, 12);
      expect(found?.value).toBeCloseTo(b.value, 12);
      expect(found?.stderr).toBeCloseTo(Math.hypot(a.stderr, b.stderr), 12);
    }
    expect((await compared(LOG)).comparison).toMatchObject({
      asOf: '2026-11-21T12:30:00.000Z',
      users: { A: 30, B: 30 },
      crossovers: 0,
      others: {},
    });
  });

  test('a look at an hour sees exactly the impressions before it; the last one sees all', async () => {
    const { trail } = await compared(LOG);
    const points = trail.get('B') ?? [];
    expect(points.map(({ at }) => at)).toEqual([1, 2, 3, 4, 4.5].map((hours) => BEGIN + hours * HOUR));
    for (const { at, effect } of points) {
      const before = LOG.filter(({ ts }) => ts < at);
      expect(effect).toBeCloseTo(plain(before, 'B').value - plain(before, 'A').value, 12);
    }
  });

  test('a look counts the users that it has seen, and no others', async () => {
    const newcomers = LOG.map((list, i) => ({ ...list, user: `n${i}` }));
    const { trail } = await compared(newcomers);
    const [{ lower, upper }] = trail.get('B') ?? [];
    const before = newcomers.filter(({ ts }) => ts < BEGIN + HOUR);
    const stderr = Math.hypot(plain(before, 'A').stderr, plain(before, 'B').stderr);
    expect((upper - lower) / 2 / stderr).toBeCloseTo(multiplierAt(180, { alpha: 0.05, nStar: 5000 }), 9);
    expect(before).toHaveLength(180);
  });

  test('the order in which records of a time come does not matter', async () => {
    const shaken = LOG.map((list, i) => LOG[i % 2 === 0 ? i + 1 : i - 1] ?? list);
    expect(await compared(shaken)).toEqual(await compared(LOG));
  });

  test('impressions before the start take no part, one at the start does', async () => {
    const start = BEGIN + 2 * HOUR;
    const at = new Date(start).toISOString();
    const { comparison, trail } = await compared(LOG, YAML.replace('primary: mrr', `primary: mrr, start: "${at}"`));
    const later = LOG.filter(({ ts }) => ts >= start);
    expect(later[0].ts).toBe(start);
    expect(comparison.impressions['A'] + comparison.impressions['B']).toBe(later.length);
    expect(comparison.variants[0].measures[0].control).toBeCloseTo(plain(later, 'A').value, 12);
    expect(trail.get('B')?.[0].at).toBe(start + HOUR);
  });

  test('other variants are counted and left out', async () => {
    const { comparison } = await compared([
      ...LOG.slice(0, 300),
      ...LOG.slice(300, 310).map((list) => ({ ...list, variant: 'C' })),
    ]);
    expect(comparison.others).toEqual({ C: 10 });
    expect(comparison.impressions['A'] + comparison.impressions['B']).toBe(300);
  });

  test('without any impression there is nothing to compare', async () => {
    const { comparison, trail } = await compared([]);
    expect(comparison).toMatchObject({ asOf: null, srm: { p: null, reason: 'no_data' } });
    expect(comparison.variants[0]).toMatchObject({ decision: 'insufficient', reason: 'no_data', decidedAsOf: null });
    expect(trail.get('B') ?? []).toEqual([]);
  });
});

describe('the split of the users by cohort', () => {
  /** 3,000 users with two lists each. A fifth begins in BR; of a third the later list is of another country. */
  const TRAVELLERS: readonly Shown[] = Array.from({ length: 6000 }, (_, i) => {
    const user = (i * 7919) % 3000;
    const variant = Math.floor(user / 5) % 2 === 0 ? 'A' : 'B';
    const country = ['DE', 'FR', 'US', 'JP', 'BR'][(user + (i >= 3000 && user % 3 === 0 ? 1 : 0)) % 5];
    return { id: `r${i}`, user: `u${user}`, variant, ts: BEGIN + i * 3000, clicked: i % 4, country };
  });
  /** In BR lists of four of ten users of B are never logged. */
  const BROKEN = TRAVELLERS.filter(
    ({ user, variant, country }) => country !== 'BR' || variant !== 'B' || !(Number(user.at(-2)) < 4),
  );

  test('sums to the users of the experiment, for each dimension, and is no other comparison', async () => {
    const { comparison, ratioBy, trail } = await compared(TRAVELLERS, YAML, ['country', 'tenure']);
    expect(comparison.users).toEqual({ A: 1500, B: 1500 });
    expect(ratioBy?.map(({ by, users, sampled }) => [by, users, sampled])).toEqual([
      ['country', 3000, 3000],
      ['tenure', 3000, 3000],
    ]);
    for (const { cohorts } of ratioBy ?? []) {
      for (const name of ['A', 'B']) {
        expect(cohorts.reduce((sum, { users }) => sum + users[name], 0)).toBe(comparison.users[name]);
      }
      expect(cohorts.filter(({ warning }) => warning)).toEqual([]);
    }
    expect(ratioBy?.map(({ cohorts }) => cohorts.length)).toEqual([5, 2]);
    const plain = await compared(TRAVELLERS);
    expect(plain.ratioBy).toBeUndefined();
    expect([plain.comparison, plain.trail]).toEqual([comparison, trail]);
  });

  test('finds the cohort in which it is broken', async () => {
    const { comparison, ratioBy } = await compared(BROKEN, YAML, ['country']);
    expect(comparison.srm).toMatchObject({ mismatch: false, warning: false });
    const [{ cohorts }] = ratioBy ?? [];
    expect(cohorts.filter(({ warning }) => warning).map(({ value }) => value)).toEqual(['BR']);
    const before = new Map<string, Shown>();
    for (const list of BROKEN) if (!before.has(list.user)) before.set(list.user, list);
    const first = [...before.values()].filter(({ country }) => country === 'BR');
    const users = (name: string): number => first.filter(({ variant }) => variant === name).length;
    expect(cohorts[0].users).toEqual({ A: users('A'), B: users('B') });
  });

  test('does not depend on the order in which records of a time come', async () => {
    const shaken = BROKEN.map((list, i) => BROKEN[i % 2 === 0 ? i + 1 : i - 1] ?? list);
    expect((await compared(shaken, YAML, ['country'])).ratioBy).toEqual(
      (await compared(BROKEN, YAML, ['country'])).ratioBy,
    );
  });

  test('counts impressions without the dimension as such, and none before the start', async () => {
    const at = BEGIN + 2 * HOUR;
    const yaml = YAML.replace('primary: mrr', `primary: mrr, start: "${new Date(at).toISOString()}"`);
    const log = TRAVELLERS.map((list) => (list.ts < at + HOUR ? { ...list, country: undefined } : list));
    const { ratioBy } = await compared(log, yaml, ['country']);
    const later = log.filter(({ ts }) => ts >= at);
    const [{ cohorts, users }] = ratioBy ?? [];
    expect(users).toBe(new Set(later.map(({ user }) => user)).size);
    const without = cohorts.find(({ value }) => value === '__none__');
    const first = new Set(later.filter(({ country }) => country === undefined).map(({ user }) => user));
    expect((without?.users['A'] ?? 0) + (without?.users['B'] ?? 0)).toBe(first.size);
    expect(first.size).toBeGreaterThan(500);
  });
});
