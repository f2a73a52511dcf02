import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LEFT_OUT, SUMS_WIDTH, WITH_POSITIVE } from '../../src/measures/contract.ts';
import { measure } from '../../src/measures/measures.ts';
import { parseMeasure } from '../../src/measures/name.ts';
import { compile } from '../../src/measures/scorer.ts';
import { measureValue } from '../../src/measures/value.ts';
import { GRADING, impressions, joined } from './lists.ts';
import { scoredMeasure } from './names.ts';

const grades = fc.array(fc.constantFrom(0, 0, 0, 0.5, 1, 2, 3), { minLength: 1, maxLength: 12 });
const cut = fc.option(fc.integer({ min: 1, max: 14 }), { nil: undefined });
const at = (name: string, k: number | undefined) => (k === undefined ? name : `${name}@${k}`);

describe('the laws of measures', () => {
  it('every value lies in its range', () => {
    fc.assert(
      fc.property(scoredMeasure, impressions(10), (one, list) => {
        const scorer = compile([one], GRADING);
        const out = new Float64Array(3);
        scorer.score(joined(list, scorer.actions), out);
        const [state, value, below] = out;
        if (state === LEFT_OUT) return;
        expect(value).toBeGreaterThanOrEqual(0);
        if (one.name !== 'dcg') expect(value).toBeLessThanOrEqual(scorer.kinds[0] === 'mean' ? 1 : below);
      }),
      { numRuns: 2000 },
    );
  });

  it.each(['mrr', 'ap', 'ndcg'])('moving a positive up never lowers %s', (name) => {
    fc.assert(
      fc.property(grades, fc.nat(), cut, (list, at0, k) => {
        const s = 1 + (at0 % Math.max(1, list.length - 1));
        fc.pre(s < list.length && list[s] >= 1 && list[s - 1] < list[s]);
        const better = list.with(s - 1, list[s]).with(s, list[s - 1]);
        const one = measure(at(name, k));
        const before = one.score({ grades: list }) ?? 0;
        expect(one.score({ grades: better })).toBeGreaterThanOrEqual(before - 1e-12);
      }),
    );
  });

  it.each(['mrr', 'ap', 'rprec', 'ndcg'])('the best order gives 1 for %s', (name) => {
    fc.assert(
      fc.property(grades, (list) => {
        fc.pre(list.some((grade) => grade >= 1));
        expect(measure(name).score({ grades: list.toSorted((a, b) => b - a) })).toBe(1);
      }),
    );
  });

  it('a list without feedback never changes a sum of values', () => {
    fc.assert(
      fc.property(scoredMeasure, impressions(10), (one, list) => {
        const scorer = compile([one], GRADING);
        const out = new Float64Array(3);
        expect(scorer.score(joined({ ...list, events: [] }, scorer.actions), out)).toBe(false);
        expect(out[0]).not.toBe(WITH_POSITIVE);
        expect(out[1]).toBe(0);
      }),
    );
  });

  it('merged sums give the value of all lists at once', () => {
    const lists = fc.array(impressions(8), { maxLength: 6 });
    fc.assert(
      fc.property(scoredMeasure, lists, lists, (one, some, others) => {
        const scorer = compile([one], GRADING);
        const out = new Float64Array(3);
        const sumsOf = (all: typeof some) => {
          const sums: number[] = new Array(SUMS_WIDTH[scorer.kinds[0]]).fill(0);
          for (const list of all) {
            scorer.score(joined(list, scorer.actions), out);
            if (out[0] === LEFT_OUT) continue;
            const [state, value, below] = out;
            const added =
              scorer.kinds[0] === 'fraction'
                ? [Math.round(value * 1e9), Math.round(below * 1e9)]
                : [1, state === WITH_POSITIVE ? 1 : 0, Math.round(value * 1e9), Math.round(value * value * 1e9)];
            added.forEach((amount, i) => {
              sums[i] += amount;
            });
          }
          return sums;
        };
        const [a, b] = [sumsOf(some), sumsOf(others)];
        const merged = a.map((value, i) => value + b[i]);
        expect(measureValue(one, merged)).toBe(measureValue(one, sumsOf([...some, ...others])));
      }),
    );
  });

  it('the cut-off k matters: @1 and @2 differ where only the second slot is a positive', () => {
    for (const name of ['mrr', 'hit', 'precision', 'recall', 'f1', 'ap', 'dcg', 'ndcg', 'ctr', 'rate(action=buy)']) {
      expect(measure(`${name}@1`).score({ grades: [0, 1] })).toBe(0);
      expect(measure(`${name}@2`).score({ grades: [0, 1] })).toBeGreaterThan(0);
    }
  });

  it('a parsed measure carries the full parameters', () => {
    expect([...parseMeasure('ctr(slot=2)@5', { relevantFrom: 1 }).params]).toEqual([
      ['avg', 'micro'],
      ['dup', 'first'],
      ['examined', 'all'],
      ['min_list_length', 1],
      ['per', 'impression'],
      ['slot', 2],
    ]);
  });
});
