/** The share of empty lists by variant, and the test of whether it differs (specification: statistics 5.6). */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { emptyRow, shapeOf } from '../../src/accumulators/row.ts';
import { EMPTY, LISTS, POSITIVES, Vector, vectorStarts } from '../../src/accumulators/vector.ts';
import type { Comparison } from '../../src/experiment/comparison.ts';
import { emptyWords } from '../../src/experiment/comparison-words.ts';
import { evaluate } from '../../src/experiment/evaluate.ts';
import { decodeLooks, encodeLooks, NO_EXPERIMENT_LOOKS } from '../../src/experiment/experiment-looks.ts';
import type { ExperimentState, VariantState } from '../../src/experiment/state.ts';
import { takeLooks } from '../../src/experiment/take-looks.ts';
import { variantState } from '../../src/experiment/units.ts';
import { parseMeasures } from '../../src/measures/grammar/measure-name.ts';
import { Random } from '../../src/simulate/random.ts';
import { AS_OF, SETTINGS, sampleOf, state } from './states.ts';

const { measures } = parseMeasures(['ndcg@10'], { relevantFrom: 1 });
const SHAPE = shapeOf(measures);
const BUCKETS = 256;

/** A variant whose users have so many lists, by bucket, and so many of them empty. */
function variantOf(lists: readonly number[], empty: readonly number[], more: Partial<VariantState> = {}): VariantState {
  const vector = new Vector(BUCKETS, vectorStarts(SHAPE.kinds).at(-1) ?? 0);
  const sum = (all: readonly number[]) => all.reduce((a, b) => a + b, 0);
  for (const [bucket, n] of lists.entries()) {
    vector.addTo(bucket, LISTS, n);
    vector.addTo(bucket, POSITIVES, n - empty[bucket]);
    vector.addTo(bucket, EMPTY, empty[bucket]);
  }
  const row = {
    ...emptyRow(SHAPE),
    impressions: sum(lists),
    positives: sum(lists) - sum(empty),
    empty: sum(empty),
    vector,
  };
  return { ...variantState(row, measures), ...more };
}

const every = (n: number) => Array.from({ length: BUCKETS }, () => n);
const first = (buckets: number, n = 1) => Array.from({ length: BUCKETS }, (_, b) => (b < buckets ? n : 0));

function looked(before: ExperimentState): Comparison {
  return evaluate({ ...before, looks: takeLooks(before) });
}

const USERS = sampleOf([1000, 1000]);

describe('the share of empty lists', () => {
  test('is that of the lists of each bucket, with the error of a mean over users', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(4), fc.nat(4)), { minLength: 20, maxLength: 60 }), (drawn) => {
        const lists = drawn.map(([full, empty]) => full + empty);
        const { empty, impressions, means } = variantOf(
          lists,
          drawn.map(([, none]) => none),
        );
        const share = means.get('empty');
        if (impressions === 0) return expect(share).toEqual({ absent: 'no_data' });
        expect(share).toMatchObject({ value: empty / impressions, df: BUCKETS - 1 });
        const residuals = drawn.map(([full, none]) => none - (empty / impressions) * (full + none));
        const variance = residuals.reduce((sum, e) => sum + e * e, 0);
        const stderr = Math.sqrt((BUCKETS / (BUCKETS - 1)) * variance) / impressions;
        if (drawn.filter(([full, none]) => full + none > 0).length >= 8 && variance > 1e-9) {
          expect(share).toMatchObject({ stderr: expect.closeTo(stderr, 12) });
        }
      }),
    );
  });

  test('is not shown where no list is empty, nor tested', () => {
    const comparison = looked(state({ A: variantOf(every(10), every(0)), B: variantOf(every(10), every(0)) }));
    expect(comparison).not.toHaveProperty('emptyLists');
    expect(comparison.notes).toEqual([]);
  });

  test('that differs is found and noted, also beside a variant without any, and decides nothing by itself', () => {
    const before = state({ A: variantOf(every(10), every(0)), B: variantOf(every(10), every(5)) }, { sample: USERS });
    const half = variantOf(
      every(10),
      Array.from({ length: BUCKETS }, (_, b) => (b % 2 === 0 ? 4 : 6)),
    );
    for (const B of [half, variantOf(every(10), first(128))]) {
      const comparison = looked({ ...before, variants: new Map([...before.variants, ['B', B]]) });
      const { emptyLists, notes, variants } = comparison;
      expect(emptyLists).toEqual({ A: { share: 0 }, B: { share: B.empty / 2560, p: expect.any(Number) } });
      expect(emptyLists?.['B'].p).toBeLessThan(0.001);
      expect(notes).toEqual(['empty_lists']);
      expect(variants[0].decision).not.toBe('invalid');
    }
  });

  test.each([
    [24, null, 'few_positives'],
    [25, expect.any(Number), undefined],
  ])('is tested from 25 empty lists of one variant on: %d', (empty, p, reason) => {
    const { emptyLists } = looked(
      state({ A: variantOf(every(10), every(0)), B: variantOf(every(10), first(empty)) }, { sample: USERS }),
    );
    expect(emptyLists?.['B']).toEqual({ share: empty / 2560, p, ...(reason === undefined ? {} : { reason }) });
  });

  test('counts by Holm over the variants, and evidence that was found stays', () => {
    const settings = { ...SETTINGS, variants: new Map([...SETTINGS.variants, ['C', 0.5]]) };
    const more = { settings, sample: sampleOf([1000, 1000, 1000]) };
    const A = variantOf(every(10), first(128));
    const [B, C] = [variantOf(every(10), first(200)), variantOf(every(10), first(130))];
    const three = state({ A, B, C }, more);
    const looks = takeLooks(three);
    const [b, c] = ['B', 'C'].map((name) => evaluate({ ...three, looks }).emptyLists?.[name].p ?? 1);
    const alone = looked(state({ A, B }, { sample: USERS })).emptyLists?.['B'].p ?? 1;
    expect(b).toBeCloseTo(Math.min(1, 2 * alone), 6);
    expect(c).toBe(1);
    const healed = state({ A, B: A, C: A }, { ...more, looks });
    expect(looked(healed).emptyLists?.['B'].p).toBe(b);
    // More empty lists are worse; looks are stored like those of a measure.
    const kept = looks.measures.get('B')?.get('empty');
    expect([kept?.worse === undefined, kept?.better]).toEqual([false, undefined]);
    expect(decodeLooks(encodeLooks(looks, SETTINGS), '30m').measures.get('B')?.get('empty')).toEqual(kept);
  });

  test('of equal variants is hardly ever said to differ, however often one looks at users who fail again and again', () => {
    const RUNS = 100;
    const LOOKS = 20;
    const random = new Random(7, 'empty lists');
    let [found, naive] = [0, 0];
    for (let run = 0; run < RUNS; run++) {
      /** By variant: lists and empty ones by bucket. A user finds nothing at all, or nearly always something. */
      const sums = ['A', 'B'].map(() => ({ lists: every(0), empty: every(0) }));
      let looks = NO_EXPERIMENT_LOOKS;
      let isNaive = false;
      let last: Comparison | undefined;
      for (let look = 1; look <= LOOKS; look++) {
        for (const { lists, empty } of sums) {
          for (let user = 0; user < 40; user++) {
            const bucket = Math.floor(random.next() * BUCKETS);
            const n = 1 + Math.floor(random.next() * 12);
            const fails = random.next() < 0.1 ? 0.9 : 0.01;
            lists[bucket] += n;
            for (let i = 0; i < n; i++) if (random.next() < fails) empty[bucket]++;
          }
        }
        const [A, B] = sums.map(({ lists, empty }) => variantOf(lists, empty));
        const now = state({ A, B }, { asOf: AS_OF + look, looks, sample: sampleOf([40 * look, 40 * look]) });
        looks = takeLooks(now);
        last = evaluate({ ...now, looks });
        // As if lists were independent, and this look the only one.
        const [a, b] = [A, B].map(({ empty, impressions }) => empty / impressions);
        const error = Math.sqrt((a * (1 - a)) / A.impressions + (b * (1 - b)) / B.impressions);
        if (Math.abs(a - b) > 3.29 * error) isNaive = true;
      }
      if (last?.notes.includes('empty_lists') === true) found++;
      if (isNaive) naive++;
    }
    expect(found).toBe(0);
    expect(naive).toBeGreaterThan(5);
  });

  test('is reported with what it does to the primary measure', () => {
    const emptyLists = { A: { share: 0 }, B: { share: 0.51, p: 1e-9 }, C: { share: 0.01, p: 0.5 } };
    const told = (primary: string) => emptyWords({ emptyLists, control: 'A', primary });
    const begin = '51 % of the lists of B are empty, 0 % of those of A (p <0.0001)';
    expect(told('mrr')).toEqual([`${begin}: they count 0 in mrr, so that is part of the difference.`]);
    for (const primary of ['ctr', 'mrr(min_list_length=1)', 'auc']) {
      expect(told(primary)).toEqual([
        `${begin}: ${primary} does not count them 0, so it compares the requests that found something, which are other ones in each variant.`,
      ]);
    }
    expect(told('length')).toEqual([`${begin}.`]);
  });
});
