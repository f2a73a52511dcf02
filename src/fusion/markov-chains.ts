import type { Ballots } from './ballots.ts';
import { as, atLeast0, type Method, type Param, share, whole } from './method.ts';
import { mustBeFew } from './pairwise.ts';

const params: Readonly<Record<string, Param>> = {
  as,
  teleport: share('probability of a jump to any item', 0.15),
  iterations: whole('steps at most', 200, 100_000),
  tolerance: atLeast0('the largest change of a probability that ends the steps', 1e-9),
};

/**
 * Markov chains over items: from an item the chain moves to better ones, so that it is at good items most of the time. The
 * score is the stationary probability, by power iteration from equal ones until nothing changes by more than `tolerance`. With
 * probability `teleport` a step goes to any item.
 *
 * From item i, `as=paper`:
 *
 * mc1  draw an item from those at or before i in all lists that contain i, as often as they are there; move to it
 * mc2  draw a list that contains i, then an item at or before i in it; move to it
 * mc3  draw a list that contains i, then an item of it; move to it if it is before i, else stay
 * mc4  draw any item j; move to it if it is before i in a majority of the lists that contain both, else stay
 * mct  draw any item j; move to it with the share of the lists that contain both in which it is before i, else stay
 *
 * mc1 to mc4: C. Dwork, R. Kumar, M. Naor and D. Sivakumar, "Rank aggregation methods for the Web", WWW 2001. mct: R. P.
 * DeConde, S. Hawley, S. Falcon, N. Clegg, B. Knudsen and R. Etzioni, "Combining results of microarray experiments: a rank
 * aggregation approach", Statistical Applications in Genetics and Molecular Biology 5, 2006.
 *
 * `as=flagr` is what PyFLAGR does, which differs: wins are the lists with both items in which i is before j; any item j is
 * drawn, and the chain moves to it, mc1: unless all v lists are wins; mc2: unless more than v / 2 are; mc3: with
 * wins / both; mc4: as mc2; mct: with 1 - wins / both. There `both` is not the number of lists that contain i and j: FLAGR
 * continues counting from the pairs of i with items of smaller ids. (mc3 moves from better to worse items.) FLAGR's
 * `max_iterations=50` are 49 steps; so is `iterations=50` here.
 *
 * Example: list a b twice, teleport 0.15, mc4: from b to a with 1/2, from a only by teleport. p = 0.075 + 0.85 p(a)
 * + 0.425 p(b) for a gives a 0.87, b 0.13.
 */
function chain(name: string, kind: Kind, summary: string): Method {
  return {
    name,
    params,
    summary,
    source:
      kind === 'thurstone'
        ? 'DeConde and others, Statistical Applications in Genetics and Molecular Biology 5, 2006'
        : 'Dwork, Kumar, Naor and Sivakumar, WWW 2001',
    cost: 'n² (v + iterations)',
    fuse: (ballots, given) => {
      const n = mustBeFew(ballots, name);
      const { flagr } = given;
      const moves = flagr ? flagrMoves(ballots, kind) : paperMoves(ballots, kind);
      const teleport = given.number('teleport');
      for (let i = 0; i < n; i++) {
        let away = 0;
        for (let j = 0; j < n; j++) if (j !== i) away += moves[i * n + j];
        moves[i * n + i] = 1 - away;
        for (let j = 0; j < n; j++) moves[i * n + j] = moves[i * n + j] * (1 - teleport) + teleport / n;
      }
      const steps = given.number('iterations') - (flagr ? 1 : 0);
      return stationary(moves, n, steps, given.number('tolerance'));
    },
  };
}

type Kind = 'multiset' | 'list' | 'move' | 'majority' | 'thurstone';

export const mc1: Method = chain('mc1', 'multiset', 'Markov chain: to any item at or before this one, of all lists');
export const mc2: Method = chain('mc2', 'list', 'Markov chain: to an item at or before this one, of one list');
export const mc3: Method = chain('mc3', 'move', 'Markov chain: to an item of one list, if it stands before');
export const mc4: Method = chain('mc4', 'majority', 'Markov chain: to an item that a majority puts before this one');
export const mct: Method = chain(
  'mct',
  'thurstone',
  'Markov chain: to an item by the share of lists that put it before',
);

/** Probabilities of moves from item i to j, at index i * n + j; the diagonal is not set. */
function paperMoves({ items, ballots }: Ballots, kind: Kind): Float64Array {
  const n = items.length;
  const moves = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    const row = moves.subarray(i * n, (i + 1) * n);
    const holding = ballots.filter(({ ranks }) => ranks[i] > 0);
    if (kind === 'majority' || kind === 'thurstone') {
      for (let j = 0; j < n; j++) {
        let both = 0;
        let better = 0;
        for (const { ranks } of holding) {
          if (ranks[j] === 0) continue;
          both++;
          if (ranks[j] < ranks[i]) better++;
        }
        if (kind === 'majority') row[j] = 2 * better > both ? 1 / n : 0;
        else row[j] = both === 0 ? 0 : better / both / n;
      }
      continue;
    }
    let all = 0;
    for (const { ranks } of holding) all += ranks[i];
    for (const { items: listed, ranks } of holding) {
      const places = kind === 'multiset' ? all : holding.length * (kind === 'list' ? ranks[i] : listed.length);
      for (let place = 0; place < ranks[i]; place++) row[listed[place]] += 1 / places;
    }
  }
  return moves;
}

function flagrMoves({ items, ballots }: Ballots, kind: Kind): Float64Array {
  const n = items.length;
  const voters = ballots.length;
  const moves = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    const holding = ballots.filter(({ ranks }) => ranks[i] > 0);
    let both = 0;
    for (let j = 0; j < n; j++) {
      let wins = 0;
      for (const { ranks } of holding) {
        if (ranks[j] === 0) continue;
        both++;
        if (ranks[i] < ranks[j]) wins++;
      }
      moves[i * n + j] = flagrMove(kind, { wins, both, voters }) / n;
    }
  }
  return moves;
}

function flagrMove(kind: Kind, { wins, both, voters }: { wins: number; both: number; voters: number }): number {
  switch (kind) {
    case 'multiset':
      return wins === voters ? 0 : 1;
    case 'list':
      return wins > voters / 2 ? 0 : 1;
    case 'move':
      return both === 0 ? 0 : wins / both;
    case 'majority':
      return both === 0 ? 0.5 : wins > voters / 2 ? 0 : 1;
    case 'thurstone':
      return both === 0 ? 0.5 : (both - wins) / both;
  }
}

function stationary(moves: Float64Array, n: number, steps: number, tolerance: number): Float64Array {
  let now = new Float64Array(n).fill(1 / n);
  for (let step = 0; step < steps; step++) {
    const next = new Float64Array(n);
    for (let i = 0; i < n; i++) {
      const here = now[i];
      for (let j = 0; j < n; j++) next[j] += here * moves[i * n + j];
    }
    let change = 0;
    for (let j = 0; j < n; j++) change = Math.max(change, Math.abs(next[j] - now[j]));
    now = next;
    if (change <= tolerance) break;
  }
  return now;
}
