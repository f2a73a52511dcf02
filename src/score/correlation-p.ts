import { creditOf } from '../measures/bound.ts';
import type { Measure } from '../measures/definition.ts';
import { Pairs, Rated } from '../measures/rated.ts';
import { normalLower, probability, tLower } from '../statistics/distributions.ts';
import type { Joined } from '../vocabulary/events.ts';

/** The two-sided p of the correlation in a list, against no relation, by measure; undefined: it has none. */
export type CorrelationTest = (list: Joined, values: readonly number[]) => readonly (number | undefined)[];

/**
 * p of spearman and kendall, as in scipy's spearmanr and kendalltau.
 *
 *     spearman: t = r sqrt((m - 2) / (1 - r²)), Student with m - 2 degrees of freedom, m >= 3
 *     kendall:  without ties and up to 33 pairs exact, from the number of orders with at most as many discordant pairs
 *               (M. G. Kendall, "Rank Correlation Methods", 1970); else normal, with the variance corrected for ties
 *
 * Example: scores 1 2 3 4 5 against ratings 2 1 2 4 5: r .820783, p .088587.
 *
 * @param actions their order in `Joined.action`
 */
export function correlationTest(measures: readonly Measure[], actions: readonly string[]): CorrelationTest {
  const tests = measures.map((measure) => {
    const { definition, params } = measure;
    const { correlation } = definition;
    if (correlation === undefined) return undefined;
    const rated = new Rated(actions.indexOf(String(params.get('action'))), 'max', creditOf(measure));
    const pairs = new Pairs(rated, params.get('by') === 'rank' ? 'rank' : 'score');
    return (list: Joined, value: number): number | undefined => {
      if (Number.isNaN(value)) return undefined;
      rated.load(list);
      pairs.load(list);
      return correlation === 'spearman' ? spearmanP(value, pairs.count) : kendallP(pairs);
    };
  });
  return (list, values) => tests.map((test, m) => test?.(list, values[m]));
}

/** undefined for two pairs, which are always on a line. */
export function spearmanP(r: number, m: number): number | undefined {
  if (m < 3) return undefined;
  if (1 - r * r <= 0) return probability(0);
  return probability(2 * tLower(-Math.abs(r) * Math.sqrt((m - 2) / (1 - r * r)), m - 2));
}

const MOST_EXACT = 33;

export function kendallP({
  count: m,
  scores,
  ratings,
}: Pick<Pairs, 'count' | 'scores' | 'ratings'>): number | undefined {
  if (m < 2) return undefined;
  let balance = 0;
  for (let i = 0; i < m; i++) {
    for (let j = 0; j < i; j++) balance += Math.sign(scores[i] - scores[j]) * Math.sign(ratings[i] - ratings[j]);
  }
  const x = ties(scores.subarray(0, m));
  const y = ties(ratings.subarray(0, m));
  const all = m * (m - 1);
  if (x.pairs === 0 && y.pairs === 0 && m <= MOST_EXACT) return exactP(m, (all / 2 - Math.abs(balance)) / 2);
  const variance =
    (all * (2 * m + 5) - x.spread - y.spread) / 18 +
    (2 * x.pairs * y.pairs) / all +
    (m > 2 ? (x.triples * y.triples) / (9 * all * (m - 2)) : 0);
  return variance > 0 ? probability(2 * normalLower(-Math.abs(balance) / Math.sqrt(variance))) : undefined;
}

/** Sums over groups of t equal values: t(t-1)/2, t(t-1)(t-2), t(t-1)(2t+5). */
function ties(values: Float64Array): { readonly pairs: number; readonly triples: number; readonly spread: number } {
  const sorted = values.slice().sort();
  let [pairs, triples, spread] = [0, 0, 0];
  for (let from = 0; from < sorted.length; ) {
    let to = from;
    while (to < sorted.length && sorted[to] === sorted[from]) to++;
    const t = to - from;
    pairs += (t * (t - 1)) / 2;
    triples += t * (t - 1) * (t - 2);
    spread += t * (t - 1) * (2 * t + 5);
    from = to;
  }
  return { pairs, triples, spread };
}

/** Twice the share of all orders of m that have at most `discordant` discordant pairs. */
function exactP(m: number, discordant: number): number {
  let share = Float64Array.of(1);
  for (let n = 2; n <= m; n++) {
    const next = new Float64Array(discordant + 1);
    for (let c = 0; c <= discordant; c++) {
      for (let j = 0; j < n && j <= c; j++) next[c] += (share[c - j] ?? 0) / n;
    }
    share = next;
  }
  return probability(2 * share.reduce((sum, part) => sum + part, 0));
}
