import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from '../../src/simulate/random.ts';
import { type Baseline, type PastOf, pastBaseline } from '../../src/statistics/baseline.ts';
import { LABELS, WATCHED_REASONS } from '../../src/statistics/decision.ts';
import { type WatchedFacts, watch } from '../../src/statistics/watched.ts';
import type { Block, BlockState } from '../../src/statistics/watched-blocks.ts';
import { limitOf, type WatchedHistory, watchedPath } from '../../src/statistics/watched-path.ts';

const STEP = 300_000;
const SETTINGS = { k: 0.5, h: 20, tolerance: 0.01 };
const SE = 0.01;
const WEEKLY: Baseline = {
  kind: 'weekly',
  value: 0.3,
  stderr: 0,
  between: 0,
  typical: SE,
  below: 0,
  above: 0,
  values: 3,
};

interface Given {
  readonly value?: number;
  readonly state?: BlockState;
  readonly past?: Baseline | undefined;
  readonly steps?: number;
  readonly impressions?: number;
}

const HOUR = 3_600_000;

/** Blocks of one step each, one after the other from time 0, and the past of their hours: that of the hour's first block. */
function watched(given: readonly Given[]): WatchedHistory {
  let start = 0;
  const pasts = new Map<number, Baseline | undefined>();
  const blocks = given.map(({ value = 0.3, state = 'whole', steps = 1, impressions = 1000, ...more }): Block => {
    const hour = Math.floor(start / HOUR) * HOUR;
    if (!pasts.has(hour)) pasts.set(hour, 'past' in more ? more.past : WEEKLY);
    const estimate = { value, stderr: SE };
    const block = { start, end: start + steps * STEP, steps, impressions, positives: 100, state, estimate };
    start = block.end;
    return block;
  });
  return { blocks, step: STEP, pastOf: (hour) => pasts.get(hour) };
}

/** Values around .3 with a spread of one SE, then as given. */
function noisy(count: number, ...after: readonly Given[]): Given[] {
  const random = new Random(7, 'watched');
  const quiet = Array.from({ length: count }, (): Given => ({ value: 0.3 + SE * random.normal() }));
  return [...quiet, ...after];
}

function many(count: number, given: Given): Given[] {
  return Array.from({ length: count }, () => given);
}

function judge(given: readonly Given[], more: Partial<WatchedFacts> = {}) {
  return watch({ at: given.length * STEP, replaying: false, ...watched(given), settings: SETTINGS, ...more });
}

const FALL = { value: 0.3 - 5 * SE };
const RISE = { value: 0.3 + 5 * SE };

describe('a watched cohort', () => {
  it.each([
    [0, 'warming_up'],
    [35, 'warming_up'],
    [36, 'in_control'],
    [37, 'in_control'],
  ])('of %d blocks is %s', (count, reason) => {
    expect(judge(noisy(count)).reason).toBe(reason);
  });

  /** The reasons after each block, from the end of the fall on. */
  const reasonsAfter = (before: readonly Given[], after: readonly Given[]): readonly string[] =>
    after.map((_, i) => judge([...before, ...after.slice(0, i + 1)]).reason);

  it.each([
    ['blocks of a while ago', undefined],
    ['the same hour of the last weeks', WEEKLY],
  ])('is back, and never improved, after a fall was mended: against %s (specification: statistics 10.2)', (_, past) => {
    const fallen = noisy(80, ...many(60, FALL)).map((given) => ({ ...given, past }));
    expect(judge(fallen).reason).toBe('below_baseline');
    const mended = noisy(200).map((given) => ({ ...given, past }));
    const reasons = reasonsAfter(fallen, mended);
    expect([...new Set(reasons)]).toEqual(['below_baseline', 'recovered']);
    const { label, recovered } = judge([...fallen, ...mended]);
    expect(label).toBe('healthy');
    expect(recovered?.from).toBe(80 * STEP);
    expect(recovered?.to).toBeGreaterThan(140 * STEP);
    expect(recovered?.to).toBeLessThan(170 * STEP);
  });

  it('is compared with what it was before the fall where it stays lower afterwards', () => {
    const fallen = noisy(80, ...many(60, { value: 0.3 - 10 * SE })).map((given) => ({ ...given, past: undefined }));
    const lower = noisy(120).map(({ value = 0 }) => ({ value: value - 3 * SE, past: undefined }));
    expect(judge([...fallen, ...lower]).reason).toBe('below_baseline');
  });

  it('is in control again a day after it is back', () => {
    const fallen = noisy(80, ...many(60, FALL));
    expect(judge([...fallen, ...noisy(280)]).reason).toBe('recovered');
    expect(judge([...fallen, ...noisy(320)]).reason).toBe('in_control');
  });

  it('is warm after 36 steps, though its blocks are joined', () => {
    expect(judge(many(3, { steps: 12 })).reason).toBe('in_control');
    expect(judge(many(3, { steps: 11 })).reason).toBe('warming_up');
  });

  it('warms up while a replay runs', () => {
    expect(judge(noisy(100, ...many(9, FALL)), { replaying: true }).reason).toBe('warming_up');
  });

  it('whose newest block misses records is invalid, even in an alarm, which goes on after it', () => {
    const fallen = noisy(100, ...many(9, FALL), { ...FALL, state: 'incomplete' });
    expect(judge(fallen)).toMatchObject({ label: 'invalid', reason: 'incomplete' });
    expect(judge([...fallen, FALL]).reason).toBe('below_baseline');
  });

  it('whose newest block is too small is insufficient, unless it is regressed: a quiet night ends no alarm', () => {
    expect(judge(noisy(100, { state: 'few' }))).toMatchObject({ label: 'insufficient', reason: 'few_impressions' });
    const fallen = noisy(100, ...many(9, FALL), ...many(12, { ...FALL, state: 'few' }));
    expect(judge(fallen)).toMatchObject({ label: 'regressed', reason: 'below_baseline' });
    const risen = noisy(100, ...many(9, RISE), { ...RISE, state: 'few' });
    expect(judge(risen)).toMatchObject({ label: 'insufficient', reason: 'few_impressions' });
  });

  it('without a past has no baseline before there are blocks of a while ago', () => {
    const [quiet, ...more] = noisy(40).map((given): Given => ({ ...given, past: undefined }));
    const gap: Given = { ...quiet, state: 'incomplete' };
    const late = [...many(24, gap), ...more.slice(0, 24)];
    expect(judge(late.slice(0, -1)).reason).toBe('no_baseline');
    expect(judge([...late, quiet]).newest?.baseline).toMatchObject({ kind: 'startup', values: 12 });
    const { reason, newest } = judge([quiet, ...more.slice(0, 36)]);
    expect(reason).toBe('in_control');
    expect(newest?.baseline).toMatchObject({ kind: 'startup', values: 24 });
  });

  it('regresses by a fall, with its onset, its size and the time since which it is known', () => {
    const decision = judge([...many(100, {}), ...many(20, FALL)]);
    expect(decision).toMatchObject({ label: 'regressed', reason: 'below_baseline', since: 103 * STEP });
    expect(decision.newest?.low.onset).toBe(100 * STEP);
    expect(decision.newest?.low.size).toBeCloseTo(-5 * (SE / 0.3), 12);
    expect(decision.newest?.high).toEqual({ s: 0, on: false, onset: undefined, size: undefined });
    expect(judge([...many(100, {}), ...many(2, FALL)]).reason).toBe('in_control');
  });

  it('improves by a rise', () => {
    const decision = judge([...many(100, {}), ...many(20, RISE)]);
    expect(decision).toMatchObject({ label: 'improved', reason: 'above_baseline', since: 103 * STEP });
    expect(decision.newest?.high.size).toBeCloseTo(5 * (SE / 0.3), 12);
  });

  it('of a measure of which less is better regresses by a rise and improves by a fall', () => {
    const settings = { ...SETTINGS, lowerIsBetter: true };
    const risen = judge([...many(100, {}), ...many(20, RISE)], { settings });
    expect(risen).toMatchObject({ label: 'regressed', reason: 'above_baseline', since: 103 * STEP });
    const fallen = judge([...many(100, {}), ...many(20, FALL)], { settings });
    expect(fallen).toMatchObject({ label: 'improved', reason: 'below_baseline', since: 103 * STEP });
    expect(judge(noisy(100), { settings }).reason).toBe('in_control');
  });

  it('recovers: the alarm goes off at h/2', () => {
    expect(judge(noisy(100, ...many(9, FALL), ...many(40, {}))).reason).toBe('recovered');
  });

  it('has no alarm in a day of noise', () => {
    expect(judge(noisy(288)).reason).toBe('in_control');
  });

  it('is not regressed by what the tolerance allows, and is by more', () => {
    const fallBy = (share: number) => judge(noisy(100, ...many(100, { value: 0.3 * (1 - share) })), { settings });
    const settings = { ...SETTINGS, tolerance: 0.1 };
    expect(fallBy(0.09).reason).toBe('in_control');
    expect(fallBy(0.1).reason).toBe('in_control');
    // A slack of k = .5 errors beside the tolerance: .1 and .0167 of the baseline.
    expect(fallBy(0.116).reason).toBe('in_control');
    expect(fallBy(0.14).reason).toBe('below_baseline');
  });

  it('weighs the size by impressions', () => {
    const falls = [
      ...many(10, { ...FALL, impressions: 3000 }),
      ...many(10, { value: 0.3 - 10 * SE, impressions: 1000 }),
    ];
    const { newest } = judge([...many(100, { value: 0.302 }), ...falls]);
    expect(newest?.low.onset).toBe(100 * STEP);
    expect(newest?.low.size).toBeCloseTo((-5 * SE * 0.75 - 10 * SE * 0.25) / 0.3, 12);
  });

  it('counts a rise from a baseline of 0, which has no size', () => {
    const zero: Baseline = { ...WEEKLY, value: 0 };
    const decision = judge([...many(100, { value: 0, past: zero }), ...many(20, { value: 0.05, past: zero })]);
    expect(decision.reason).toBe('above_baseline');
    expect(decision.newest?.high.size).toBeUndefined();
  });

  it('does not let a start-up baseline follow the fall while S is h/2 or more', () => {
    const young = (given: Given): Given => ({ ...given, past: undefined });
    const fallen = noisy(120, ...many(60, FALL)).map(young);
    const { reason, newest } = judge(fallen);
    expect(reason).toBe('below_baseline');
    expect(newest?.baseline?.value).toBeGreaterThan(0.29);
    const last = watchedPath(watched(fallen), { k: 0.5, h: 1e9, tolerance: 0.01 }).points.at(-1);
    expect(last?.baseline?.value).toBeLessThan(0.27);
  });

  it('takes the past as soon as there is one, also in an alarm', () => {
    const young = [...many(100, {}), ...many(20, FALL)].map((given): Given => ({ ...given, past: undefined }));
    expect(judge(young).newest?.baseline?.kind).toBe('startup');
    expect(judge([...young, FALL]).newest?.baseline).toBe(WEEKLY);
  });

  it('counts longer blocks by a lower limit, and S keeps its share where the length changes', () => {
    expect([1, 2, 12].map((steps) => limitOf(20, steps))).toEqual([20, 15, 15]);
    const { points } = watchedPath(watched([...many(48, {}), ...many(3, FALL), { ...FALL, steps: 4 }]), SETTINGS);
    const [before, after] = points.slice(-2);
    const free = (SETTINGS.tolerance * WEEKLY.value) / SE;
    expect(after.low.s).toBeCloseTo(Math.min(15, before.low.s * 0.75 + (5 - free) / 0.5 - 0.5), 9);
  });
});

/** Days of whole hours with a past of their own, then a day of steps: what an exporter has. */
describe('a watched cohort in the long run', () => {
  const DAY = 24 * HOUR;
  const DAYS = 22;

  interface Level {
    /** By day and hour of the day, as a share of .3. */
    readonly share: (day: number, hour: number) => number;
    readonly lowerIsBetter?: boolean;
    readonly days?: number;
    /** Of them. */
    readonly kept?: number;
  }

  /** What is said at the end of the last of the days. */
  function said({ share, lowerIsBetter = false, days = DAYS, kept = DAYS }: Level) {
    const random = new Random(11, 'long run');
    const valueAt = (start: number): number => {
      const day = Math.floor(start / DAY);
      return 0.3 * share(day, (start - day * DAY) / HOUR) + (SE / 4) * random.normal();
    };
    const blockOf = (start: number, length: number): Block => ({
      start,
      end: start + length,
      steps: length / STEP,
      impressions: (1000 * length) / STEP,
      positives: (200 * length) / STEP,
      state: 'whole',
      estimate: { value: valueAt(start), stderr: length === HOUR ? SE / 4 : SE },
    });
    const first = Math.max(0, days - kept);
    const hours = Array.from({ length: (days - 1 - first) * 24 }, (_, i) => blockOf(first * DAY + i * HOUR, HOUR));
    const steps = Array.from({ length: 288 }, (_, i) => blockOf((days - 1) * DAY + i * STEP, STEP));
    const known = new Map(hours.map(({ start, estimate }) => [start, estimate]));
    const pastOf: PastOf = (hour, isBad) => {
      const back = (every: number, count: number) =>
        Array.from({ length: count }, (_, i) => hour - (i + 1) * every).map((at) =>
          isBad(at) ? undefined : known.get(at),
        );
      return pastBaseline(back(7 * DAY, 3), back(DAY, 7));
    };
    const settings = { k: 0.5, h: 20, tolerance: 0.03, lowerIsBetter };
    return watch({ at: days * DAY, replaying: false, blocks: [...hours, ...steps], step: STEP, pastOf, settings });
  }

  const fallAfter =
    (from: number, by = 0.6, to = Number.POSITIVE_INFINITY) =>
    (day: number): number =>
      day >= from && day < to ? 1 - by : 1;

  it.each([1, 2, 4, 7, 8, 10, 14, 16, 18])('is regressed by a fall that has lasted for %d days', (age) => {
    for (const by of [0.1, 0.6, 1]) {
      const decision = said({ share: fallAfter(DAYS - age, by) });
      expect(decision).toMatchObject({ label: 'regressed', reason: 'below_baseline' });
      expect(decision.newest?.low.onset).toBeGreaterThanOrEqual((DAYS - age) * DAY - HOUR);
      expect(decision.newest?.low.onset).toBeLessThanOrEqual((DAYS - age) * DAY + HOUR);
      expect(decision.newest?.low.size).toBeCloseTo(-by, 1);
    }
  });

  it('takes a fall of three weeks for its past, as nothing from before it is kept', () => {
    expect(said({ share: fallAfter(0), days: 30 }).label).toBe('healthy');
    expect(said({ share: fallAfter(8), days: 30 }).label).toBe('healthy');
  });

  it.each([20, 40, 60])('is regressed by a fall that has lasted for %d days, where so much is kept', (age) => {
    const decision = said({ share: fallAfter(4, 0.3), days: age + 4, kept: 64 });
    expect(decision).toMatchObject({ label: 'regressed', reason: 'below_baseline' });
    expect(decision.newest?.low.size).toBeCloseTo(-0.3, 1);
  });

  it('is healthy again when the fall has ended, and the fall is no past that a return could rise above', () => {
    expect(said({ share: fallAfter(14, 0.6, 21) }).label).toBe('healthy');
    expect(said({ share: fallAfter(19, 0.6, 21) }).label).toBe('healthy');
  });

  it('is back, and not improved, where all that it is compared with was regressed', () => {
    for (const to of [11, 12, 13]) {
      const decision = said({ share: fallAfter(4, 0.6, to), days: to + 1 });
      expect(decision).toMatchObject({ label: 'healthy', reason: 'recovered' });
      expect(decision.recovered?.from).toBe(4 * DAY);
    }
  });

  it('of a measure of which less is better stays regressed by a rise', () => {
    expect(said({ share: fallAfter(DAYS - 10, -0.3), lowerIsBetter: true })).toMatchObject({
      label: 'regressed',
      reason: 'above_baseline',
    });
  });

  it('lets what is better become the norm, and a return from it is a fall', () => {
    expect(said({ share: fallAfter(DAYS - 2, -0.3) }).label).toBe('improved');
    const upForTwoWeeks = (day: number): number => (day < 4 ? 1 : day < 21 ? 1.3 : 1);
    expect(said({ share: upForTwoWeeks }).label).toBe('regressed');
  });

  it('is not regressed by weekends that are always 10 % lower, from the second on', () => {
    const weekend = (day: number): number => (day % 7 >= 5 ? 0.9 : 1);
    for (let days = 13; days <= 28; days++)
      expect([days, said({ share: weekend, days }).label]).toEqual([days, 'healthy']);
  });

  it('is not regressed by nights that are always 30 % lower, from the fourth on', () => {
    const night = (_day: number, hour: number): number => (hour < 6 ? 0.7 : 1);
    for (let days = 4; days <= 9; days++) expect([days, said({ share: night, days }).label]).toEqual([days, 'healthy']);
  });
});

describe('any watched cohort', () => {
  it('has one of five labels with one of its reasons, and finite numbers, for any blocks', () => {
    const number = fc.double({ noNaN: true, noDefaultInfinity: true });
    const positive = fc.double({ min: 0, noNaN: true, noDefaultInfinity: true });
    const baseline = fc.record({
      kind: fc.constantFrom('weekly' as const, 'daily' as const),
      value: number,
      stderr: positive,
      between: positive,
      typical: positive,
      below: positive,
      above: positive,
      values: fc.constant(3),
    });
    const given = fc.record({
      value: number,
      state: fc.constantFrom<BlockState>('whole', 'whole', 'incomplete', 'few'),
      past: fc.option(baseline, { nil: undefined }),
      impressions: fc.nat(),
    });
    fc.assert(
      fc.property(fc.array(given, { maxLength: 80 }), fc.boolean(), (blocks, replaying) => {
        const { label, reason, since, scale, newest } = judge(blocks, { replaying });
        expect(LABELS).toContain(label);
        expect(WATCHED_REASONS[label]).toContain(reason);
        const { low, high, z } = newest ?? {};
        for (const found of [since, scale, z, low?.s, low?.size, low?.onset, high?.s, high?.size]) {
          expect(found === undefined || Number.isFinite(found)).toBe(true);
        }
      }),
      { numRuns: 200 },
    );
  });
});
