import type { Ballots } from './ballots.ts';
import { as, type Method, type Params, share } from './method.ts';
import { mustBeFew } from './pairwise.ts';

const thresholds = {
  preference: share('share of n: how far an item must be before another for a list to agree', 0),
  veto: share('share of n: how far behind another an item must be for a list to object', 0.75),
  concordance: share('share of the voters that must agree', 0),
  discordance: share('largest share of the voters that may object', 0.25),
};

/**
 * The outranking approach: i outranks j if enough lists agree that i is at least as good, and not too many object strongly.
 *
 *   i outranks j: lists with rank(i) <= rank(j) - preference * n are at least concordance * v, and
 *                 lists with rank(i) >= rank(j) + veto * n are at most discordance * v
 *
 * The four products are truncated to whole numbers. Items that a list does not contain have no rank there: they are equal to
 * each other, and farther behind the listed ones than any threshold.
 *
 * The order that follows, `as=paper`: an item's qualification within a set is the number of items that it outranks less the
 * number of those that outrank it. The best are taken, ties among them by their qualification among themselves as long as that
 * separates them; then the best of the rest. Score: number of items in later classes.
 * `as=flagr`: an item's score is the sum, over the items that it outranks, of the lists that agree.
 *
 * M. Farah and D. Vanderpooten, "An outranking approach for rank aggregation in information retrieval", SIGIR 2007.
 *
 * Example: lists a b c, a c b, b a c, thresholds 0, 0.75, 0, 0.25: 2 places behind is an objection, and none is allowed. a c b
 * objects to b before a, a b c to c before a, b a c to c before b. So a outranks b and c, b outranks c: a b c with 2, 1, 0,
 * and `as=flagr` with 2 + 3, 2, 0 agreeing lists.
 */
export const outranking: Method = {
  name: 'outranking',
  params: { as, ...thresholds },
  summary: 'an item outranks another if enough lists agree and few object',
  source: 'Farah and Vanderpooten, SIGIR 2007',
  cost: 'n² v',
  fuse: (ballots, params) => {
    const limits = limitsOf(params, ballots);
    return params.flagr ? agreements(ballots, limits) : classes(ballots, limits);
  },
};

/** Thresholds in places, and in weight of voters. */
export interface Limits {
  readonly preference: number;
  readonly veto: number;
  readonly concordance: number;
  readonly discordance: number;
}

export function limitsOf(params: Params, { items, ballots }: Ballots): Limits {
  return {
    preference: Math.trunc(params.number('preference') * items.length),
    veto: Math.trunc(params.number('veto') * items.length),
    concordance: Math.trunc(params.number('concordance') * ballots.length),
    discordance: Math.trunc(params.number('discordance') * ballots.length),
  };
}

/**
 * FLAGR's score.
 * @param weights of the ballots; undefined: all 1
 */
export function agreements(ballots: Ballots, limits: Limits, weights?: ArrayLike<number>): Float64Array {
  const n = mustBeFew(ballots, 'outranking');
  const scores = new Float64Array(n);
  outranked(ballots, limits, weights, (i, _j, agree) => {
    scores[i] += agree;
  });
  return scores;
}

/** The paper's order, by classes of qualification. */
function classes(ballots: Ballots, limits: Limits): Float64Array {
  const n = mustBeFew(ballots, 'outranking');
  const relation = new Uint8Array(n * n);
  outranked(ballots, limits, undefined, (i, j) => {
    relation[i * n + j] = 1;
  });
  const scores = new Float64Array(n);
  const qualification = new Int32Array(n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) qualification[i] += relation[i * n + j] - relation[j * n + i];
  }
  let rest = Array.from({ length: n }, (_, item) => item);
  while (rest.length > 0) {
    const best = distilled(
      relation,
      n,
      bestOf(rest, (item) => qualification[item]),
    );
    const taken = new Set(best);
    rest = rest.filter((item) => !taken.has(item));
    for (const item of best) scores[item] = rest.length;
    for (const item of rest) {
      for (const gone of best) qualification[item] -= relation[item * n + gone] - relation[gone * n + item];
    }
  }
  return scores;
}

/** The best of a set, then the best among these, and so on until nothing changes. */
function distilled(relation: Uint8Array, n: number, set: readonly number[]): readonly number[] {
  let current = set;
  for (;;) {
    const among = current;
    const best = bestOf(among, (item) => {
      let own = 0;
      for (const other of among) own += relation[item * n + other] - relation[other * n + item];
      return own;
    });
    if (best.length === among.length) return best;
    current = best;
  }
}

function bestOf(items: readonly number[], value: (item: number) => number): readonly number[] {
  const values = items.map(value);
  const highest = values.reduce((most, one) => Math.max(most, one), Number.NEGATIVE_INFINITY);
  return items.filter((_, i) => values[i] === highest);
}

/** Calls back for each pair whose first item outranks the second. */
function outranked(
  { items, ballots }: Ballots,
  { preference, veto, concordance, discordance }: Limits,
  weights: ArrayLike<number> | undefined,
  found: (i: number, j: number, agree: number) => void,
): void {
  const n = items.length;
  const agree = new Float64Array(n);
  const object = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    agree.fill(0);
    object.fill(0);
    for (const [b, { ranks }] of ballots.entries()) {
      const weight = weights === undefined ? 1 : weights[b];
      const own = ranks[i] === 0 ? Number.MAX_SAFE_INTEGER : ranks[i];
      for (let j = 0; j < n; j++) {
        const other = ranks[j] === 0 ? Number.MAX_SAFE_INTEGER : ranks[j];
        if (own <= other - preference) agree[j] += weight;
        if (own >= other + veto) object[j] += weight;
      }
    }
    for (let j = 0; j < n; j++) {
      if (j !== i && agree[j] >= concordance && object[j] <= discordance) found(i, j, agree[j]);
    }
  }
}
