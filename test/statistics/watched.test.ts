import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from '../../src/simulate/random.ts';
import type { Baseline } from '../../src/statistics/baseline.ts';
import type { Block, BlockState } from '../../src/statistics/blocks.ts';
import { LABELS, WATCHED_REASONS } from '../../src/statistics/decision-labels.ts';
import { type WatchedFacts, watch } from '../../src/statistics/watched.ts';
import { PATH_BLOCKS, type WatchedBlock, watchedPath } from '../../src/statistics/watched-path.ts';

const STEP = 300_000;
const SETTINGS = { k: 0.5, h: 20, tolerance: 0.01 };
const SE = 0.01;
const WEEKLY: Baseline = { kind: 'weekly', value: 0.3, stderr: 0, between: 0, typical: SE, values: 3 };

interface Given {
  readonly value?: number;
  readonly state?: BlockState;
  readonly past?: Baseline | undefined;
  readonly steps?: number;
  readonly impressions?: number;
}

function watched(given: readonly Given[]): readonly WatchedBlock[] {
  return given.map(({ value = 0.3, state = 'whole', steps = 1, impressions = 1000, ...more }, i) => {
    const estimate = { value, stderr: SE };
    const block: Block = {
      start: i * STEP,
      end: (i + 1) * STEP,
      steps,
      impressions,
      positives: 100,
      state,
      estimate,
    };
    return { block, past: 'past' in more ? more.past : WEEKLY };
  });
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
  return watch({ at: given.length * STEP, replaying: false, blocks: watched(given), settings: SETTINGS, ...more });
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

  it('is warm after 36 steps, though its blocks are joined', () => {
    expect(judge(many(3, { steps: 12 })).reason).toBe('in_control');
    expect(judge(many(3, { steps: 11 })).reason).toBe('warming_up');
  });

  it('warms up while a replay runs', () => {
    expect(judge(noisy(100, ...many(9, FALL)), { replaying: true }).reason).toBe('warming_up');
  });

  it.each([
    ['incomplete', 'invalid', 'incomplete'],
    ['few', 'insufficient', 'few_impressions'],
  ] as const)(
    'whose newest block is %s is %s by %s, even in an alarm, which goes on after it',
    (state, label, reason) => {
      const fallen = noisy(100, ...many(9, FALL), { ...FALL, state });
      expect(judge(fallen)).toMatchObject({ label, reason });
      expect(judge([...fallen, FALL]).reason).toBe('below_baseline');
    },
  );

  it('without a past has no baseline before there are blocks of a while ago', () => {
    const [quiet, ...more] = noisy(40).map((given): Given => ({ ...given, past: undefined }));
    expect(judge([{ ...quiet, steps: 36 }, ...more.slice(0, 33)]).reason).toBe('no_baseline');
    const { reason, newest } = judge([quiet, ...more.slice(0, 35)]);
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
    expect(judge(noisy(100, ...many(9, FALL), ...many(40, {}))).reason).toBe('in_control');
  });

  it('has no alarm in a day of noise', () => {
    expect(judge(noisy(288)).reason).toBe('in_control');
  });

  it.each([
    [0.0099, 'below_baseline'],
    [0.3, 'in_control'],
  ])('with a tolerance of %d is %s by a fall of a sixth', (tolerance, reason) => {
    expect(judge(noisy(100, ...many(20, FALL)), { settings: { ...SETTINGS, tolerance } }).reason).toBe(reason);
  });

  it('counts a size that equals the tolerance', () => {
    const decision = judge(noisy(100, ...many(20, FALL)));
    const size = -(decision.newest?.low.size ?? 0);
    const at = (tolerance: number) =>
      judge(noisy(100, ...many(20, FALL)), { settings: { ...SETTINGS, tolerance } }).reason;
    expect([at(size - 1e-9), at(size), at(size + 1e-9)]).toEqual(['below_baseline', 'below_baseline', 'in_control']);
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
    const last = watchedPath(watched(fallen), { k: 0.5, h: 1e9 }).points.at(-1);
    expect(last?.baseline?.value).toBeLessThan(0.27);
  });

  it('takes the past as soon as there is one, also in an alarm', () => {
    const young = [...many(100, {}), ...many(20, FALL)].map((given): Given => ({ ...given, past: undefined }));
    expect(judge(young).newest?.baseline?.kind).toBe('startup');
    expect(judge([...young, FALL]).newest?.baseline).toBe(WEEKLY);
  });

  it('depends on the last 288 blocks alone where the past is known', () => {
    const values = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 300, maxLength: 330 });
    fc.assert(
      fc.property(values, fc.double({ min: 0, max: 1, noNaN: true }), (list, other) => {
        const given = list.map((value): Given => ({ value }));
        const cut = given.length - PATH_BLOCKS;
        const changed = given.map((block, i): Given => (i < cut ? { value: other } : block));
        expect(watchedPath(watched(changed), SETTINGS)).toEqual(watchedPath(watched(given), SETTINGS));
      }),
      { numRuns: 20 },
    );
  });

  it('depends on the oldest of them', () => {
    const given = noisy(PATH_BLOCKS, {});
    const changed = given.map((block, i): Given => (i === 1 ? { value: 0.1 } : block));
    expect(watchedPath(watched(changed), SETTINGS)).not.toEqual(watchedPath(watched(given), SETTINGS));
  });

  it('has one of five labels with one of its reasons, and finite numbers, for any blocks', () => {
    const number = fc.double({ noNaN: true, noDefaultInfinity: true });
    const positive = fc.double({ min: 0, noNaN: true, noDefaultInfinity: true });
    const baseline = fc.record({
      kind: fc.constantFrom('weekly' as const, 'daily' as const),
      value: number,
      stderr: positive,
      between: positive,
      typical: positive,
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
