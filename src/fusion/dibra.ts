import { type Ballot, type Ballots, orderOf, rounded } from './ballots.ts';
import { combMnz } from './combmnz.ts';
import { combSum } from './combsum.ts';
import { majorityWins } from './majorities.ts';
import { as, atLeast0, type Method, oneOf, type Params, share, whole } from './method.ts';
import { NORMS } from './normalisation.ts';
import { agreements, type Limits, limitsOf } from './outranking.ts';

/**
 * DIBRA, distance-based iterative aggregation: voters who are close to the merged list weigh more in the next one.
 *
 *   w(0) = 1;  w(t + 1) = w(t) + exp(-gamma (t + 1) distance(list, merged list of w(t))), unchanged where the distance is 0 or less
 *
 * until no weight grows by more than `tolerance`, at most `iterations` + 1 times. `of` merges, with weights scaled by `weights`:
 * minmax to 0 .. 1, z by variance / highest weight, max by the highest, none. If all weights are equal they are 1.
 *
 * Distances, r being ranks of the list of L items, l those of the merged list of n, over items with r < L (as FLAGR cuts it):
 *   cosine    1 - sum (L - r + 1) l / sqrt(sum over 0 <= r < L of (L - r + 1)² * sum l²)
 *   footrule  2/L | sum L / (r + 1) (r / L - (l - 1) / n) |
 *   rho       1 - Spearman's rho over n, of all items of the list
 *   tau       the share of the list's pairs that the merged list has in the opposite order
 * PyFLAGR takes rho itself as the distance, and its tau is always 0, so that weights stay 1; here both are distances.
 *
 * Then lists may be cut, and merged once more: `prune=low` keeps the first (d1 + d2 w) L items of each list, w on 0 .. 1.
 * `prune=wire` sorts voters into `buckets` by weight, 1 the lowest; a voter counts d1 + (1 - d1) exp(-(buckets - bucket)
 * buckets / v), an item the sum of that over voters who listed it, and a list keeps its 1 + floor(d2 ceil(count L)) items that
 * count the most; then all starts over with the rest. Items that no list keeps are left out.
 *
 * L. Akritidis, A. Fevgas, P. Bozanis and Y. Manolopoulos, "An unsupervised distance-based model for weighted rank aggregation
 * with list pruning", Expert Systems with Applications 202, 2022; wire: L. Akritidis and P. Bozanis, "WIRE: a weighted item
 * removal method for unsupervised rank aggregation", Algorithms 18, 2025. PyFLAGR, the program of the papers' first author, is
 * the source of the details. Its wire changed: without `as=flagr` by the source of 1.0.21, with it as in 1.0.17 to
 * 1.0.20.
 *
 * Example: lists a b c, a b c, c b a, of combsum by borda: the merged list is a b c with 7/3, 2, 5/3; the first two are closer to
 * it, so their weights grow more, and with weights 1, 1, 0 after minmax a b c have 2, 4/3, 2/3.
 */
export const dibra: Method = {
  name: 'dibra',
  params: {
    as,
    of: oneOf('the method that merges', 'combsum', 'combmnz', 'condorcet', 'copeland', 'outranking'),
    norm: oneOf('votes of combsum and combmnz', 'borda', ...NORMS.filter((one) => one !== 'borda')),
    gamma: atLeast0('how fast weights stop to grow', 1.5),
    weights: oneOf('scale of the weights', 'minmax', 'z', 'max', 'none'),
    distance: oneOf('between a list and the merged one', 'cosine', 'footrule', 'rho', 'tau'),
    prune: oneOf('how lists are cut', 'none', 'low', 'wire'),
    d1: share('share of a list that stays whatever its weight; for wire the least count of a voter', 0.4),
    d2: share('share of a list that stays by its weight; for wire that of the share of its count', 0.1),
    buckets: whole('of voters, for wire', 3, 1000),
    tolerance: atLeast0('growth of a weight that ends the steps', 0.01),
    iterations: whole('steps at most', 50, 10_000),
    preference: share('as of outranking', 0),
    veto: share('as of outranking', 0.75),
    concordance: share('as of outranking', 0),
    discordance: share('as of outranking', 0.25),
  },
  summary: 'another method with voters weighted by how near they are to its result',
  source: 'Akritidis, Fevgas, Bozanis and Manolopoulos, Expert Systems with Applications 202, 2022',
  cost: 'iterations times that of the method, and n v',
  fuse: (ballots, params) => {
    const steps = weighted(ballots, params);
    switch (params.word('prune')) {
      case 'low':
        return cutLow(ballots, params, steps);
      case 'wire':
        return params.flagr ? cutAsFlagr(ballots, params, steps) : cutByCount(ballots, params, steps);
      default:
        return steps.scores;
    }
  },
};

interface Weighted {
  /** Scores of the last merged list. */
  readonly scores: Float64Array;
  /** Weights of the ballots after that merge. */
  readonly weights: Float64Array;
}

function weighted(ballots: Ballots, params: Params): Weighted {
  const gamma = params.number('gamma');
  const tolerance = params.number('tolerance');
  const iterations = params.number('iterations');
  const distance = distanceOf(params.word('distance'));
  let weights = new Float64Array(ballots.ballots.length).fill(1);
  let scale = weights;
  for (let step = 0; ; step++) {
    const exact = merged(ballots, params, scale);
    const scores = params.flagr ? exact : rounded(exact);
    const order = orderOf(ballots, scores);
    const places = new Int32Array(scores.length);
    for (const [place, item] of order.entries()) places[item] = place;
    const next = weights.map((weight, b) => {
      const far = distance(ballots.ballots[b], order, places);
      return far > 0 ? weight + Math.exp(-gamma * (step + 1) * far) : weight;
    });
    const isDone = next.every((weight, b) => weight - weights[b] <= tolerance);
    weights = next;
    if (isDone || step >= iterations) return { scores, weights };
    scale = scaled(weights, params.word('weights'));
  }
}

function scaled(weights: Float64Array, how: string): Float64Array<ArrayBuffer> {
  let lowest = weights[0];
  let highest = weights[0];
  let sum = 0;
  for (const weight of weights) {
    lowest = Math.min(lowest, weight);
    highest = Math.max(highest, weight);
    sum += weight;
  }
  if (how === 'none') return Float64Array.from(weights);
  if (highest === lowest) return Float64Array.from(weights, () => 1);
  if (how === 'max') return Float64Array.from(weights, (weight) => weight / highest);
  if (how === 'minmax') return Float64Array.from(weights, (weight) => (weight - lowest) / (highest - lowest));
  const mean = sum / weights.length;
  const variance = weights.reduce((total, weight) => total + (weight - mean) ** 2, 0) / weights.length;
  return Float64Array.from(weights, (weight) => (weight * variance) / highest);
}

function merged(ballots: Ballots, params: Params, weights: Float64Array): Float64Array {
  switch (params.word('of')) {
    case 'combmnz':
      return combMnz(ballots, params.word('norm'), params.flagr, weights);
    case 'condorcet':
      return majorityWins(ballots, 'condorcet', 0, weights);
    case 'copeland':
      return majorityWins(ballots, 'copeland', 0.5, weights);
    case 'outranking': {
      const limits: Limits = limitsOf(params, ballots);
      return agreements(ballots, limits, weights);
    }
    default:
      return combSum(ballots, params.word('norm'), weights);
  }
}

/**
 * @param order of the merged list
 * @param places of items in it, from 0
 */
type Distance = (ballot: Ballot, order: Int32Array, places: Int32Array) => number;

function distanceOf(name: string): Distance {
  switch (name) {
    case 'footrule':
      return footrule;
    case 'rho':
      return rho;
    case 'tau':
      return tau;
    default:
      return cosine;
  }
}

function cosine({ items, ranks }: Ballot, order: Int32Array, places: Int32Array): number {
  const length = items.length;
  let own = 0;
  for (let r = 0; r < length; r++) own += (length - r + 1) ** 2;
  let other = 0;
  for (let l = 1; l <= order.length; l++) other += l * l;
  let both = 0;
  for (const item of items) {
    const r = ranks[item];
    if (r < length) both += (length - r + 1) * (places[item] + 1);
  }
  return 1 - both / Math.sqrt(own * other);
}

function footrule({ items, ranks }: Ballot, order: Int32Array, places: Int32Array): number {
  const length = items.length;
  let sum = 0;
  for (const item of items) {
    const r = ranks[item];
    if (r < length) sum += (length / (r + 1)) * (r / length - places[item] / order.length);
  }
  return (2 * Math.abs(sum)) / length;
}

function rho({ items, ranks }: Ballot, order: Int32Array, places: Int32Array): number {
  const n = order.length;
  if (n < 2) return 0;
  let sum = 0;
  for (const item of items) sum += (ranks[item] - 1 - places[item]) ** 2;
  return (6 * sum) / (n ** 3 - n);
}

function tau({ items }: Ballot, _order: Int32Array, places: Int32Array): number {
  const length = items.length;
  if (length < 2) return 0;
  let discordant = 0;
  for (let i = 0; i < length; i++) {
    for (let j = i + 1; j < length; j++) if (places[items[i]] > places[items[j]]) discordant++;
  }
  return discordant / ((length * (length - 1)) / 2);
}

function cutLow(ballots: Ballots, params: Params, { weights }: Weighted): Float64Array {
  const zeroToOne = scaled(weights, 'minmax');
  const d1 = params.number('d1');
  const d2 = params.number('d2');
  const kept = ballots.ballots.map(({ items }, b) =>
    items.subarray(0, Math.trunc((d1 + d2 * zeroToOne[b]) * items.length)),
  );
  const cut = restricted(ballots, kept, 'whole');
  return spread(ballots, cut, merged(cut.ballots, params, scaled(weights, params.word('weights'))));
}

function cutByCount(ballots: Ballots, params: Params, { weights }: Weighted): Float64Array {
  const voters = ballots.ballots.length;
  const buckets = params.number('buckets');
  const rising = Array.from(weights.keys()).sort((a, b) => weights[a] - weights[b] || a - b);
  const counts = new Float64Array(voters);
  let bucket = 1;
  for (const [place, b] of rising.entries()) {
    if (place > Math.trunc((bucket * voters) / buckets)) bucket++;
    counts[b] = countOf(buckets - bucket, voters, params);
  }
  const kept = keptBy(ballots, counts, (b) => params.number('d2') * Math.ceil(counts[b] * lengthOf(ballots, b)));
  const cut = restricted(ballots, kept, 'anew');
  return spread(ballots, cut, weighted(cut.ballots, params).scores);
}

/**
 * Like PyFLAGR 1.0.17 to 1.0.20: buckets are parts of 0 .. 1, the scale of the weights; d2 times the count times L is truncated before
 * and after the multiplication by d2; items keep the ranks of the whole list.
 */
function cutAsFlagr(ballots: Ballots, params: Params, { weights }: Weighted): Float64Array {
  const buckets = params.number('buckets');
  const zeroToOne = scaled(weights, 'minmax');
  const counts = zeroToOne.map((weight) => {
    let bucket = buckets - 1;
    for (let j = 0; j < buckets; j++) if (weight > j / buckets) bucket = buckets - j - 1;
    return countOf(bucket, weights.length, params);
  });
  const kept = keptBy(ballots, counts, (b) => params.number('d2') * Math.floor(counts[b] * lengthOf(ballots, b)));
  const rising = Array.from(weights.keys()).sort((a, b) => weights[a] - weights[b] || a - b);
  const sorted: Ballots = { items: ballots.items, ballots: rising.map((b) => ballots.ballots[b]) };
  const cut = restricted(
    sorted,
    rising.map((b) => kept[b]),
    'ranks',
  );
  return spread(ballots, cut, weighted(cut.ballots, params).scores);
}

/**
 * Weight of a voter.
 * @param from number of buckets above its own
 */
function countOf(from: number, voters: number, params: Params): number {
  const d1 = params.number('d1');
  return d1 + (1 - d1) * Math.exp((-from * params.number('buckets')) / voters);
}

function lengthOf({ ballots }: Ballots, b: number): number {
  return ballots[b].items.length;
}

/** The `stays` + 1 items of each list that count the most, in the order of their ranks. */
function keptBy(
  { items, ballots }: Ballots,
  counts: Float64Array,
  stays: (b: number) => number,
): readonly Int32Array[] {
  const itemCounts = new Float64Array(items.length);
  for (const [b, ballot] of ballots.entries()) for (const item of ballot.items) itemCounts[item] += counts[b];
  return ballots.map((ballot, b) => {
    const { ranks } = ballot;
    const best = ballot.items.toSorted((x, y) => itemCounts[y] - itemCounts[x] || ranks[x] - ranks[y]);
    return best.subarray(0, 1 + Math.trunc(stays(b))).sort((x, y) => ranks[x] - ranks[y]);
  });
}

interface Cut {
  readonly ballots: Ballots;
  /** Previous number of each item of the cut lists. */
  readonly numbers: Int32Array;
}

/**
 * The same voters with fewer items.
 * @param kept items of each ballot, in the order of their ranks
 * @param how `anew`: as lists of their own; `whole`: votes on the scale of the whole lists; `ranks`: with the ranks of the whole lists
 */
function restricted({ items, ballots }: Ballots, kept: readonly Int32Array[], how: 'anew' | 'whole' | 'ranks'): Cut {
  const numberOf = new Int32Array(items.length).fill(-1);
  for (const some of kept) for (const item of some) numberOf[item] = 0;
  const numbers = Int32Array.from(numberOf.keys()).filter((item) => numberOf[item] === 0);
  for (const [number, old] of numbers.entries()) numberOf[old] = number;
  const cut = ballots.map((ballot, b): Ballot => {
    const own = kept[b].map((old) => numberOf[old]);
    const ranks = new Int32Array(numbers.length);
    for (const [place, item] of own.entries()) ranks[item] = how === 'ranks' ? ballot.ranks[kept[b][place]] : place + 1;
    const { voter, scores } = ballot;
    const left = scores && Float64Array.from(kept[b], (old) => scores[ballot.ranks[old] - 1]);
    return { voter, items: own, scores: left, ranks, ...(how === 'whole' ? { whole: ballot } : {}) };
  });
  return { ballots: { items: Array.from(numbers, (old) => items[old]), ballots: cut }, numbers };
}

function spread(ballots: Ballots, { numbers }: Cut, scores: Float64Array): Float64Array {
  const all = new Float64Array(ballots.items.length).fill(Number.NaN);
  for (const [number, old] of numbers.entries()) all[old] = scores[number];
  return all;
}
