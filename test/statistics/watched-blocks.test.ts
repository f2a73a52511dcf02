import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { absent } from '../../src/statistics/absent.ts';
import {
  type BlockPane,
  blocksOf,
  type ErrorSource,
  estimateOf,
  hourBlock,
  hourOf,
  usualShare,
} from '../../src/statistics/watched-blocks.ts';
import { HOUR } from '../../src/vocabulary/durations.ts';

const MINUTE = 60_000;
const STEP = 5 * MINUTE;
const PLAIN: ErrorSource = { from: 'lists', designEffect: 1 };
const T0 = 1_763_769_600_000; // a full hour of UTC

/** A pane of lists of which one in ten has the value 1. */
function pane(minute: number, impressions: number, more: Partial<BlockPane> = {}): BlockPane {
  const positives = Math.round(impressions / 10);
  return {
    start: T0 + minute * MINUTE,
    impressions,
    positives,
    n: impressions,
    sum: positives,
    sumSquares: positives,
    closedByIdle: 0,
    gap: false,
    ...more,
  };
}

function minutes(count: number, impressions: (minute: number) => number): BlockPane[] {
  return Array.from({ length: count }, (_, minute) => pane(minute, impressions(minute)));
}

function span(fromMinute: number, toMinute: number, step = STEP) {
  return { from: T0 + fromMinute * MINUTE, to: T0 + toMinute * MINUTE, step };
}

/** Minutes of begin and end, and state. */
function shape(blocks: ReturnType<typeof blocksOf>) {
  return blocks.map(({ start, end, state }) => [(start - T0) / MINUTE, (end - T0) / MINUTE, state]);
}

describe('blocks', () => {
  it('are the steps where traffic is dense', () => {
    const blocks = blocksOf(
      minutes(15, () => 40),
      span(0, 15),
      PLAIN,
    );
    expect(shape(blocks)).toEqual([
      [0, 5, 'whole'],
      [5, 10, 'whole'],
      [10, 15, 'whole'],
    ]);
    expect(blocks[0]).toMatchObject({ steps: 1, impressions: 200, positives: 20, estimate: { value: 0.1 } });
  });

  it.each([
    [199, 5, [0, 10]],
    [200, 5, [0, 5]],
    [201, 6, [0, 5]],
    [200, 4, [0, 10]],
  ])('of %d impressions and %d positives reach over minutes %j', (impressions, positives, [from, to]) => {
    const [first] = blocksOf(
      [pane(0, impressions, { positives }), pane(7, impressions, { positives })],
      span(0, 10),
      PLAIN,
    );
    expect([(first.start - T0) / MINUTE, (first.end - T0) / MINUTE]).toEqual([from, to]);
  });

  it('take what remains at the end of an hour into the block before it', () => {
    const panes = minutes(60, (minute) => (minute < 55 ? 10 : 0));
    expect(shape(blocksOf(panes, span(0, 60), PLAIN))).toEqual([
      [0, 20, 'whole'],
      [20, 60, 'whole'],
    ]);
  });

  it('leave out what is too small at the end of the span, where more may come', () => {
    expect(
      shape(
        blocksOf(
          minutes(59, () => 10),
          span(0, 59),
          PLAIN,
        ),
      ),
    ).toEqual([
      [0, 20, 'whole'],
      [20, 40, 'whole'],
    ]);
  });

  it('are a whole hour and too small where it has too little, and start over after it', () => {
    const panes = minutes(120, (minute) => (minute < 60 ? 3 : 40));
    expect(shape(blocksOf(panes, span(0, 120), PLAIN)).slice(0, 2)).toEqual([
      [0, 60, 'few'],
      [60, 65, 'whole'],
    ]);
    expect(shape(blocksOf([], span(0, 60), PLAIN))).toEqual([[0, 60, 'few']]);
  });

  it('say nothing of an hour whose begin is missing and which is too small', () => {
    expect(
      blocksOf(
        minutes(60, () => 3),
        span(1, 60),
        PLAIN,
      ),
    ).toEqual([]);
  });

  it('begin with the first whole step', () => {
    expect(
      shape(
        blocksOf(
          minutes(20, () => 40),
          span(1, 20),
          PLAIN,
        ),
      )[0],
    ).toEqual([5, 10, 'whole']);
    expect(
      shape(
        blocksOf(
          minutes(20, () => 40),
          span(5, 20),
          PLAIN,
        ),
      )[0],
    ).toEqual([5, 10, 'whole']);
  });

  it('end an hour with a shorter step where the step does not divide it', () => {
    const blocks = blocksOf(
      minutes(120, () => 100),
      span(0, 120, 25 * MINUTE),
      PLAIN,
    );
    expect(shape(blocks).map(([from, to]) => [from, to])).toEqual([
      [0, 25],
      [25, 50],
      [50, 60],
      [60, 85],
      [85, 110],
      [110, 120],
    ]);
  });

  it.each([
    [10, 'whole'],
    [11, 'incomplete'],
  ])('of 200 impressions of which idle advances closed %d are %s', (closedByIdle, state) => {
    expect(blocksOf([pane(0, 200, { closedByIdle })], span(0, 5), PLAIN)[0].state).toBe(state);
  });

  it('are incomplete where a gap touches them, and do not spoil the block before', () => {
    const panes = [...minutes(5, () => 40), pane(56, 3, { gap: true })];
    expect(shape(blocksOf(panes, span(0, 60), PLAIN))).toEqual([
      [0, 5, 'whole'],
      [5, 60, 'incomplete'],
    ]);
  });

  it('refuse a step that is none', () => {
    expect(() => blocksOf([], span(0, 60, 0), PLAIN)).toThrow(RangeError);
    expect(() => blocksOf([], span(0, 60, HOUR + 1), PLAIN)).toThrow(RangeError);
  });

  const traffic = fc.array(fc.integer({ min: 0, max: 80 }), { minLength: 180, maxLength: 240 });

  it('never overlap, lie in one hour each, and hold what their panes hold', () => {
    fc.assert(
      fc.property(traffic, fc.constantFrom(1, 5, 7, 20, 60), (counts, step) => {
        const panes = counts.map((count, minute) => pane(minute, count));
        const blocks = blocksOf(panes, span(0, counts.length, step * MINUTE), PLAIN);
        let end = T0;
        for (const block of blocks) {
          expect(block.start).toBe(end);
          expect(hourOf(block.end - 1)).toBe(hourOf(block.start));
          const inside = panes.filter(({ start }) => start >= block.start && start < block.end);
          expect(block.impressions).toBe(inside.reduce((sum, { impressions }) => sum + impressions, 0));
          if (block.state === 'whole') expect(block.impressions).toBeGreaterThanOrEqual(200);
          else expect(block.end - block.start).toBe(HOUR);
          end = block.end;
        }
      }),
    );
  });

  it('are the same in every whole hour, wherever the panes begin', () => {
    fc.assert(
      fc.property(traffic, fc.integer({ min: 0, max: 119 }), (counts, from) => {
        const panes = counts.map((count, minute) => pane(minute, count));
        const all = blocksOf(panes, span(0, counts.length), PLAIN);
        const late = blocksOf(panes, span(from, counts.length), PLAIN);
        const whole = (blocks: typeof all) => blocks.filter(({ start }) => start >= T0 + 120 * MINUTE);
        expect(whole(late)).toEqual(whole(all));
      }),
    );
  });
});

describe('the value of a block', () => {
  const sums = { n: 1000, sum: 200, sumSquares: 90 };

  it('has the error of its lists, widened by the design effect', () => {
    expect(estimateOf(sums, PLAIN)?.stderr).toBeCloseTo(0.0070746, 7);
    expect(estimateOf(sums, { from: 'lists', designEffect: 2.25 })?.stderr).toBeCloseTo(0.0106119, 7);
  });

  it('takes the error of the hours for a fraction, larger where it holds less', () => {
    const estimate = estimateOf({ n: 25, sum: 5, sumSquares: 0 }, { from: 'hours', stderr: 0.01, weight: 100 });
    expect(estimate).toEqual({ value: 0.2, stderr: 0.02 });
  });

  it('has error 0, which says that it is unknown, where all lists are equal', () => {
    expect(estimateOf({ n: 300, sum: 300, sumSquares: 300 }, PLAIN)).toEqual({ value: 1, stderr: 0 });
    const third = { n: 300, sum: (300 * 333_333_333) / 1e9, sumSquares: (300 * 111_111_111) / 1e9 };
    expect(estimateOf(third, PLAIN)?.stderr).toBe(0);
    expect(estimateOf(sums, { from: 'hours', stderr: absent('zero_variance'), weight: 9 })?.stderr).toBe(0);
  });

  it('takes the lists as independent where users do not differ', () => {
    expect(estimateOf(sums, { from: 'lists', designEffect: absent('zero_variance') })).toEqual(estimateOf(sums, PLAIN));
  });

  it('is none without lists, of one list, and without a design effect', () => {
    expect(estimateOf({ n: 0, sum: 0, sumSquares: 0 }, PLAIN)).toBeUndefined();
    expect(estimateOf({ n: 1, sum: 1, sumSquares: 1 }, PLAIN)).toBeUndefined();
    expect(estimateOf(sums, { from: 'lists', designEffect: absent('few_buckets') })).toBeUndefined();
  });

  it('is finite for any sums', () => {
    const any = fc.oneof(fc.constantFrom(0, 1, 2, Number.MAX_SAFE_INTEGER, 1e300, Number.MAX_VALUE), fc.nat());
    const source: fc.Arbitrary<ErrorSource> = fc.oneof(
      fc.record({ from: fc.constant('lists' as const), designEffect: any }),
      fc.record({ from: fc.constant('hours' as const), stderr: any, weight: any }),
    );
    fc.assert(
      fc.property(any, any, any, source, (n, sum, sumSquares, from) => {
        const estimate = estimateOf({ n, sum, sumSquares }, from);
        if (estimate === undefined) return;
        expect(Number.isFinite(estimate.value) && Number.isFinite(estimate.stderr)).toBe(true);
        expect(estimate.stderr).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('an hour of the past', () => {
  const state = (impressions: number, more = {}, usual = 0): string =>
    hourBlock(pane(0, impressions, more), { step: 300_000, usual }, PLAIN).state;

  it('is one block of many steps, whole if it is large enough', () => {
    const block = hourBlock(pane(0, 200), { step: 300_000 }, PLAIN);
    expect(block).toMatchObject({ state: 'whole', start: T0, end: T0 + HOUR, steps: 12, impressions: 200 });
    expect(block.estimate?.value).toBe(0.1);
    expect(state(199)).toBe('few');
    expect(state(200, { positives: 4 })).toBe('few');
    expect(state(200, { gap: true })).toBe('incomplete');
    expect(state(200, { closedByIdle: 11 })).toBe('incomplete');
  });

  it('without positives is whole where five of them were to be expected', () => {
    const none = { positives: 0, sum: 0, sumSquares: 0 };
    expect(state(200, none, 0.0249)).toBe('few');
    expect(state(200, none, 0.025)).toBe('whole');
    expect(state(199, none, 1)).toBe('few');
  });

  it('has the share of positives that a quarter of the hours exceed, so that a long fall does not hide itself', () => {
    const hours = (count: number, positives: number) =>
      Array.from({ length: count }, () => ({ impressions: 200, positives }));
    expect(usualShare([...hours(300, 40), ...hours(200, 0)])).toBe(0.2);
    expect(usualShare([...hours(100, 40), ...hours(400, 0)])).toBe(0);
    expect(usualShare([{ impressions: 199, positives: 199 }])).toBe(0);
    expect(usualShare([])).toBe(0);
  });
});

describe('blocks of a cohort whose positives are gone', () => {
  it('end when as many were to be expected, instead of waiting for an hour', () => {
    const panes = Array.from({ length: 12 }, (_, i) => ({
      ...pane(5 * i, 400),
      positives: 0,
      sum: 0,
      sumSquares: 0,
    }));
    const span = { from: T0, to: T0 + HOUR, step: 300_000 };
    expect(blocksOf(panes, span, PLAIN).map(({ state, steps }) => [state, steps])).toEqual([['few', 12]]);
    const blocks = blocksOf(panes, { ...span, usual: 0.2 }, PLAIN);
    expect(blocks).toHaveLength(12);
    for (const { state, estimate } of blocks) expect([state, estimate]).toEqual(['whole', { value: 0, stderr: 0 }]);
  });
});
