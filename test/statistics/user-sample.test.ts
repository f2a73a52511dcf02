import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CROSSOVER_SHARE, exposureOf, isCrossed } from '../../src/statistics/exposure.ts';
import { SampleUnion } from '../../src/statistics/sample-union.ts';
import { MOST_VARIANTS, type Sampled, type SampledUser } from '../../src/statistics/sampled.ts';
import { fieldsOfSample, MOST_GONE, sampleOfFields, UserSample } from '../../src/statistics/user-sample.ts';
import { sampleKey } from '../../src/vocabulary/user-words.ts';
import { mergeSamples, usersOf } from './merged-samples.ts';
import { readSample } from './read-sample.ts';

const K = 64;
interface Shown {
  readonly user: number;
  readonly variant: number;
  readonly ts: number;
}

const shown: fc.Arbitrary<Shown> = fc.record({
  user: fc.integer({ min: 0, max: 400 }),
  variant: fc.integer({ min: 0, max: 2 }),
  ts: fc.integer({ min: 0, max: 20 }),
});
const history = fc.array(shown, { maxLength: 600, size: 'max' });

function sampleOf(events: readonly Shown[], capacity = K): UserSample {
  const sample = new UserSample(capacity);
  for (const { user, variant, ts } of events) sample.add(`user-${user}`, variant, ts);
  return sample;
}

function exposed(samples: readonly Sampled[]) {
  const union = new SampleUnion();
  for (const sample of samples) union.add(sample);
  return union.exposed();
}

const state = (sample: UserSample) => ({ level: sample.level, users: usersOf(sample) });

/** The definition: all users in a table, then the smallest level that fits. */
function byTable(events: readonly Shown[], capacity: number): ReturnType<typeof state> {
  const table = new Map<number, { seen: Set<number>; ts: number; variant: number }>();
  for (const { user, variant, ts } of events) {
    const key = sampleKey(`user-${user}`);
    const entry = table.get(key) ?? { seen: new Set(), ts, variant };
    entry.seen.add(variant);
    if (ts < entry.ts || (ts === entry.ts && variant < entry.variant)) Object.assign(entry, { ts, variant });
    table.set(key, entry);
  }
  let level = 0;
  const kept = () => [...table].filter(([key]) => key / 2 ** 21 < 2 ** (32 - level));
  while (kept().length > capacity) level++;
  const users = kept()
    .sort(([a], [b]) => a - b)
    .map(([key, { seen, ts, variant }]) => ({
      key,
      seen: [...seen].reduce((bits, v) => bits + 2 ** v, 0),
      ts,
      variant,
    }));
  return { level, users };
}

describe('a user sample', () => {
  it('is what a table of all users would give', () => {
    const levels = new Set<number>();
    fc.assert(
      fc.property(history, (events) => {
        const sample = sampleOf(events);
        levels.add(sample.level);
        expect(state(sample)).toEqual(byTable(events, K));
      }),
    );
    expect(levels.size).toBeGreaterThan(2);
  });

  it('does not depend on order or repetition', () => {
    fc.assert(
      fc.property(history, (events) => {
        const again = [...events].reverse().concat(events.slice(0, 50));
        expect(state(sampleOf(again))).toEqual(state(sampleOf(events)));
      }),
    );
  });

  it('of level 0 is a plain set', () => {
    fc.assert(
      fc.property(history, (events) => {
        const sample = sampleOf(events, 1000);
        expect(sample.level).toBe(0);
        expect(exposureOf(exposed([sample]), 3).users).toBe(new Set(events.map(({ user }) => user)).size);
        for (const variant of [0, 1, 2]) {
          const users = new Set(events.filter((event) => event.variant === variant).map(({ user }) => user));
          expect(exposureOf(exposed([sample]), 3).seen[variant]).toBe(users.size);
        }
      }),
    );
  });

  it('merges to the sample of the united history, in any order and grouping', () => {
    fc.assert(
      fc.property(history, history, history, (a, b, c) => {
        const [x, y, z] = [a, b, c].map((events) => sampleOf(events));
        const whole = state(sampleOf([...a, ...b, ...c]));
        expect(state(mergeSamples([mergeSamples([x, y], K), z], K))).toEqual(whole);
        expect(state(mergeSamples([z, mergeSamples([y, x], K)], K))).toEqual(whole);
        expect(state(mergeSamples([y, z, x], K))).toEqual(whole);
        expect(state(mergeSamples([], K))).toEqual({ level: 0, users: [] });
        expect(state(mergeSamples([x, x], K))).toEqual(state(x));
        expect(state(mergeSamples([x, new UserSample(K)], K))).toEqual(state(x));
      }),
    );
  });

  it('of several units, read together, keeps all below the larger level', () => {
    fc.assert(
      fc.property(history, history, (a, b) => {
        const [x, y] = [sampleOf(a), sampleOf(b)];
        const read = mergeSamples([x, y], Number.POSITIVE_INFINITY);
        expect(read.level).toBe(Math.max(x.level, y.level));
        const users = new Set([...a, ...b].map(({ user }) => sampleKey(`user-${user}`)));
        expect(read.size).toBe([...users].filter((key) => key < 2 ** (53 - read.level)).length);
      }),
    );
  });

  it.each([
    [63, 0],
    [64, 0],
    [65, 1],
  ])('of %i users has level %i', (count, level) => {
    const keys = Array.from({ length: count }, (_, i) => i * 2 ** 46);
    const sample = new UserSample(K);
    for (const key of keys) sample.addKey(key, 0, 0);
    expect(sample.level).toBe(level);
  });

  it('estimates the number of users', () => {
    const sample = new UserSample(4096);
    for (let i = 0; i < 100_000; i++) sample.add(`visitor ${i}`, i % 2, i);
    const { users, level, sampled, first, crossovers } = exposureOf(exposed([sample]), 2);
    expect([level, users]).toEqual([5, sampled * 32]);
    expect(Math.abs(users / 100_000 - 1)).toBeLessThan(0.08);
    expect([first[0] + first[1], crossovers]).toEqual([sampled, 0]);
  });

  it('comes back from the fields of a hash that followed it, also where the level rose on the way', () => {
    const rises = { first: 0, later: 0, none: 0 };
    fc.assert(
      fc.property(fc.array(history, { maxLength: 5 }), (parts) => {
        const sample = new UserSample(K);
        const stored = new Map<string, string>();
        for (const part of parts) {
          const before = sample.level;
          for (const { user, variant, ts } of part) sample.add(`user-${user}`, variant, ts);
          const change = sample.drain();
          rises[sample.level === before ? 'none' : stored.size === 0 ? 'first' : 'later']++;
          expect(change.raised).toBe(sample.level !== before);
          for (const [field, text] of fieldsOfSample(change)) stored.set(field, text);
          const nothing = { level: sample.level, raised: false, users: [], gone: [] };
          expect(sample.drain()).toEqual(nothing);
          expect(fieldsOfSample(sample.drain())).toEqual(new Map());
          // Whoever continues before those who are out were removed passes over them, and removes them.
          const out = [...stored.keys()].filter((field) => Number(field) >= 2 ** (53 - sample.level)).map(Number);
          const early = sampleOfFields(stored, MOST_VARIANTS, K);
          expect(state(early)).toEqual(state(sample));
          expect(readSample(stored).size).toBe(sample.size);
          expect(exposed([readSample(stored)])).toEqual(exposed([sample]));
          const { gone, ...rest } = early.drain();
          expect([...gone].sort()).toEqual(out.sort());
          expect(rest).toEqual({ level: sample.level, raised: false, users: [] });
          expect(change.gone).toEqual(expect.arrayContaining(out));
          for (const key of change.gone) stored.delete(String(key));
          const read = sampleOfFields(stored, MOST_VARIANTS, K);
          expect(state(read)).toEqual(state(sample));
          expect(read.drain()).toEqual(nothing);
          expect(stored.size).toBe(sample.size === 0 ? 0 : sample.size + 1);
        }
      }),
    );
    expect(Math.min(rises.first, rises.later, rises.none)).toBeGreaterThan(10);
  });

  it('is stored as its level and a field for each user', () => {
    const sample = new UserSample(K);
    sample.addKey(5, 0, 11);
    sample.addKey(5, 1, 10);
    sample.addKey(2 ** 52, 2, -3);
    const fields = fieldsOfSample(sample.drain());
    expect([...fields]).toEqual([
      ['level', '0'],
      ['5', '[3,10,1]'],
      ['4503599627370496', '[4,-3,2]'],
    ]);
    const read: SampledUser[] = [];
    readSample(fields).each((key, seen, ts, variant) => read.push({ key, seen, ts, variant }));
    expect(read).toEqual(usersOf(sample));
    expect(readSample(new Map())).toMatchObject({ level: 0, size: 0 });
  });

  it('that is read with a smaller capacity stores its level, and removes those who are out', () => {
    const large = sampleOf(Array.from({ length: 50 }, (_, user) => ({ user, variant: 0, ts: 0 })));
    const small = new UserSample(10, large.level, usersOf(large));
    expect(small.size).toBeLessThanOrEqual(10);
    const { gone, ...rest } = small.drain();
    expect(rest).toEqual({ level: small.level, raised: true, users: [] });
    const out = usersOf(large).filter(({ key }) => key >= 2 ** (53 - small.level));
    expect([...gone].sort()).toEqual(out.map(({ key }) => key).sort());
  });

  it.each([
    [0, [MOST_GONE, MOST_GONE, 1000, 0]],
    [MOST_GONE - 1, [MOST_GONE, MOST_GONE, 1000, 0]],
    [MOST_GONE + 1, [MOST_GONE + 1, MOST_GONE, 999, 0]],
  ])('removes those who are out in pieces; with %i new users %j', (users, pieces) => {
    const sample = new UserSample(10_000);
    const half = 2 ** 52;
    for (let n = 0; n < 5000; n++) sample.addKey(half + n, 0, n);
    for (let n = 0; n < 5000; n++) sample.addKey(n, 0, n);
    expect(sample.drain().gone).toEqual([]);
    sample.addKey(half + 5000, 0, 0);
    expect(sample).toMatchObject({ level: 1, size: 5000 });
    for (let n = 0; n < users; n++) sample.addKey(5000 + n, 0, n);
    const gone = pieces.map(() => sample.drain().gone);
    expect(gone.map(({ length }) => length)).toEqual(pieces);
    expect(gone.flat().sort((a, b) => a - b)).toEqual(Array.from({ length: 5000 }, (_, n) => half + n));
  });

  it.each([
    [MOST_VARIANTS - 1, false],
    [MOST_VARIANTS, true],
    [-1, true],
  ])('of variant %i: throws %s', (variant, throws) => {
    const add = () => {
      const sample = new UserSample();
      sample.add('user-1', variant, 0);
      sample.add('user-1', 0, 1);
      return exposureOf(exposed([sample]), MOST_VARIANTS);
    };
    if (throws) expect(add).toThrow(RangeError);
    else expect(add()).toMatchObject({ crossovers: 1, sampled: 1 });
  });

  it.each([
    ['5', '[1,2]', 'user sample: 5: expected [variants, time, variant], found [1,2]'],
    ['5', '[1,0.5,0]', 'user sample: 5: expected [variants, time, variant], found [1,0.5,0]'],
    ['5', '[1,2,3]]', 'user sample: 5: expected [variants, time, variant], found [1,2,3]]'],
    ['5', '[1,2,31]', 'user sample: 5: no user of 31 variants: [1,2,31]'],
    ['5', '[2147483648,2,0]', 'user sample: 5: no user of 31 variants: [2147483648,2,0]'],
    ['5', '{}', 'user sample: 5: expected [variants, time, variant]'],
    ['5', '[1,99999999999999999999,0]', 'user sample: 5: expected whole numbers'],
    ['nobody', '[1,2,0]', 'user sample: nobody: expected whole numbers'],
    ['level', 'x', 'user sample: level: expected whole numbers, found x'],
  ])('reports which stored field is wrong: %s %s', (field, text, message) => {
    expect(() => sampleOfFields(new Map([[field, text]]), MOST_VARIANTS)).toThrow(message);
  });
});

describe('the samples of several units together', () => {
  it('are counted as their merge is, in any order, however stored, and again', () => {
    const levels = new Set<string>();
    fc.assert(
      fc.property(fc.array(history, { maxLength: 4 }), fc.constantFrom(16, K, 1000), (parts, capacity) => {
        const samples = parts.map((events) => sampleOf(events, capacity));
        const merged = mergeSamples(samples, Number.POSITIVE_INFINITY);
        const counted = exposed(samples);
        const { level } = merged;
        levels.add(samples.some((sample) => sample.level !== level) ? 'mixed' : `all ${level}`);
        const groups = new Map<string, { seen: number; variant: number; users: number }>();
        for (const { seen, variant } of usersOf(merged)) {
          const users = groups.get(`${seen} ${variant}`)?.users ?? 0;
          groups.set(`${seen} ${variant}`, { seen, variant, users: users + 1 });
        }
        const wanted = [...groups.values()].sort((a, b) => a.seen - b.seen || a.variant - b.variant);
        const times = usersOf(merged).map(({ ts }) => ts);
        const began = times.length === 0 ? undefined : Math.min(...times);
        expect(counted).toEqual({ level, sampled: merged.size, began, groups: wanted });
        const stored = samples.map((sample) =>
          readSample(fieldsOfSample({ level: sample.level, raised: true, users: usersOf(sample) })),
        );
        expect(exposed([...stored].reverse())).toEqual(counted);
        expect(exposed([...samples, ...stored, merged])).toEqual(counted);
      }),
    );
    expect(levels.has('mixed') && levels.size > 3).toBe(true);
  });

  it('of thousands of users grow as they must', () => {
    const samples = [0, 1, 2].map((n) => {
      const events = Array.from({ length: 5000 }, (_, i) => ({ user: n * 4000 + i, variant: i % 3, ts: i }));
      return sampleOf(events, 1e6);
    });
    const merged = mergeSamples(samples, Number.POSITIVE_INFINITY);
    expect(merged.size).toBe(13_000);
    const alone = new UserSample(Number.POSITIVE_INFINITY, 0, usersOf(merged));
    expect(exposed(samples)).toEqual(exposed([alone]));
    const { first, crossovers } = exposureOf(exposed(samples), 3);
    const users = usersOf(merged);
    expect(first).toEqual([0, 1, 2].map((v) => users.filter(({ variant }) => variant === v).length));
    expect(crossovers).toBe(users.filter(({ seen }) => ![1, 2, 4].includes(seen)).length);
  });

  it('as they were counted do not change with what comes later', () => {
    const union = new SampleUnion();
    union.add(sampleOf([{ user: 1, variant: 0, ts: 5 }]));
    const before = union.exposed();
    union.add(sampleOf([{ user: 1, variant: 1, ts: 3 }]));
    expect(before.groups).toEqual([{ seen: 1, variant: 0, users: 1 }]);
    expect(union.exposed().groups).toEqual([{ seen: 3, variant: 1, users: 1 }]);
  });
});

describe('user ids that were chosen to collide', () => {
  /** Keys that end in the same bits, as whoever knows the hash of ids finds them by trying. */
  const chosen: readonly SampledUser[] = Array.from({ length: 4000 }, (_, n) => ({
    key: n * 2 ** 20 + 5,
    seen: 1,
    ts: 0,
    variant: 0,
  }));

  it.each([1, 2, 3, 2 ** 47 + 12_345])('cost no more than others: seed %i', (hashSeed) => {
    const union = new SampleUnion({ hashSeed });
    for (const { key, seen, ts, variant } of chosen) union.put(key, seen, ts, variant);
    expect(union.size).toBe(chosen.length);
    // Half full, a search goes through 1.5 slots in the mean (Knuth, volume 3, section 6.4).
    expect(union.probes).toBeLessThan(2);
    union.raise(1);
    expect(union.probes).toBeLessThan(2);
  });

  it('and how they are found changes no answer', () => {
    fc.assert(
      fc.property(history, fc.nat(), fc.nat({ max: 2 ** 48 - 2 }), (events, capacity, hashSeed) => {
        const sample = new UserSample(1 + (capacity % K), 0, [], hashSeed);
        for (const { user, variant, ts } of events) sample.add(`user-${user}`, variant, ts);
        const plain = sampleOf(events, 1 + (capacity % K));
        expect(state(sample)).toEqual(state(plain));
        expect(sample.drain()).toEqual(plain.drain());
        const union = new SampleUnion({ hashSeed });
        union.add(sample);
        expect(union.exposed()).toEqual(exposed([plain]));
      }),
    );
  });
});

describe('crossover', () => {
  it.each([
    [9, 100, false],
    [10, 100, true],
    [11, 100, true],
    [10, 1000, true],
    [10, 1001, false],
  ])('of %i users in %i: %s', (crossovers, sampled, crossed) => {
    expect(isCrossed({ crossovers, sampled })).toBe(crossed);
    expect(CROSSOVER_SHARE).toBe(0.01);
  });
});
