import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LEFT_OUT, WITH_POSITIVE } from '../../src/measures/contract.ts';
import type { Measure } from '../../src/measures/family.ts';
import { parseMeasure } from '../../src/measures/name.ts';
import { compile } from '../../src/measures/scorer.ts';
import { fixedGrade, GRADING, impressions, joined } from './lists.ts';
import { scoredMeasure } from './names.ts';
import { type PlainImpression, plainGrades, plainScore } from './reference.ts';

const parse = (text: string) => parseMeasure(text, { relevantFrom: 1 });

function expectAgreement(measures: readonly Measure[], lists: readonly PlainImpression[]): void {
  const scorer = compile(measures, GRADING);
  const out = new Float64Array(3 * measures.length);
  for (const list of lists) {
    const positive = scorer.score(joined(list, scorer.actions), out);
    expect(positive).toBe(plainGrades(list, GRADING, undefined, 'first').some((grade) => grade >= 1));
    for (const [m, measure] of measures.entries()) {
      const plain = plainScore(measure, list, GRADING);
      const [state, value, below] = out.subarray(3 * m);
      expect([measure.canonical, state === LEFT_OUT]).toEqual([measure.canonical, plain === undefined]);
      if (plain === undefined) continue;
      expect([measure.canonical, state === WITH_POSITIVE]).toEqual([measure.canonical, plain.positive]);
      expect(scorer.kinds[m]).toBe('value' in plain ? 'mean' : 'fraction');
      expectNear(value, 'value' in plain ? plain.value : plain.above);
      expectNear(below, 'value' in plain ? 0 : plain.below);
    }
  }
}

function expectNear(got: number, wanted: number): void {
  expect(Math.abs(got - wanted)).toBeLessThanOrEqual(1e-12 * Math.max(1, Math.abs(wanted)));
}

describe('the fast scorer', () => {
  it('agrees with the plain one for any measures and any lists, one after the other', () => {
    const measures = fc.uniqueArray(scoredMeasure, { minLength: 1, maxLength: 6, selector: (m) => m.canonical });
    const lists = fc.array(impressions(12), { minLength: 1, maxLength: 4 });
    fc.assert(fc.property(measures, lists, expectAgreement), { numRuns: 3000 });
  });

  it('agrees with the plain one for long lists, whose buffers grow', () => {
    const lists = fc.tuple(impressions(5), impressions(80), impressions(10)).map((all) => [...all]);
    fc.assert(fc.property(fc.array(scoredMeasure, { minLength: 1, maxLength: 3 }), lists, expectAgreement), {
      numRuns: 300,
    });
  });

  it('agrees with the plain one when nearly every slot of a long list has feedback', () => {
    const items = Array.from({ length: 60 }, (_, s) => `i${s}`);
    const list: PlainImpression = {
      offset: 0,
      slots: items.map((item, s) => ({ item, rank: s + 1 })),
      events: items.toReversed().map((item, i) => ({ item, action: 'dwell', value: (i * 7) % 23, ts: 0 })),
    };
    const texts = ['mrr', 'ndcg', 'ndcg@10', 'ndcg(norm=minmax)@10', 'ndcg(gain=exp)', 'ap@20', 'recall(rel=5)@7'];
    expectAgreement(texts.map(parse), [list, list]);
  });

  it('leaves an empty list out of every measure', () => {
    const scorer = compile([parse('mrr'), parse('ctr'), parse('precision@5')], GRADING);
    const out = new Float64Array(9).fill(7);
    expect(scorer.score(joined({ offset: 0, slots: [], events: [] }, scorer.actions), out)).toBe(false);
    expect([...out]).toEqual(new Array(9).fill(0));
  });

  it('asks for the actions of the grading first, then for those that only measures name', () => {
    const texts = ['rate(action=share)', 'ctr', 'precision(examined=viewport)@5', 'rate(action=purchase)'];
    const grading = { actions: [{ name: 'purchase', rule: fixedGrade(3) }], relevantFrom: 1 };
    expect(compile(texts.map(parse), grading).actions).toEqual(['purchase', 'share', 'click', 'view']);
  });

  it('refuses a measure that is not offered', () => {
    expect(() => compile([parse('rbp')], GRADING)).toThrow(/rbp is not offered yet; offered: mrr, hit/);
  });

  it('refuses a measure of an action that has no grade', () => {
    expect(() => compile([parse('hit(action=clik)')], GRADING)).toThrow(
      '"hit(action=clik)": the action "clik" has no grade, so it never makes a positive; did you mean "click"?',
    );
    expect(() => compile([parse('rate(action=clik)')], GRADING)).not.toThrow();
  });

  it('gives names and kinds in the order of the measures', () => {
    const scorer = compile([parse('ctr'), parse('MAP@10'), parse('recall(avg=micro)@5')], GRADING);
    expect(scorer.names).toEqual(['ctr', 'ap@10', 'recall(avg=micro)@5']);
    expect(scorer.kinds).toEqual(['fraction', 'mean', 'fraction']);
  });
});
