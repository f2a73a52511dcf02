/**
 * The parameters that measures take: their forms, and the sets of them that measures share (specification: measures 2). The
 * order of parameters and values is the order in which messages list and suggest them.
 */

/** A parameter that takes one of a few words; the first is the default. */
export interface WordShape {
  readonly kind: 'word';
  readonly values: readonly string[];
}

/** A parameter that takes a number. */
interface NumberShape {
  readonly kind: 'number';
  /** The allowed numbers in words: `a number above 0`. */
  readonly range: string;
  readonly allows: (value: number) => boolean;
  /** The default: a number, a setting of the configuration, or none. */
  readonly initial: number | 'relevantFrom' | 'highestGrade' | undefined;
  /** Whether it is printed even if it is the default, and never absent. */
  readonly always?: boolean;
}

/** A parameter that takes the name of an action, case-sensitive. */
interface ActionShape {
  readonly kind: 'action';
  readonly initial: string | undefined;
  readonly required: boolean;
}

export type ParamShape = WordShape | NumberShape | ActionShape;

export type ParamShapes = Readonly<Record<string, ParamShape>>;

/** The configuration's values for parameters that are not written. */
export interface MeasureDefaults {
  /** Default of `rel`. */
  readonly relevantFrom: number;
  /** Default of `gmax` in err: the highest configured grade; undefined if a grade comes from a value or is above 30. */
  readonly highestGrade?: number | undefined;
}

/** The largest cut-off or rank in a name. */
export const LARGEST_K = 10_000;

export function word(...values: readonly string[]): WordShape {
  return { kind: 'word', values };
}

export function above0(initial: NumberShape['initial'], most = Number.MAX_VALUE): NumberShape {
  const range = most === Number.MAX_VALUE ? 'a number above 0' : `a number above 0, at most ${most}`;
  return { kind: 'number', range, allows: (value) => value > 0 && value <= most, initial };
}

export function belowOne(initial: number): NumberShape {
  const range = 'a number above 0 and below 1';
  return { kind: 'number', range, allows: (value) => value > 0 && value < 1, initial };
}

export function whole(initial: number | undefined, most = LARGEST_K, least = 1): NumberShape {
  const allows = (value: number) => Number.isInteger(value) && value >= least && value <= most;
  return { kind: 'number', range: `a whole number from ${least} to ${most}`, allows, initial };
}

/** An action that must be named. */
export const requiredAction: ActionShape = { kind: 'action', initial: undefined, required: true };

const anyAction: ActionShape = { kind: 'action', initial: undefined, required: false };
const users = word('impression', 'user', 'session');

export const examined = word('all', 'viewport', 'last_positive');
export const exposure = word('count', 'log2');

const everyList = { dup: word('first', 'each'), action: anyAction, min_list_length: whole(1) };

/** Parameters of measures of grades. */
export const graded = { rel: above0('relevantFrom'), ...everyList };

/** Parameters of measures that compare a list with its positives or its ideal order. */
export const judged = {
  rel: graded.rel,
  ideal: word('shown', 'all'),
  empty: word('zero', 'skip', 'one'),
  ...everyList,
  // With 0, an empty list counts, as a list without positives.
  min_list_length: whole(0, LARGEST_K, 0),
  avg: word('macro', 'weighted'),
  per: users,
};

/** Parameters of judged measures whose numerators and denominators can be summed separately. */
export const counted = { ...judged, avg: word('macro', 'micro', 'weighted'), per: word(...users.values, 'class') };

/** Parameters of shares of slots. */
export const slots = {
  dup: everyList.dup,
  min_list_length: everyList.min_list_length,
  avg: word('micro', 'macro'),
  per: users,
  examined,
  slot: whole(undefined),
};

/** Parameters of measures of predicted scores against ratings. */
const rated = { ...everyList, action: { kind: 'action', initial: 'rating', required: false }, per: users } as const;
export const errors = { ...rated, avg: word('micro', 'macro') };
export const correlated = { ...rated, avg: word('macro'), by: word('score', 'rank') };
