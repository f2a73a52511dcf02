/**
 * The plain scorer: every slot, every sort, every formula as it is written down, with no care for speed. It shares no
 * code with src/measures but the names of parameters, and is what the fast scorer is held against.
 */

import type { Measure } from '../../src/measures/definition.ts';
import type { GradeRule, Grading } from '../../src/measures/scorer-contract.ts';

export interface PlainSlot {
  readonly item: string;
  readonly rank: number;
  /** Predicted. */
  readonly score?: number | undefined;
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
  /** Grades of every known item, shown ones included; undefined: only those. */
  readonly known?: readonly number[] | undefined;
}

/** What one list has of a measure. undefined: left out. */
export interface PlainScore {
  readonly positive: boolean;
  /** One value, numerator and denominator, precision and recall, or TP, FP, FN, TN. */
  readonly values: readonly number[];
}

const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
const cut = (value: number, most: number) => Math.max(0, Math.min(value, most));

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

/** The rating of every slot; undefined: none. */
function ratingsOf(list: PlainImpression, grading: Grading, action: unknown, dup: unknown): (number | undefined)[] {
  const rule = grading.actions.find(({ name }) => name === action)?.rule.rule ?? 'max';
  return list.slots.map(({ item }, s) => {
    if (!credited(list, s, dup)) return undefined;
    const mine = list.events
      .filter((e) => e.item === item && e.action === action)
      .flatMap(({ value, ts }) => (value === undefined ? [] : [{ value, ts }]));
    if (mine.length === 0) return undefined;
    if (rule === 'max') return Math.max(...mine.map(({ value }) => value));
    if (rule === 'sum') return sum(mine.map(({ value }) => value));
    return mine.toSorted((a, b) => a.ts - b.ts)[mine.length - 1].value;
  });
}

/** The (score, rating) pairs of a list, and how many slots have a rating. */
export function plainPairs(
  { params }: Measure,
  list: PlainImpression,
  grading: Grading,
): { readonly pairs: readonly (readonly [score: number, rating: number])[]; readonly rated: number } {
  const ratings = ratingsOf(list, grading, params.get('action'), params.get('dup'));
  const pairs = list.slots.flatMap(({ rank, score }, s): [number, number][] => {
    const rating = ratings[s];
    const x = params.get('by') === 'rank' ? 0 - rank : score;
    return rating === undefined || x === undefined ? [] : [[x, rating]];
  });
  return { pairs, rated: ratings.filter((rating) => rating !== undefined).length };
}

/** Average ranks: the mean place of all places that a value takes in the sorted values. */
function averageRanks(values: readonly number[]): number[] {
  const sorted = values.toSorted((a, b) => a - b);
  return values.map((value) => (sorted.indexOf(value) + sorted.lastIndexOf(value)) / 2 + 1);
}

function pearson(xs: readonly number[], ys: readonly number[]): number {
  const mean = (values: readonly number[]) => sum(values) / values.length;
  const dx = xs.map((x) => x - mean(xs));
  const dy = ys.map((y) => y - mean(ys));
  return sum(dx.map((x, i) => x * dy[i])) / Math.sqrt(sum(dx.map((x) => x * x)) * sum(dy.map((y) => y * y)));
}

function tauOf(kind: unknown, pairs: readonly (readonly [number, number])[]): number {
  const m = pairs.length;
  let concordant = 0;
  let discordant = 0;
  for (let i = 0; i < m; i++) {
    for (let j = i + 1; j < m; j++) {
      const sign = (pairs[i][0] - pairs[j][0]) * (pairs[i][1] - pairs[j][1]);
      if (sign > 0) concordant++;
      if (sign < 0) discordant++;
    }
  }
  const P = (m * (m - 1)) / 2;
  /** How often each different value of a side occurs. */
  const groups = (side: 0 | 1) =>
    [...new Set(pairs.map((pair) => pair[side]))].map((value) => pairs.filter((pair) => pair[side] === value).length);
  const tied = (side: 0 | 1) => sum(groups(side).map((t) => (t * (t - 1)) / 2));
  if (kind === 'a') return (concordant - discordant) / P;
  if (kind === 'b') return (concordant - discordant) / Math.sqrt((P - tied(0)) * (P - tied(1)));
  const q = Math.min(groups(0).length, groups(1).length);
  return (2 * q * (concordant - discordant)) / (m * m * (q - 1));
}

function plainRated(
  measure: Measure,
  list: PlainImpression,
  grading: Grading,
  positive: boolean,
): PlainScore | undefined {
  const { pairs } = plainPairs(measure, list, grading);
  if (pairs.length === 0) return undefined;
  const errors = pairs.map(([score, rating]) => rating - score);
  const errorMean = (values: readonly number[], back: (mean: number) => number): PlainScore =>
    measure.params.get('avg') === 'micro'
      ? { positive, values: [sum(values), values.length] }
      : { positive, values: [back(sum(values) / values.length)] };
  const isFlat = [0, 1].some((side) => new Set(pairs.map((pair) => pair[side])).size < 2);
  switch (measure.name) {
    case 'mae':
      return errorMean(errors.map(Math.abs), (mean) => mean);
    case 'rmse':
      return errorMean(
        errors.map((e) => e * e),
        Math.sqrt,
      );
    case 'bias':
      return errorMean(errors, (mean) => mean);
    case 'spearman':
      if (isFlat) return undefined;
      return {
        positive,
        values: [pearson(averageRanks(pairs.map(([x]) => x)), averageRanks(pairs.map(([, y]) => y)))],
      };
    case 'kendall':
      return isFlat ? undefined : { positive, values: [tauOf(measure.params.get('tau'), pairs)] };
    default:
      throw new Error(`test/measures/reference.ts does not know ${measure.name}: add its formula`);
  }
}

/** One list by one measure. */
export function plainScore(measure: Measure, list: PlainImpression, grading: Grading): PlainScore | undefined {
  const { name, params } = measure;
  const get = (key: string) => params.get(key);
  const k = measure.k ?? Number.POSITIVE_INFINITY;
  const inCut = list.slots.filter(({ rank }) => rank <= k);
  const isEmpty = list.slots.length === 0;
  if (list.slots.length < Number(get('min_list_length'))) return undefined;
  // A page behind the end of the list is none.
  if (isEmpty ? list.offset > 0 : inCut.length === 0) return undefined;

  if (measure.definition.kind === 'ratings') {
    const usual = plainGrades(list, grading, undefined, 'first').some((grade) => grade >= grading.relevantFrom);
    return plainRated(measure, list, grading, usual);
  }

  const acts = (action: string) =>
    list.slots.map(
      ({ item }, s) => credited(list, s, get('dup')) && list.events.some((e) => e.item === item && e.action === action),
    );
  const grades = plainGrades(list, grading, get('action'), get('dup'));
  if (name === 'judged') {
    if (isEmpty) return undefined;
    const usual = plainGrades(list, grading, undefined, 'first').some((grade) => grade >= grading.relevantFrom);
    const isJudged = ({ item }: PlainSlot) => list.events.some((e) => e.item === item && e.action === 'rating');
    return { positive: usual, values: [inCut.filter(isJudged).length / inCut.length] };
  }
  const isRate = name === 'ctr' || name === 'rate';
  const rateAction = name === 'ctr' ? 'click' : String(get('action'));
  const good = isRate ? acts(rateAction) : grades.map((grade) => grade >= Number(get('rel')));
  const shownR = good.filter((yes) => yes).length;
  const isShown = get('ideal') === undefined || get('ideal') === 'shown';
  // Without other knowledge the shown items are the known ones; a shown positive is known in any case.
  const known = (list.known ?? plainGrades(list, grading, get('action'), 'first')).map((grade) => Math.max(0, grade));
  const R = isShown ? shownR : Math.max(shownR, known.filter((grade) => grade >= Number(get('rel'))).length);
  const TP = good.filter((yes, s) => yes && list.slots[s].rank <= k).length;
  const lastRank = list.slots.at(-1)?.rank ?? 0;
  const kOrLast = Math.min(k, k === Number.POSITIVE_INFINITY ? lastRank : k);

  const examinedAtAll = list.slots.map(({ rank }, s) => {
    if (get('examined') === 'viewport') return good[s] || acts('view')[s];
    if (get('examined') === 'last_positive') return shownR === 0 || good.lastIndexOf(true) >= s || rank < 0;
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
    return { positive: R > 0, values: get('avg') === 'micro' ? [above, below] : [above / below] };
  }

  const over = (a: number, b: number) => (b === 0 ? 0 : a / b);
  const precisionBase = () => {
    if (get('examined') !== 'all') return examined((rank) => rank <= k);
    if (get('denom') === 'list') return inCut.length;
    const page = Math.max(kOrLast - list.offset, inCut.length);
    return get('denom') === 'capped' ? Math.min(page, R) : page;
  };
  // A list that could have had no positive counts 1 by this rule, but not one that is empty.
  const mustCount0 = isEmpty && get('empty') === 'one';
  const finish = (value: number, above: number, below: number, positive = R > 0): PlainScore => {
    if (get('avg') === 'micro') return { positive, values: [above, below] };
    if (get('avg') === 'weighted') return { positive: R > 0, values: [R * value, R] };
    return { positive: positive || mustCount0, values: [value] };
  };
  const anyGrade = (isShown ? grades : known).some((grade) => grade > 0);
  const hitRanks = list.slots.filter((_, s) => good[s]).map(({ rank }) => rank);

  if (get('per') === 'class') {
    const cell = (inTop: boolean, isGood: boolean) =>
      list.slots.filter(({ rank }, s) => rank <= k === inTop && good[s] === isGood).length;
    return { positive: R > 0, values: [cell(true, true), cell(true, false), cell(false, true), cell(false, false)] };
  }

  switch (name) {
    case 'mrr':
      return finish(TP > 0 ? 1 / hitRanks[0] : 0, 0, 0);
    case 'hit':
      return finish(TP > 0 ? 1 : 0, 0, 0);
    case 'precision': {
      const base = precisionBase();
      if (base === 0 && get('denom') !== 'capped' && !isEmpty) return undefined;
      return finish(over(TP, base), TP, base);
    }
    case 'recall': {
      const base = get('denom') === 'capped' ? Math.min(k, R) : R;
      return finish(over(TP, base), TP, base);
    }
    case 'f1': {
      const base = precisionBase();
      if (base === 0 && !isEmpty) return undefined;
      const b2 = Number(get('beta')) ** 2;
      const P = over(TP, base);
      const C = over(TP, R);
      if (get('of') === 'means') return { positive: R > 0 || mustCount0, values: [P, C] };
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
      const gainOf = (g: number) => {
        if (get('gain') === 'exp') return 2 ** g - 1;
        if (get('gain') === 'binary') return g >= Number(get('rel')) ? 1 : 0;
        return g;
      };
      const disc = (r: number) => {
        if (get('discount') === 'clipped') return Math.log2(Math.max(r, 2));
        if (get('discount') === 'ln') return Math.log(r + 1);
        return get('discount') === 'none' ? 1 : Math.log2(r + 1);
      };
      const dcgOf = (values: readonly number[], ranks: readonly number[]) =>
        sum(values.map((value, i) => (ranks[i] <= k ? value / disc(ranks[i]) : 0)));
      const ownRanks = list.slots.map(({ rank }) => rank);
      const dcg = dcgOf(grades.map(gainOf), ownRanks);
      const pool = (isShown ? grades : known).map(gainOf);
      const ranks = isShown ? ownRanks : pool.map((_, i) => i + 1);
      const best = dcgOf(
        pool.toSorted((a, b) => b - a),
        ranks,
      );
      const worst = dcgOf(
        pool.toSorted((a, b) => a - b),
        ranks,
      );
      const whole = Array.from({ length: Math.min(k, 1e4) }, (_, i) => i + 1);
      const ideal =
        get('ideal') === 'perfect'
          ? dcgOf(
              whole.map(() => 1),
              whole,
            )
          : best;
      const gaining = get('gain') === 'binary' ? R > 0 : pool.some((gain) => gain > 0);
      if (name === 'dcg') return finish(dcg, 0, 0, gaining);
      if (get('norm') === 'max') return finish(Math.min(1, over(dcg, ideal)), 0, 0, gaining);
      if (ideal - worst <= 1e-12 * ideal) return undefined;
      const scaled = (dcg - worst) / (ideal - worst);
      return finish(isShown ? Math.min(1, Math.max(0, scaled)) : scaled, 0, 0, gaining);
    }
    case 'rbp': {
      const isScaled = get('gain') === 'scaled';
      const p = Number(get('p'));
      const stops = grades.map((g, s) => (isScaled ? Math.min(1, g / Number(get('gmax'))) : good[s] ? 1 : 0));
      const rbpOf = (values: readonly number[]) =>
        (1 - p) * sum(list.slots.map(({ rank }, s) => (rank <= k ? values[s] * p ** (rank - 1) : 0)));
      const best = rbpOf(stops.toSorted((a, b) => b - a));
      return finish(get('norm') === 'max' ? over(rbpOf(stops), best) : rbpOf(stops), 0, 0, isScaled ? anyGrade : R > 0);
    }
    case 'err': {
      const gmax = Number(get('gmax'));
      const q = grades.map((g) => (2 ** Math.min(g, gmax) - 1) / 2 ** gmax);
      const reaches = (s: number) => q.slice(0, s).reduce((all, stop) => all * (1 - stop), 1);
      return finish(sum(list.slots.map(({ rank }, s) => (rank <= k ? (q[s] * reaches(s)) / rank : 0))), 0, 0, anyGrade);
    }
    case 'auc': {
      const scoreOf = ({ rank, score }: PlainSlot) => (get('by') === 'rank' ? 0 - rank : score);
      const scoresOf = (wanted: (s: number) => boolean) =>
        list.slots.flatMap((slot, s) => (wanted(s) ? [scoreOf(slot) ?? []] : []).flat());
      const positives = scoresOf((s) => good[s]);
      const others = scoresOf((s) => !good[s] && examinedAtAll[s]);
      const pairs = positives.flatMap((a) => others.map((b) => (a > b ? 1 : a === b ? 0.5 : 0)));
      if (pairs.length === 0) return undefined;
      return finish(sum(pairs) / pairs.length, 0, 0);
    }
    default:
      throw new Error(`test/measures/reference.ts does not know ${name}: add its formula`);
  }
}
