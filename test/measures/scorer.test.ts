import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Measure } from '../../src/measures/definition.ts';
import { parseMeasure } from '../../src/measures/grammar/measure-name.ts';
import { compile } from '../../src/measures/scorer.ts';
import type { Grading } from '../../src/measures/scorer-contract.ts';
import {
  LEFT_OUT,
  SCORE_WIDTH,
  SUMS,
  type SumsKind,
  WITH_POSITIVE,
  WITHOUT_POSITIVE,
} from '../../src/measures/sums.ts';
import { runs } from '../runs.ts';
import { scoredMeasure } from './grammar/names.ts';
import { fixedGrade, GRADING, impressions, joined } from './lists.ts';
import { type PlainImpression, plainGrades, plainPairs, plainScore } from './reference.ts';

const parse = (text: string) => parseMeasure(text, { relevantFrom: 1 });

function expectAgreement(measures: readonly Measure[], lists: readonly PlainImpression[], grading = GRADING): void {
  const scorer = compile(measures, grading);
  const out = new Float64Array(SCORE_WIDTH * measures.length);
  for (const list of lists) {
    const positive = scorer.score(joined(list, scorer.actions), out);
    expect(positive).toBe(plainGrades(list, grading, undefined, 'first').some((grade) => grade >= 1));
    for (const [m, measure] of measures.entries()) {
      const plain = plainScore(measure, list, grading);
      const [state, ...values] = out.subarray(SCORE_WIDTH * m);
      expect([measure.canonical, state === LEFT_OUT]).toEqual([measure.canonical, plain === undefined]);
      const kind = scorer.kinds[m];
      const { values: names, tail } = SUMS[kind];
      expectTail(measure, list, grading, kind, values.slice(names.length, names.length + tail.length));
      if (plain === undefined) continue;
      expect([measure.canonical, state === WITH_POSITIVE]).toEqual([measure.canonical, plain.positive]);
      expect(plain.values.length).toBe(kind === 'apart' ? 1 : names.length);
      plain.values.forEach((wanted, i) => {
        expectNear(values[i], wanted, measure);
      });
    }
  }
}

/** Pairs and rated slots count also where the list is left out, unless it is too short or has no slot up to k. */
function expectTail(
  measure: Measure,
  list: PlainImpression,
  grading: Grading,
  kind: SumsKind,
  tail: readonly number[],
): void {
  if (tail.length === 0) return;
  const isRefused = list.slots.length === 0 || list.slots.length < Number(measure.params.get('min_list_length'));
  const { pairs, rated } = isRefused ? { pairs: [], rated: 0 } : plainPairs(measure, list, grading);
  expect(tail).toEqual(kind === 'pairs' ? [rated] : [pairs.length, rated]);
}

function expectNear(got: number, wanted: number, { canonical }: Measure): void {
  expect(Math.abs(got - wanted), `${canonical}: ${got}, ${wanted}`).toBeLessThanOrEqual(
    1e-12 * Math.max(1, Math.abs(wanted)),
  );
}

describe('the fast scorer', () => {
  it('agrees with the plain one for any measures and any lists, one after the other', () => {
    const measures = fc.uniqueArray(scoredMeasure, { minLength: 1, maxLength: 6, selector: (m) => m.canonical });
    const lists = fc.array(impressions(12), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(measures, lists, (some, all) => expectAgreement(some, all)),
      { numRuns: runs(1500) },
    );
  });

  it('agrees with the plain one where prices and times are grades', () => {
    const grades = GRADING.actions.map(({ name, rule }) => ({
      name,
      rule: rule.from === 'value' ? { ...rule, max: 1e30 } : rule,
    }));
    const prices: Grading = { ...GRADING, actions: grades };
    /** Values of up to 1e6 with parts, and beyond; the grades of 40 that were not shown are 1e6 too. */
    const priced = fc
      .tuple(impressions(12), fc.constantFrom(7, 40_000.25, 166_666.5, 1e12))
      .map(([list, times]): PlainImpression => {
        const events = list.events.map((event) =>
          event.value === undefined ? event : { ...event, value: event.value * times },
        );
        const { known, ...others } = { ...list, events };
        if (known === undefined) return others;
        const unseen = known.slice(list.slots.length).map((grade) => grade * 25_000);
        return { ...others, known: [...plainGrades(others, prices, undefined, 'first'), ...unseen] };
      });
    const measures = scoredMeasure.filter(({ params }) => params.get('gain') !== 'exp');
    fc.assert(
      fc.property(fc.array(measures, { minLength: 1, maxLength: 4 }), priced, (some, list) =>
        expectAgreement(some, [list], prices),
      ),
      { numRuns: runs(1000) },
    );
  });

  it('agrees with the plain one for long lists, whose buffers grow', () => {
    const lists = fc.tuple(impressions(5), impressions(80), impressions(10)).map((all) => [...all]);
    fc.assert(
      fc.property(fc.array(scoredMeasure, { minLength: 1, maxLength: 3 }), lists, (some, all) =>
        expectAgreement(some, all),
      ),
      {
        numRuns: 300,
      },
    );
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

  it('takes an empty list as one without positives where grades count, and an empty page not at all', () => {
    const scorer = compile(['mrr', 'ctr', 'precision@5', 'auc', 'length'].map(parse), GRADING);
    const out = new Float64Array(5 * SCORE_WIDTH).fill(7);
    const states = (offset: number) => {
      expect(scorer.score(joined({ offset, slots: [], events: [] }, scorer.actions), out)).toBe(false);
      expect(scorer.positives.count).toBe(0);
      return [0, 1, 2, 3, 4].map((m) => [...out.subarray(SCORE_WIDTH * m, SCORE_WIDTH * m + 2)]);
    };
    expect(states(0)).toEqual([
      [WITHOUT_POSITIVE, 0],
      [LEFT_OUT, 0],
      [WITHOUT_POSITIVE, 0],
      [LEFT_OUT, 0],
      [WITHOUT_POSITIVE, 0],
    ]);
    expect(states(1).map(([state]) => state)).toEqual([LEFT_OUT, LEFT_OUT, LEFT_OUT, LEFT_OUT, WITHOUT_POSITIVE]);
  });

  it('asks for the actions of the grading first, then for those that only measures name', () => {
    const texts = ['rate(action=share)', 'ctr', 'precision(examined=viewport)@5', 'rate(action=purchase)'];
    const grading = { actions: [{ name: 'purchase', rule: fixedGrade(3) }], relevantFrom: 1 };
    expect(compile(texts.map(parse), grading).actions).toEqual(['purchase', 'share', 'click', 'view']);
  });

  it('says what its lists must carry', () => {
    expect(compile(['mrr', 'spearman(by=rank)', 'auc'].map(parse), GRADING).needs.scores).toBe(false);
    for (const name of ['mae', 'rmse', 'bias', 'spearman', 'kendall', 'auc(by=score)']) {
      expect(compile(['mrr', name].map(parse), GRADING).needs.scores).toBe(true);
    }
  });

  it('takes ratings of an action without a grade', () => {
    const scorer = compile([parse('mae(action=stars)')], GRADING);
    const stars = { item: 'a', action: 'stars', value: 4, ts: 0 };
    const list = { offset: 0, slots: [{ item: 'a', rank: 1, score: 3 }], events: [stars, { ...stars, value: 2 }] };
    const out = new Float64Array(SCORE_WIDTH);
    scorer.score(joined(list, scorer.actions), out);
    expect([...out]).toEqual([1, 1, 1, 1, 0]);
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
