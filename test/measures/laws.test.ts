import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MEASURES } from '../../src/measures/all.ts';
import type { Measure } from '../../src/measures/definition.ts';
import { parseMeasure } from '../../src/measures/grammar/measure-name.ts';
import { measure } from '../../src/measures/measures.ts';
import { countsEmptyLists, isListOnly } from '../../src/measures/needs.ts';
import type { GradedList } from '../../src/measures/plain.ts';
import { compile } from '../../src/measures/scorer.ts';
import { LEFT_OUT, SCORE_WIDTH, SUMS, SUMS_WIDTH, type SumsKind, WITH_POSITIVE } from '../../src/measures/sums.ts';
import { classesOf, fractionOf, measureValue, ofMeans } from '../../src/measures/value.ts';
import { runs } from '../runs.ts';
import { scoredMeasure } from './grammar/names.ts';
import { GRADING, impressions, joined } from './lists.ts';

const grades = fc.array(fc.constantFrom(0, 0, 0, 0.5, 1, 2, 3), { minLength: 1, maxLength: 12 });
const cut = fc.option(fc.integer({ min: 1, max: 14 }), { nil: undefined });
const at = (name: string, k: number | undefined) => (k === undefined ? name : `${name}@${k}`);

/** Each class counts; the base shrinks with the positives in front of it; every grade above 0 is alike. */
const UNMOVED = /per=class|denom=hits|ideal=perfect/;

/** The measures of grades as their definitions show them, without a cut-off, and whether they take one. */
const movable = MEASURES.filter(({ kind }) => kind === 'grades').flatMap(({ examples, takesCut }) => {
  const names = new Set(examples.map(({ of }) => of.replace(/@.*/, '')));
  return [...names].filter((name) => !UNMOVED.test(name)).map((name) => [name, takesCut] as const);
});

const scoredNames = MEASURES.filter((definition) => !isListOnly({ definition })).map(({ name }) => name);

/** Held against all known items, the worst order may be better than the shown one. */
function rangeOf({ definition, params }: Measure): readonly [number, number] {
  const isOutside = params.get('norm') === 'minmax' && params.get('ideal') === 'all';
  return isOutside ? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY] : definition.range;
}

/** The same measure that leaves empty lists out. */
function strictName(canonical: string): string {
  const [, name, params = '', cut] = /^(\w+)(?:\((.*)\))?(@\d+)?$/.exec(canonical) ?? [];
  return `${name}(${[...(params === '' ? [] : [params]), 'min_list_length=1'].join(',')})${cut ?? ''}`;
}

/** The value of one list from what its scorer wrote. */
function ofOneList(measure: Measure, kind: SumsKind, state: number, values: readonly number[]): number | undefined {
  const [a, b, c, d] = values;
  if (kind === 'fraction' || kind === 'pairs') return fractionOf(measure, a, b);
  if (kind === 'classes') return classesOf(measure, a, b, c, d);
  return kind === 'means' ? ofMeans(measure, 1, state === WITH_POSITIVE ? 1 : 0, a, b) : a;
}

describe('the laws of measures', () => {
  it('every value lies in its range', () => {
    const met = new Map(scoredNames.map((name) => [name, 0]));
    fc.assert(
      fc.property(scoredMeasure, impressions(10), (one, list) => {
        const scorer = compile([one], GRADING);
        const out = new Float64Array(SCORE_WIDTH);
        scorer.score(joined(list, scorer.actions), out);
        const [state, ...values] = out;
        if (state === LEFT_OUT) return;
        const value = ofOneList(one, scorer.kinds[0], state, values);
        if (value === undefined) return;
        const [least, most] = rangeOf(one);
        expect(value, one.canonical).toBeGreaterThanOrEqual(least);
        expect(value, one.canonical).toBeLessThanOrEqual(most);
        met.set(one.name, (met.get(one.name) ?? 0) + 1);
      }),
      { numRuns: 4000 },
    );
    // Fifteen and more of each are usual: that there are none is no chance.
    expect([...met].filter(([, values]) => values === 0)).toEqual([]);
  });

  it.each([...movable, ['rbp(p=0.3)', true] as const])('moving a positive up never lowers %s', (name, takesCut) => {
    fc.assert(
      fc.property(grades, fc.nat(), cut, (list, at0, k) => {
        const s = 1 + (at0 % Math.max(1, list.length - 1));
        fc.pre(s < list.length && list[s] >= 1 && list[s - 1] < list[s]);
        const better = list.with(s - 1, list[s]).with(s, list[s - 1]);
        const one = measure(at(name, takesCut ? k : undefined));
        const before = one.score({ grades: list }) ?? 0;
        expect(one.score({ grades: better }) ?? 0).toBeGreaterThanOrEqual(before - 1e-12);
      }),
    );
  });

  it.each([
    'mrr',
    'ap',
    'rprec',
    'ndcg',
    'auc',
    'rbp(norm=max)',
    'rbp(gain=scaled,gmax=3,norm=max)',
    'ndcg(norm=minmax)',
    'ap(ideal=all)',
    'rprec(ideal=all)',
    'ndcg(gain=exp,ideal=all)',
  ])('the best order gives 1 for %s', (name) => {
    fc.assert(
      fc.property(grades, (list) => {
        fc.pre(list.some((grade) => grade >= 1) && list.some((grade) => grade === 0));
        expect(measure(name).score({ grades: list.toSorted((a, b) => b - a) })).toBe(1);
      }),
    );
  });

  it.each(['err(gmax=3)', 'rbp', 'rbp(gain=scaled,gmax=3)', 'dcg'])(
    'a higher grade in place of another never lowers %s',
    (name) => {
      fc.assert(
        fc.property(grades, fc.nat(), (list, at0) => {
          const s = at0 % list.length;
          const one = measure(name);
          const better = one.score({ grades: list.with(s, 3) }) ?? 0;
          expect(better).toBeGreaterThanOrEqual((one.score({ grades: list }) ?? 0) - 1e-12);
        }),
      );
    },
  );

  it.each([
    'dcg',
    'dcg(gain=exp)',
    'ndcg',
    'ndcg(gain=exp,ideal=all)',
    'ndcg(norm=minmax)',
    'ndcg(empty=skip)@2',
    'rbp(gain=scaled,gmax=3)',
    'rbp(gain=scaled,gmax=3,norm=max)',
    'rbp(empty=skip,gain=scaled,gmax=3)@2',
    'err(gmax=3)',
    'err(empty=skip,gmax=3)',
    'err(empty=one,gmax=3,ideal=all)@2',
  ])('the value of %s, whose formula has no rel, does not depend on relevantFrom', (name) => {
    const parts = fc.array(fc.constantFrom(0, 0.25, 0.5, 1, 2, 3), { minLength: 1, maxLength: 8 });
    const usual = measure(name);
    fc.assert(
      fc.property(parts, fc.constantFrom(0.1, 0.5, 2, 4, 100), (list, relevantFrom) => {
        expect(measure(name, { relevantFrom }).score({ grades: list })).toBe(usual.score({ grades: list }));
      }),
    );
  });

  it('what is known but was not shown only lowers recall, ap and ndcg', () => {
    const more = fc.array(fc.constantFrom(0, 1, 2, 3), { maxLength: 4 });
    const names = fc.constantFrom('recall', 'ap', 'ndcg', 'ndcg(gain=exp)');
    let lower = 0;
    fc.assert(
      fc.property(names, grades, more, (name, list, unseen) => {
        const all = measure(name.includes('(') ? name.replace('(', '(ideal=all,') : `${name}(ideal=all)`);
        const shown = measure(name).score({ grades: list }) ?? 0;
        // Without more, nothing changes.
        expect(all.score({ grades: list, known: list })).toBeCloseTo(shown, 12);
        const value = all.score({ grades: list, known: [...list, ...unseen] }) ?? 0;
        expect(value).toBeLessThanOrEqual(shown + 1e-12);
        if (value < shown) lower++;
      }),
    );
    expect(lower).toBeGreaterThan(0);
  });

  it.each(['spearman', 'kendall', 'kendall(tau=a)', 'kendall(tau=c)'])(
    '%s turns its sign with the scores, and cares for their order alone',
    (name) => {
      const pairs = fc.array(fc.tuple(fc.integer({ min: -3, max: 3 }), fc.integer({ min: 1, max: 5 })), {
        minLength: 2,
        maxLength: 9,
      });
      let values = 0;
      fc.assert(
        fc.property(pairs, (some) => {
          const ratings = some.map(([, rating]) => rating);
          const of = (change: (score: number) => number) =>
            measure(name).score({ ratings, scores: some.map(([score]) => change(score)) });
          const value = of((score) => score);
          if (value === undefined) {
            expect(of((score) => -score)).toBeUndefined();
            return;
          }
          values++;
          expect(of((score) => -score)).toBeCloseTo(-value, 12);
          expect(of((score) => 2 * score ** 3 + 7)).toBeCloseTo(value, 12);
          const perfect = measure(name).score({ ratings, scores: ratings }) ?? 0;
          expect(Math.abs(value)).toBeLessThanOrEqual(Math.max(perfect, 1) + 1e-12);
        }),
      );
      expect(values).toBeGreaterThan(50);
      expect(measure(name).score({ ratings: [1, 2, 3, 4], scores: [1, 2, 3, 4] })).toBe(1);
    },
  );

  it('errors of shifted scores: bias falls by the shift, mae and rmse are 0 only for equal scores', () => {
    const ratings = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(ratings, fc.integer({ min: -3, max: 3 }), (stars, shift) => {
        const list = { ratings: stars, scores: stars.map((star) => star + shift) };
        expect(measure('bias').score(list)).toBe(-shift + 0);
        expect(measure('mae').score(list)).toBe(Math.abs(shift));
        expect(measure('rmse').score(list)).toBe(Math.abs(shift));
      }),
    );
  });

  it('rmse is never below mae, which is never below the size of the bias', () => {
    const pairs = fc.array(fc.tuple(fc.integer({ min: -5, max: 5 }), fc.integer({ min: 1, max: 5 })), { minLength: 1 });
    fc.assert(
      fc.property(fc.array(pairs, { minLength: 1, maxLength: 4 }), (lists) => {
        const all = lists.map((some) => ({ ratings: some.map(([, r]) => r), scores: some.map(([s]) => s) }));
        const [rmse, mae, bias] = ['rmse', 'mae', 'bias'].map((name) => measure(name).mean(all) ?? Number.NaN);
        expect(rmse).toBeGreaterThanOrEqual(mae - 1e-12);
        expect(mae).toBeGreaterThanOrEqual(Math.abs(bias) - 1e-12);
      }),
    );
  });

  it('a mean over users is the mean over lists where every user has one list, and one of one user is the whole mean', () => {
    const lists = fc.array(grades, { minLength: 1, maxLength: 6 });
    const names = fc.constantFrom('mrr', 'ndcg@5', 'recall@3', 'mrr(empty=one)');
    fc.assert(
      fc.property(names, lists, (name, all) => {
        const perUser = measure(
          name.includes('(') ? name.replace(')', ',per=user)') : name.replace(/(@|$)/, '(per=user)$1'),
        );
        const wanted = measure(name).mean(all.map((list) => ({ grades: list }))) ?? Number.NaN;
        expect(perUser.mean(all.map((list, user) => ({ grades: list, user })))).toBeCloseTo(wanted, 12);
        expect(perUser.mean(all.map((list) => ({ grades: list, user: 'u' })))).toBeCloseTo(wanted, 12);
      }),
    );
    const two = [
      { grades: [1], user: 'u' },
      { grades: [1], user: 'u' },
      { grades: [0], user: 'v' },
    ];
    expect(measure('mrr(per=user)').mean(two)).toBe(0.5);
    expect(measure('mrr').mean(two)).toBe(2 / 3);
  });

  it('classes: the accuracy counts right slots, and both means agree where the classes are equally large', () => {
    fc.assert(
      fc.property(fc.array(grades, { minLength: 1, maxLength: 4 }), fc.integer({ min: 1, max: 5 }), (all, k) => {
        const lists = all.map((list) => ({ grades: list }));
        const slots = all.flatMap((list) => list.map((grade, s) => [s < k, grade >= 1] as const));
        const right = slots.filter(([top, good]) => top === good).length;
        for (const name of ['precision', 'recall', 'f1']) {
          expect(measure(`${name}(avg=micro,per=class)@${k}`).mean(lists)).toBeCloseTo(right / slots.length, 12);
        }
        const weighted = measure(`recall(avg=weighted,per=class)@${k}`).mean(lists);
        expect(weighted).toBeCloseTo(right / slots.length, 12);
        if (2 * slots.filter(([, good]) => good).length !== slots.length) return;
        for (const name of ['precision', 'recall', 'f1']) {
          const [a, b] = ['macro', 'weighted'].map((avg) => measure(`${name}(avg=${avg},per=class)@${k}`).mean(lists));
          expect(a).toBeCloseTo(b ?? Number.NaN, 12);
        }
      }),
    );
  });

  it('a list without feedback never changes a sum of values', () => {
    fc.assert(
      fc.property(scoredMeasure, impressions(10), (one, list) => {
        const scorer = compile([one], GRADING);
        const out = new Float64Array(SCORE_WIDTH);
        const silent = { ...list, events: [], known: undefined };
        expect(scorer.score(joined(silent, scorer.actions), out)).toBe(false);
        // So that it does not count 1.
        const mustCount0 = list.slots.length === 0 && one.params.get('empty') === 'one';
        if (!mustCount0) expect(out[0]).not.toBe(WITH_POSITIVE);
        expect(out[1]).toBe(0);
        if (scorer.kinds[0] === 'means') expect(out[2]).toBe(0);
      }),
    );
  });

  describe('of empty lists', () => {
    const users = fc.constantFrom('u', 'v', undefined);
    /** Lists with slots, and what is known beyond them. */
    const full = fc.array(
      fc.record({ grades, more: fc.array(fc.constantFrom(0, 1, 3), { maxLength: 3 }), user: users }),
      { minLength: 1, maxLength: 6 },
    );
    const plain = full.map((lists) =>
      lists.map(
        ({ grades: own, more, user }): GradedList => ({
          grades: own,
          known: [...own, ...more],
          ...(user === undefined ? {} : { user, session: user }),
        }),
      ),
    );
    const empty = fc.array(
      fc.record({ known: fc.array(fc.constantFrom(0, 1, 3), { maxLength: 3 }), user: users }).map(
        ({ known, user }): GradedList => ({
          grades: [],
          known,
          ...(user === undefined ? {} : { user, session: user }),
        }),
      ),
      { minLength: 1, maxLength: 4 },
    );
    /** Measures that take an empty list as one without positives. Plain lists have no views. */
    const taking = scoredMeasure.filter(
      ({ params }) => params.get('min_list_length') === 0 && params.get('examined') !== 'viewport',
    );
    const isOutside = ({ params }: Measure) => params.get('norm') === 'minmax' && params.get('ideal') === 'all';

    it('one never raises a mean', () => {
      let lower = 0;
      fc.assert(
        fc.property(taking, plain, empty, (one, some, none) => {
          if (isOutside(one)) return;
          const { mean } = measure(one.canonical);
          const before = mean(some);
          const after = mean([...some, ...none]);
          if (before === undefined) return;
          expect(after, one.canonical).toBeLessThanOrEqual(before + 1e-12);
          if (after !== undefined && after < before) lower++;
        }),
        { numRuns: runs(2000) },
      );
      expect(lower).toBeGreaterThan(100);
    });

    it('they take their share off a mean over lists, whatever lists without positives count as by empty=one', () => {
      const policies = taking.filter(
        ({ params }) =>
          params.get('avg') === 'macro' &&
          params.get('per') === 'impression' &&
          params.get('empty') !== 'skip' &&
          params.get('of') !== 'means' &&
          params.get('norm') !== 'minmax',
      );
      fc.assert(
        fc.property(policies, plain, empty, (one, some, none) => {
          const { mean, score } = measure(one.canonical);
          const counted = some.filter((list) => score(list) !== undefined).length;
          if (counted === 0) return;
          const share = none.length / (counted + none.length);
          expect(mean([...some, ...none]), one.canonical).toBeCloseTo((1 - share) * (mean(some) ?? Number.NaN), 9);
        }),
        { numRuns: runs(1000) },
      );
    });

    it('counts 0 in the measures of which that is said', () => {
      const said = taking.filter(countsEmptyLists);
      fc.assert(
        fc.property(said, (one) => {
          expect(measure(one.canonical).score({ grades: [], known: [5] }), one.canonical).toBe(0);
        }),
      );
      const others = [
        'mrr(empty=skip)',
        'mrr(min_list_length=1)',
        'recall(avg=micro)',
        'ndcg(norm=minmax)',
        'f1(per=class)@5',
        'ctr',
        'auc',
        'mae',
        'length',
      ];
      for (const name of others)
        expect([name, countsEmptyLists(parseMeasure(name, { relevantFrom: 1 }))]).toEqual([name, false]);
    });

    it('with empty=skip they leave the mean as all lists without positives do, known ones included', () => {
      const skip = taking.filter(({ params }) => params.get('empty') === 'skip' && params.get('per') === 'impression');
      fc.assert(
        fc.property(skip, plain, empty, (one, some, none) => {
          const { mean } = measure(one.canonical);
          const blank = none.map(({ known = [], ...list }) => ({ ...list, known: known.map(() => 0) }));
          expect(mean([...some, ...blank]), one.canonical).toBe(mean(some));
        }),
      );
      const judged = { items: [], positives: ['a'] };
      expect(measure('recall(empty=skip,ideal=all)').mean([{ items: ['a'], positives: ['a'] }, judged])).toBe(0.5);
      expect(measure('ndcg(ideal=all)@10').score(judged)).toBe(0);
    });

    it('an empty page changes nothing, and neither does an empty list with min_list_length=1', () => {
      fc.assert(
        fc.property(taking, plain, empty, (one, some, none) => {
          const { mean } = measure(one.canonical);
          const pages = none.map((list) => ({ ...list, offset: 10 }));
          expect(mean([...some, ...pages]), one.canonical).toBe(mean(some));
          const strict = measure(strictName(one.canonical));
          expect(strict.mean([...some, ...none]), strict.name).toBe(mean(some));
        }),
      );
    });
  });

  it('merged sums give the value of all lists at once', () => {
    const lists = fc.array(impressions(8), { maxLength: 6 });
    let values = 0;
    fc.assert(
      fc.property(scoredMeasure, lists, lists, (one, some, others) => {
        const scorer = compile([one], GRADING);
        const out = new Float64Array(SCORE_WIDTH);
        const { counted, values: names, squared, tail } = SUMS[scorer.kinds[0]];
        const units = (value: number) => Math.round(value * 1e9);
        const sumsOf = (all: typeof some) => {
          const sums: number[] = new Array(SUMS_WIDTH[scorer.kinds[0]]).fill(0);
          for (const list of all) {
            scorer.score(joined(list, scorer.actions), out);
            const [state, ...own] = out;
            const isIn = state === LEFT_OUT ? 0 : 1;
            const added = [
              ...(counted ? [isIn, state === WITH_POSITIVE ? 1 : 0] : []),
              ...names.map((_, i) => isIn * units(own[i])),
              ...(squared ? [isIn * units(own[0] ** 2)] : []),
              ...tail.map((_, i) => units(own[names.length + i])),
            ];
            added.forEach((amount, i) => {
              sums[i] += amount;
            });
          }
          return sums;
        };
        const [a, b] = [sumsOf(some), sumsOf(others)];
        const merged = a.map((value, i) => value + b[i]);
        const whole = measureValue(one, merged);
        expect(whole).toBe(measureValue(one, sumsOf([...some, ...others])));
        if (whole !== undefined) values++;
      }),
    );
    expect(values).toBeGreaterThan(20);
  });

  it('the cut-off k matters: @1 and @2 differ where only the second slot is a positive', () => {
    for (const name of [
      'mrr',
      'hit',
      'precision',
      'recall',
      'f1',
      'ap',
      'dcg',
      'ndcg',
      'rbp',
      'err(gmax=3)',
      'ctr',
      'rate(action=buy)',
    ]) {
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
