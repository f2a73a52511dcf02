/**
 * The plain scorer: every slot, every sort, every formula as it is written down, with no care for speed. It shares no
 * code with src/measures but the names of parameters, and is what the fast scorer is held against.
 */

import type { GradeRule, Grading } from '../../src/measures/contract.ts';
import type { Measure } from '../../src/measures/family.ts';

export interface PlainSlot {
  readonly item: string;
  readonly rank: number;
}

export interface PlainEvent {
  readonly item: string;
  readonly action: string;
  readonly value: number | undefined;
  readonly ts: number;
}

export interface PlainImpression {
  readonly offset: number;
  readonly slots: readonly PlainSlot[];
  readonly events: readonly PlainEvent[];
}

/** undefined: left out. `above` over `below` is the list's fraction. */
export type PlainScore =
  | { readonly positive: boolean; readonly value: number }
  | { readonly positive: boolean; readonly above: number; readonly below: number };

const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
const cut = (value: number, most: number) => Math.max(0, Math.min(value, most, 30));

/** Whether the slot at index s has the credit for feedback on its item. */
function credited(list: PlainImpression, s: number, dup: unknown): boolean {
  return dup === 'each' || list.slots.findIndex(({ item }) => item === list.slots[s].item) === s;
}

function gradeOfAction(events: readonly PlainEvent[], rule: GradeRule): number {
  const values = events
    .map(({ value, ts }) => ({ amount: rule.from === 'grade' ? rule.grade : value, ts }))
    .flatMap(({ amount, ts }) => (amount === undefined ? [] : [{ amount, ts }]));
  if (values.length === 0) return 0;
  switch (rule.rule) {
    case 'max':
      return cut(Math.max(...values.map(({ amount }) => amount)), rule.max);
    case 'sum':
      return cut(sum(values.map(({ amount }) => amount)), rule.max);
    case 'last': {
      const latest = Math.max(...values.map(({ ts }) => ts));
      return cut(
        values.filter(({ ts }) => ts === latest)[values.filter(({ ts }) => ts === latest).length - 1].amount,
        rule.max,
      );
    }
    default:
      return 0;
  }
}

/** The grade of every slot. */
export function plainGrades(list: PlainImpression, grading: Grading, action: unknown, dup: unknown): number[] {
  return list.slots.map(({ item }, s) => {
    if (!credited(list, s, dup)) return 0;
    const mine = list.events.filter((e) => e.item === item && (action === undefined || e.action === action));
    const rules = grading.actions.filter(({ name }) => mine.some((e) => e.action === name));
    if (rules.some(({ rule }) => rule.veto)) return 0;
    return Math.max(
      0,
      ...rules.map(({ name, rule }) =>
        gradeOfAction(
          mine.filter((e) => e.action === name),
          rule,
        ),
      ),
    );
  });
}

/** One list by one measure. */
export function plainScore(measure: Measure, list: PlainImpression, grading: Grading): PlainScore | undefined {
  const { name, params } = measure;
  const get = (key: string) => params.get(key);
  const k = measure.k ?? Number.POSITIVE_INFINITY;
  const inCut = list.slots.filter(({ rank }) => rank <= k);
  if (inCut.length === 0 || list.slots.length < Number(get('min_list_length'))) return undefined;

  const acts = (action: string) =>
    list.slots.map(
      ({ item }, s) => credited(list, s, get('dup')) && list.events.some((e) => e.item === item && e.action === action),
    );
  const grades = plainGrades(list, grading, get('action'), get('dup'));
  const isRate = name === 'ctr' || name === 'rate';
  const rateAction = name === 'ctr' ? 'click' : String(get('action'));
  const good = isRate ? acts(rateAction) : grades.map((grade) => grade >= Number(get('rel')));
  const R = good.filter((yes) => yes).length;
  const TP = good.filter((yes, s) => yes && list.slots[s].rank <= k).length;
  const lastRank = list.slots[list.slots.length - 1].rank;
  const kOrLast = Math.min(k, k === Number.POSITIVE_INFINITY ? lastRank : k);

  const examinedAtAll = list.slots.map(({ rank }, s) => {
    if (get('examined') === 'viewport') return good[s] || acts('view')[s];
    if (get('examined') === 'last_positive') return R === 0 || good.lastIndexOf(true) >= s || rank < 0;
    return true;
  });
  const examined = (wanted: (rank: number) => boolean) =>
    list.slots.filter(({ rank }, s) => wanted(rank) && examinedAtAll[s]).length;

  if (isRate) {
    const slot = get('slot');
    const wanted = (rank: number) => (slot === undefined ? rank <= k : rank === slot);
    const below = examined(wanted);
    if (below === 0) return undefined;
    const above = list.slots.filter(({ rank }, s) => wanted(rank) && good[s]).length;
    return get('avg') === 'micro' ? { positive: R > 0, above, below } : { positive: R > 0, value: above / below };
  }

  const over = (a: number, b: number) => (b === 0 ? 0 : a / b);
  const precisionBase = () => {
    if (get('examined') !== 'all') return examined((rank) => rank <= k);
    if (get('denom') === 'list') return inCut.length;
    const page = Math.max(kOrLast - list.offset, inCut.length);
    return get('denom') === 'capped' ? Math.min(page, R) : page;
  };
  const finish = (value: number, above: number, below: number, positive = R > 0): PlainScore => {
    if (get('avg') === 'micro') return { positive, above, below };
    return get('avg') === 'weighted' ? { positive: R > 0, above: R * value, below: R } : { positive, value };
  };
  const hitRanks = list.slots.filter((_, s) => good[s]).map(({ rank }) => rank);

  switch (name) {
    case 'mrr':
      return finish(TP > 0 ? 1 / hitRanks[0] : 0, 0, 0);
    case 'hit':
      return finish(TP > 0 ? 1 : 0, 0, 0);
    case 'precision': {
      const base = precisionBase();
      if (base === 0 && get('denom') !== 'capped') return undefined;
      return finish(over(TP, base), TP, base);
    }
    case 'recall': {
      const base = get('denom') === 'capped' ? Math.min(k, R) : R;
      return finish(over(TP, base), TP, base);
    }
    case 'f1': {
      const base = precisionBase();
      if (base === 0) return undefined;
      const b2 = Number(get('beta')) ** 2;
      const P = TP / base;
      const C = over(TP, R);
      return finish(over((1 + b2) * P * C, b2 * P + C), (1 + b2) * TP, b2 * R + base);
    }
    case 'ap': {
      const total = sum(
        list.slots.map(({ rank }, s) => {
          if (!good[s] || rank > k) return 0;
          return hitRanks.filter((r) => r <= rank).length / rank;
        }),
      );
      const bases: Record<string, number> = {
        relevant: R,
        capped: Math.min(kOrLast, R),
        list_capped: Math.min(kOrLast, inCut.length, R),
        hits: TP,
        k: kOrLast,
      };
      return finish(over(total, bases[String(get('denom'))]), 0, 0);
    }
    case 'rprec':
      return finish(over(hitRanks.filter((rank) => rank <= R).length, R), 0, 0);
    case 'dcg':
    case 'ndcg': {
      const gains = grades.map((g) => {
        if (get('gain') === 'exp') return 2 ** g - 1;
        if (get('gain') === 'binary') return g >= Number(get('rel')) ? 1 : 0;
        return g;
      });
      const disc = (r: number) => {
        if (get('discount') === 'clipped') return Math.log2(Math.max(r, 2));
        if (get('discount') === 'ln') return Math.log(r + 1);
        return get('discount') === 'none' ? 1 : Math.log2(r + 1);
      };
      const dcgOf = (values: readonly number[]) =>
        sum(list.slots.map(({ rank }, s) => (rank <= k ? values[s] / disc(rank) : 0)));
      const dcg = dcgOf(gains);
      const ideal = dcgOf(gains.toSorted((a, b) => b - a));
      const worst = dcgOf(gains.toSorted((a, b) => a - b));
      if (name === 'dcg') return finish(dcg, 0, 0, ideal > 0);
      if (get('norm') === 'max') return finish(over(dcg, ideal), 0, 0, ideal > 0);
      if (ideal - worst <= 1e-12 * ideal) return undefined;
      return finish((dcg - worst) / (ideal - worst), 0, 0, ideal > 0);
    }
    default:
      throw new Error(`the reference does not know ${name}`);
  }
}
