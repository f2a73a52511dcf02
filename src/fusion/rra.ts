import type { Ballots } from './ballots.ts';
import { type Method, oneOf } from './method.ts';

/**
 * Robust rank aggregation: how unlikely an item's ranks would be if voters ordered the items at random.
 *
 *   r(1) <= ... <= r(v): the item's ranks / n, 1 where it is not listed
 *   rho = min over k of P(at least k of v uniform numbers are <= r(k))
 *   exact=no   p = min(1, v * rho), Bonferroni's bound
 *   exact=yes  p = P(rho of v uniform numbers <= rho)
 *
 * Score: -log10 p, so that higher is better and p can be read off. The exact p grows with rho: it separates items that the bound
 * cuts to 1, and changes no other order. It is a sum of probabilities that some number is at or below its bound, without
 * differences, so that small p are exact too (M. Noé, "The calculation of distributions of two-sided Kolmogorov-Smirnov type
 * statistics", 1972).
 *
 * R. Kolde, S. Laur, P. Adler and J. Vilo, "Robust rank aggregation for gene list integration and meta-analysis",
 * Bioinformatics 28, 2012. Like R's RobustRankAggreg. PyFLAGR's RRA(exact=False) has p as its score; its RRA(exact=True) loses
 * all digits for many voters.
 *
 * Example: lists a b and a c, n = 3: a has r = 1/3, 1/3: P(at least 1) = 5/9, P(2) = 1/9, rho = 1/9, p = 2/9, score 0.653. By
 * `exact=yes`, rho <= 1/9 needs the smaller <= 0.0572 or the larger <= 1/3: p = 0.184, score 0.735.
 */
export const rra: Method = {
  name: 'rra',
  params: { exact: oneOf('p-value by a bound or exactly', 'no', 'yes') },
  summary: 'how unlikely an item’s ranks are by chance',
  source: 'Kolde, Laur, Adler and Vilo, Bioinformatics 28, 2012',
  cost: 'n v², exactly n v³',
  fuse: (ballots, params) => {
    const exact = params.word('exact') === 'yes';
    const v = ballots.ballots.length;
    const ways = new Binomial(v);
    const known = new Map<number, number>();
    return rhos(ballots, ways).map((rho) => {
      let p = known.get(rho);
      if (p === undefined) {
        p = exact ? exactP(rho, ways) : Math.min(1, v * rho);
        known.set(rho, p);
      }
      return p === 1 ? 0 : -Math.log10(p);
    });
  },
};

function rhos({ items, ballots }: Ballots, ways: Binomial): Float64Array {
  const n = items.length;
  const ranks = new Float64Array(ballots.length);
  return Float64Array.from(items, (_, item) => {
    for (const [b, ballot] of ballots.entries()) ranks[b] = ballot.ranks[item] === 0 ? 1 : ballot.ranks[item] / n;
    ranks.sort();
    let rho = 1;
    for (let k = 1; k <= ranks.length; k++) rho = Math.min(rho, ways.atLeast(k, ranks[k - 1]));
    return rho;
  });
}

/** Probabilities of counts of v independent events. */
class Binomial {
  readonly v: number;
  /** Logarithms of factorials. */
  readonly #logs: Float64Array;

  constructor(v: number) {
    this.v = v;
    this.#logs = new Float64Array(v + 1);
    for (let i = 1; i <= v; i++) this.#logs[i] = this.#logs[i - 1] + Math.log(i);
  }

  /** P(exactly k of m events of probability x), m at most v. */
  exactly(k: number, m: number, x: number): number {
    if (x <= 0) return k === 0 ? 1 : 0;
    if (x >= 1) return k === m ? 1 : 0;
    const logs = this.#logs;
    return Math.exp(logs[m] - logs[k] - logs[m - k] + k * Math.log(x) + (m - k) * Math.log1p(-x));
  }

  /**
   * Distributes `mass`, which has `count` of v events so far, over the counts that result if each of the other events has probability x;
   * adds to `into`.
   */
  spread(mass: number, count: number, x: number, into: Float64Array): void {
    const { v } = this;
    const left = v - count;
    const none = (1 - x) ** left;
    if (none < 1e-280) {
      for (let more = 0; more <= left; more++) into[count + more] += mass * this.exactly(more, left, x);
      return;
    }
    const odds = x / (1 - x);
    let term = mass * none;
    for (let more = 0; more <= left; more++) {
      into[count + more] += term;
      term *= (odds * (left - more)) / (more + 1);
    }
  }

  /** P(at least k of v events of probability x). */
  atLeast(k: number, x: number): number {
    if (x >= 1) return 1;
    if (x <= 0) return k === 0 ? 1 : 0;
    const { v } = this;
    const odds = x / (1 - x);
    let term = this.exactly(k, v, x);
    let sum = 0;
    for (let count = k; count <= v && term > 0; count++) {
      sum += term;
      term *= (odds * (v - count)) / (count + 1);
    }
    return Math.min(1, sum);
  }
}

/** P(for some k the k-th smallest of v uniform numbers is <= b(k)), where b(k) is defined by P(at least k numbers <= b(k)) = rho. */
function exactP(rho: number, ways: Binomial): number {
  const { v } = ways;
  if (rho >= 1) return 1;
  // below[n]: the probability that n uniform numbers are at or below the bound, without an earlier crossing.
  let below = new Float64Array(v + 1);
  below[0] = 1;
  let crossed = 0;
  let last = 0;
  for (let k = 1; k <= v; k++) {
    const bound = boundOf(k, rho, ways);
    const x = Math.min(1, Math.max(0, (bound - last) / (1 - last)));
    const next = new Float64Array(v + 1);
    for (let count = 0; count < k; count++) {
      if (below[count] === 0) continue;
      ways.spread(below[count], count, x, next);
    }
    // With k or more numbers at or below the k-th bound, it is crossed.
    for (let count = v; count >= k; count--) {
      crossed += next[count];
      next[count] = 0;
    }
    below = next;
    last = bound;
  }
  return Math.min(1, crossed);
}

function boundOf(k: number, rho: number, ways: Binomial): number {
  let low = 0;
  let high = 1;
  for (let step = 0; step < 60 && low < high; step++) {
    const middle = (low + high) / 2;
    if (ways.atLeast(k, middle) <= rho) low = middle;
    else high = middle;
  }
  return low;
}
