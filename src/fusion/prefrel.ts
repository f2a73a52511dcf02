import type { Ballots } from './ballots.ts';
import { as, type Method, share } from './method.ts';
import { preferences } from './pairwise.ts';

/**
 * Preference relations: voters who often disagree with clear majorities count less.
 *
 * For a pair of items n0 lists have the first before the second and n1 the opposite. If n0 + n1 >= ceil(beta v) and
 * n0 < alpha (n0 + n1), lists with the first before the second disagree by 1, and the same with n1; a list that contains
 * neither disagrees by 1/2. d is the sum over pairs.
 *
 *   w = 1 - d / (n (n - 1) / 2)
 *   score(i) = sum over items j and lists with i before j of w = sum over lists with i of w (n - rank)
 *
 * M. S. Desarkar, S. Sarkar and P. Mitra, "Preference relations based unsupervised rank aggregation for metasearch", Expert
 * Systems with Applications 49, 2016. PyFLAGR's PreferenceRelationsGraph starts every d at 1, not 0: `as=flagr`.
 *
 * Example: 10 lists a b and one b a, alpha 0.1: n1 = 1 < 1.1, so the one disagrees: w = 0, the others 1: a 10, b 0.
 */
export const prefrel: Method = {
  name: 'prefrel',
  params: {
    as,
    alpha: share('a side with less of the lists than this is a clear minority', 0.1),
    beta: share('share of the voters that must have an opinion', 0.5),
  },
  summary: 'Borda-like points of voters weighted by how seldom they disagree with clear majorities',
  source: 'Desarkar, Sarkar and Mitra, Expert Systems with Applications 49, 2016',
  cost: 'n² v',
  fuse: (ballots, params) => {
    const n = ballots.items.length;
    const opinions = { alpha: params.number('alpha'), beta: params.number('beta') };
    const begin = params.flagr ? 1 : 0;
    const disagreements = disagreementsOf(ballots, opinions);
    const pairs = (n * (n - 1)) / 2;
    const scores = new Float64Array(n);
    for (const [b, { items }] of ballots.ballots.entries()) {
      const weight = pairs === 0 ? 1 : 1 - (begin + disagreements[b]) / pairs;
      for (let place = 0; place < items.length; place++) scores[items[place]] += weight * (n - place - 1);
    }
    return scores;
  },
};

function disagreementsOf(
  ballots: Ballots,
  { alpha, beta }: { readonly alpha: number; readonly beta: number },
): Float64Array {
  const before = preferences(ballots, 'prefrel');
  const n = ballots.items.length;
  const least = Math.ceil(beta * ballots.ballots.length);
  // 1 if only a clear minority puts the row's item before the column's.
  const minority = new Uint8Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = i + 1; j < n; j++) {
      const first = before[i * n + j];
      const second = before[j * n + i];
      if (first + second < least) continue;
      if (first < alpha * (first + second)) minority[i * n + j] = 1;
      else if (second < alpha * (first + second)) minority[j * n + i] = 1;
    }
  }
  return Float64Array.from(ballots.ballots, ({ items, ranks }) => {
    const unlisted = n - items.length;
    let sum = (unlisted * (unlisted - 1)) / 4;
    for (let place = 0; place < items.length; place++) {
      const row = items[place] * n;
      for (let j = 0; j < n; j++) if (ranks[j] === 0 || ranks[j] > place + 1) sum += minority[row + j];
    }
    return sum;
  });
}
