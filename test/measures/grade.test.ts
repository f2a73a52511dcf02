import { describe, expect, it } from 'vitest';
import { Graded } from '../../src/measures/grade.ts';
import { parseMeasure } from '../../src/measures/grammar/measure-name.ts';
import { compile } from '../../src/measures/scorer.ts';
import type { GradeRule } from '../../src/measures/scorer-contract.ts';
import { SCORE_WIDTH } from '../../src/measures/sums.ts';
import { fixedGrade, joined, valueGrade } from './lists.ts';
import type { PlainEvent } from './reference.ts';

const slots = ['a', 'b', 'c'].map((item, s) => ({ item, rank: s + 1 }));

/** Grades of the slots a, b, c after these events on a: [action, value, ts]. */
function gradeOf(
  rules: Readonly<Record<string, GradeRule>>,
  events: readonly (readonly [string, (number | undefined)?, number?])[],
) {
  const graded = new Graded(Object.values(rules), -1, 'first');
  const happened = events.map(([action, value, ts = 0]): PlainEvent => ({ item: 'a', action, value, ts }));
  graded.load(joined({ offset: 0, slots, events: happened }, Object.keys(rules)));
  return graded.count === 0 ? 0 : graded.grades[0];
}

describe('the grade of a slot', () => {
  it.each([
    ['max', 3],
    ['last', 1],
    ['sum', 5],
  ] as const)('of values 1, 3, 1 by %s is %d', (rule, grade) => {
    expect(
      gradeOf({ touch: valueGrade(rule, 30) }, [
        ['touch', 1],
        ['touch', 3],
        ['touch', 1],
      ]),
    ).toBe(grade);
  });

  it('of ratings 5 then 2 by last is 2, by event time and not by arrival', () => {
    const rules = { rating: valueGrade('last', 5) };
    expect(
      gradeOf(rules, [
        ['rating', 5, 1],
        ['rating', 2, 2],
      ]),
    ).toBe(2);
    expect(
      gradeOf(rules, [
        ['rating', 2, 2],
        ['rating', 5, 1],
      ]),
    ).toBe(2);
    expect(
      gradeOf(rules, [
        ['rating', 5, 2],
        ['rating', 2, 2],
      ]),
    ).toBe(2);
  });

  it('can be undone by last', () => {
    expect(
      gradeOf({ like: valueGrade('last', 5) }, [
        ['like', 1, 1],
        ['like', 0, 2],
      ]),
    ).toBe(0);
  });

  it('is the highest over the actions, so a late click does not lower a purchase', () => {
    expect(gradeOf({ click: fixedGrade(1), purchase: fixedGrade(3) }, [['purchase'], ['click']])).toBe(3);
  });

  it('of a summed action ends at its cap', () => {
    const rules = { play: fixedGrade(1, { rule: 'sum', max: 3 }) };
    expect([2, 3, 4].map((n) => gradeOf(rules, new Array(n).fill(['play'])))).toEqual([2, 3, 3]);
  });

  it.each([
    [4, 4],
    [5, 5],
    [6, 5],
    [-1, 0],
  ])('of a value %d with max 5 is %d', (value, grade) => {
    expect(gradeOf({ rating: valueGrade('max', 5) }, [['rating', value]])).toBe(grade);
  });

  it('is the value up to the limit of its action, whatever that is', () => {
    const rules = { dwell: valueGrade('max', 1000) };
    expect(gradeOf(rules, [['dwell', 999.5]])).toBe(999.5);
    expect(gradeOf(rules, [['dwell', 1000]])).toBe(1000);
    expect(gradeOf(rules, [['dwell', 1001]])).toBe(1000);
    expect(
      gradeOf({ dwell: valueGrade('sum', 1e30) }, [
        ['dwell', 1e29],
        ['dwell', 31],
      ]),
    ).toBe(1e29 + 31);
  });

  it('is not changed by a value that is absent', () => {
    expect(
      gradeOf({ rating: valueGrade('last', 5) }, [
        ['rating', 4, 1],
        ['rating', undefined, 2],
      ]),
    ).toBe(4);
    expect(gradeOf({ rating: valueGrade('sum', 5) }, [['rating', undefined]])).toBe(0);
  });

  it('is 0 after a veto, whatever else came, before or after', () => {
    const rules = { purchase: fixedGrade(3), hide: fixedGrade(0, { veto: true }) };
    expect(gradeOf(rules, [['purchase'], ['hide']])).toBe(0);
    expect(gradeOf(rules, [['hide'], ['purchase']])).toBe(0);
    expect(gradeOf(rules, [['purchase']])).toBe(3);
  });

  it('is not touched by an action without a name in the configuration', () => {
    expect(gradeOf({ click: fixedGrade(1) }, [['wave', 5]])).toBe(0);
  });
});

describe('examined slots', () => {
  const grading = { actions: [{ name: 'click', rule: fixedGrade(1) }], relevantFrom: 1 };
  const five = ['a', 'b', 'c', 'd', 'e'].map((item, s) => ({ item, rank: s + 1 }));
  const click = (item: string): PlainEvent => ({ item, action: 'click', value: undefined, ts: 0 });
  const view = (item: string): PlainEvent => ({ item, action: 'view', value: undefined, ts: 0 });

  function scored(name: string, events: readonly PlainEvent[], listed = five): readonly number[] {
    const scorer = compile([parseMeasure(name, { relevantFrom: 1 })], grading);
    const out = new Float64Array(SCORE_WIDTH);
    scorer.score(joined({ offset: 0, slots: listed, events }, scorer.actions), out);
    return [...out.subarray(0, 3)];
  }

  it('with views on slots 1 to 4 divide precision by 4', () => {
    const events = [click('a'), click('c'), ...['a', 'b', 'c', 'd'].map(view)];
    expect(scored('precision(examined=viewport)@5', events)).toEqual([2, 0.5, 0]);
    expect(scored('ctr(examined=viewport)', events)).toEqual([2, 2, 4]);
    expect(scored('ctr(examined=viewport)@2', events)).toEqual([2, 1, 2]);
  });

  it('hold a positive without a view', () => {
    expect(scored('ctr(examined=viewport)', [click('e'), view('a')])).toEqual([2, 1, 2]);
  });

  it('that are none leave the list out', () => {
    expect(scored('precision(examined=viewport)@5', [])).toEqual([0, 0, 0]);
    expect(scored('precision(examined=viewport)@4', [view('e')])).toEqual([0, 0, 0]);
    expect(scored('precision(examined=viewport)@5', [view('e')])).toEqual([1, 0, 0]);
  });

  it('without a positive are all slots for last_positive', () => {
    expect(scored('ctr(examined=last_positive)', [])).toEqual([1, 0, 5]);
    expect(scored('ctr(examined=last_positive)', [click('b')])).toEqual([2, 1, 2]);
  });

  it('of a repeated item are its first slot, with all the feedback', () => {
    const repeated = ['a', 'b', 'a'].map((item, s) => ({ item, rank: s + 1 }));
    expect(scored('ctr', [click('a')], repeated)).toEqual([2, 1, 3]);
    expect(scored('ctr(dup=each)', [click('a')], repeated)).toEqual([2, 2, 3]);
    expect(scored('ctr(examined=viewport)', [view('a')], repeated)).toEqual([1, 0, 1]);
  });
});
