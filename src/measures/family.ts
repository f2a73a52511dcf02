/**
 * The whole family of measures as data: names, and for each name the parameters that it takes (measures.md section 2).
 * The order of names, parameters and values is the order in which messages list and suggest them.
 */
import { LARGEST_VALUE } from '../events.ts';
import { LARGEST_EXPONENT } from './gain.ts';

/** A parameter that takes one of a few words; the first is the default. */
export interface WordShape {
  readonly kind: 'word';
  readonly values: readonly string[];
}

/** A parameter that takes a number. */
export interface NumberShape {
  readonly kind: 'number';
  /** The allowed numbers in words: `a number above 0`. */
  readonly range: string;
  readonly allows: (value: number) => boolean;
  /** The default: a number, a setting of the configuration, or none. */
  readonly initial: number | 'relevantFrom' | 'highestGrade' | undefined;
  /** Printed even if it has its default, and never absent. */
  readonly always?: boolean;
}

/** A parameter that takes the name of an action, with its letters as they are. */
export interface ActionShape {
  readonly kind: 'action';
  readonly initial: string | undefined;
  readonly required: boolean;
}

export type ParamShape = WordShape | NumberShape | ActionShape;

export interface MeasureShape {
  /** Whether the measure takes a cut-off `@k`. */
  readonly cut: boolean;
  readonly params: Readonly<Record<string, ParamShape>>;
}

export const MEASURE_NAMES = [
  'mrr',
  'hit',
  'precision',
  'recall',
  'f1',
  'ap',
  'rprec',
  'dcg',
  'ndcg',
  'rbp',
  'err',
  'auc',
  'ctr',
  'rate',
  'mae',
  'rmse',
  'bias',
  'spearman',
  'kendall',
  'distinct',
  'coverage',
  'gini',
  'entropy',
  'popularity',
  'novelty',
  'diversity',
  'length',
  'short',
  'duplicated',
] as const;
export type MeasureName = (typeof MEASURE_NAMES)[number];

/** What the configuration gives to parameters that are not written. */
export interface MeasureDefaults {
  /** Default of `rel`. */
  readonly relevantFrom: number;
  /** Default of `gmax` in err: the highest grade of the configuration; undefined where it is no gmax, as a grade comes from a value or is above 30. */
  readonly highestGrade?: number | undefined;
}

/** A member of the family: its name says which measure, its parameters say by which convention. */
export interface Measure {
  readonly name: MeasureName;
  /** Every parameter that has a value, defaults included, by key in alphabetical order. */
  readonly params: ReadonlyMap<string, string | number>;
  /** The cut-off: only ranks up to k count. undefined: all. */
  readonly k: number | undefined;
  /** The printed name and the measure's identity: equal measures have equal names, and it parses back to this measure. */
  readonly canonical: string;
}

/** Whether feedback of the measure's `action` counts by its grade: not in rates, and not where its value is the rating. */
export function needsGrade({ name }: Pick<Measure, 'name'>): boolean {
  return !['rate', 'mae', 'rmse', 'bias', 'spearman', 'kendall'].includes(name);
}

/**
 * Whether the value depends on what is a positive. Graded gains do not ask: dcg and ndcg but for `gain=binary`, rbp with
 * `gain=scaled`, err. A weighted mean asks for its weights.
 */
export function asksPositives({ name, params }: Pick<Measure, 'name' | 'params'>): boolean {
  if (params.get('rel') === undefined) return false;
  if (params.get('avg') === 'weighted') return true;
  return name !== 'err' && (params.get('gain') ?? 'binary') === 'binary';
}

/** Names that are read but never printed. */
export const ALIASES: ReadonlyMap<string, MeasureName> = new Map([
  ['map', 'ap'],
  ['p', 'precision'],
  ['r', 'recall'],
  ['rr', 'mrr'],
  ['recip_rank', 'mrr'],
  ['success', 'hit'],
  ['hit_rate', 'hit'],
  ['hitrate', 'hit'],
  ['r_precision', 'rprec'],
]);

/** Cut-offs and ranks in names end here. */
export const LARGEST_K = 10_000;

function word(...values: readonly string[]): WordShape {
  return { kind: 'word', values };
}

function above0(initial: NumberShape['initial'], most = Number.MAX_VALUE): NumberShape {
  const range = most === Number.MAX_VALUE ? 'a number above 0' : `a number above 0, at most ${most}`;
  return { kind: 'number', range, allows: (value) => value > 0 && value <= most, initial };
}

function whole(initial: number | undefined, most: number): NumberShape {
  const allows = (value: number) => Number.isInteger(value) && value >= 1 && value <= most;
  return { kind: 'number', range: `a whole number from 1 to ${most}`, allows, initial };
}

const anyAction: ActionShape = { kind: 'action', initial: undefined, required: false };
const users = word('impression', 'user', 'session');
const gain = word('linear', 'exp', 'binary');
const discount = word('log2', 'clipped', 'ln', 'none');
const examined = word('all', 'viewport', 'last_positive');
const exposure = word('count', 'log2');
const by = word('rank', 'score');
const belowOne: NumberShape = {
  kind: 'number',
  range: 'a number above 0 and below 1',
  allows: (value) => value > 0 && value < 1,
  initial: 0.8,
};

const everyList = { dup: word('first', 'each'), action: anyAction, min_list_length: whole(1, LARGEST_K) };
const graded = { rel: above0('relevantFrom'), ...everyList };
const judged = {
  rel: graded.rel,
  ideal: word('shown', 'all'),
  empty: word('zero', 'skip', 'one'),
  ...everyList,
  avg: word('macro', 'weighted'),
  per: users,
};
const counted = { ...judged, avg: word('macro', 'micro', 'weighted'), per: word(...users.values, 'class') };
const slots = {
  dup: everyList.dup,
  min_list_length: everyList.min_list_length,
  avg: word('micro', 'macro'),
  per: users,
  examined,
  slot: whole(undefined, LARGEST_K),
};
const rated = { ...everyList, action: { kind: 'action', initial: 'rating', required: false }, per: users } as const;
const errors = { ...rated, avg: word('micro', 'macro') };
const correlated = { ...rated, avg: word('macro'), by: word('score', 'rank') };

export const FAMILY: Readonly<Record<MeasureName, MeasureShape>> = {
  mrr: { cut: true, params: judged },
  hit: { cut: true, params: judged },
  precision: { cut: true, params: { ...counted, denom: word('k', 'list', 'capped'), examined } },
  recall: { cut: true, params: { ...counted, denom: word('relevant', 'capped') } },
  f1: {
    cut: true,
    params: {
      ...counted,
      denom: word('k', 'list'),
      beta: above0(1, 1000),
      of: word('lists', 'means'),
      examined,
    },
  },
  ap: { cut: true, params: { ...judged, denom: word('relevant', 'capped', 'list_capped', 'hits', 'k') } },
  rprec: { cut: false, params: judged },
  dcg: { cut: true, params: { ...judged, gain, discount } },
  ndcg: {
    cut: true,
    params: { ...judged, ideal: word('shown', 'all', 'perfect'), gain, discount, norm: word('max', 'minmax') },
  },
  rbp: {
    cut: true,
    params: {
      ...judged,
      p: belowOne,
      gain: word('binary', 'scaled'),
      gmax: above0(undefined, LARGEST_VALUE),
      norm: word('none', 'max'),
    },
  },
  err: { cut: true, params: { ...judged, gmax: { ...above0('highestGrade', LARGEST_EXPONENT), always: true } } },
  auc: { cut: false, params: { ...graded, avg: judged.avg, per: users, by, examined } },
  ctr: { cut: true, params: slots },
  rate: { cut: true, params: { ...slots, action: { kind: 'action', initial: undefined, required: true } } },
  mae: { cut: false, params: errors },
  rmse: { cut: false, params: errors },
  bias: { cut: false, params: errors },
  spearman: { cut: false, params: correlated },
  kendall: { cut: false, params: { ...correlated, tau: word('b', 'a', 'c') } },
  distinct: { cut: true, params: {} },
  coverage: { cut: true, params: {} },
  gini: { cut: true, params: { over: word('shown', 'catalogue'), corrected: word('no', 'yes'), exposure } },
  entropy: { cut: true, params: { norm: word('none', 'max'), exposure } },
  popularity: { cut: true, params: {} },
  novelty: { cut: true, params: { users: { ...whole(undefined, Number.MAX_SAFE_INTEGER), always: true } } },
  diversity: { cut: true, params: {} },
  length: { cut: false, params: {} },
  short: { cut: false, params: { below: whole(10, LARGEST_K) } },
  duplicated: { cut: false, params: {} },
};
