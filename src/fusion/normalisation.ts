import { type Ballot, type Ballots, FusionError } from './ballots.ts';
import { oneOf, type WordParam } from './method.ts';

/**
 * How a list's ranks or scores become votes on one scale (Renda and Straccia, "Web metasearch: rank vs. score based rank
 * aggregation methods", SAC 2003, equations 1 to 4). L items are in the list, n in all lists, r is the rank, s the score:
 *
 * score         (s - lowest) / (highest - lowest); 1 if all scores are equal
 * z-score       (s - mean) / standard deviation, of the list; 0 if all scores are equal
 * rank          (L - r + 1) / L
 * borda         (n - r + 1) / n; an item that is not in the list has the mean of the remaining places, (n - L + 1) / 2n
 * simple-borda  the same, without a vote for items that are not in the list
 * none          s
 *
 * Example: scores 8, 5, 2 of a list of 3, with n = 4: score 1 1/2 0; rank 1 2/3 1/3; borda 1 3/4 1/2, and 1/4 for the fourth.
 */
export const NORMS = ['score', 'rank', 'borda', 'simple-borda', 'z-score', 'none'] as const;

export const norm: WordParam = oneOf('how votes come to one scale', ...NORMS);

/**
 * The votes of a list for its items, in their order.
 * @param n number of items in all lists
 * @throws FusionError without scores
 */
function votes(ballot: Ballot, how: string, n: number): Float64Array {
  const { items, ranks, scores, whole = ballot } = ballot;
  const length = whole.items.length;
  switch (how) {
    case 'rank':
      return Float64Array.from(items, (item) => (length - ranks[item] + 1) / length);
    case 'borda':
    case 'simple-borda':
      return Float64Array.from(items, (item) => (n - ranks[item] + 1) / n);
    default:
      if (scores === undefined || whole.scores === undefined) {
        throw new FusionError(`norm=${how} needs scores, and a list has none; take norm=rank or norm=borda`);
      }
      mustAddUp(whole.scores);
      if (how === 'none') return scores;
      return how === 'z-score' ? zScores(scores, whole.scores) : minMax(scores, whole.scores);
  }
}

/** Sums and squares of smaller scores are finite. */
const LARGEST_SCORE = 1e150;

function mustAddUp(scores: Float64Array): void {
  const far = scores.find((score) => Math.abs(score) > LARGEST_SCORE);
  if (far === undefined) return;
  throw new FusionError(`the score ${far} is beyond ${LARGEST_SCORE}: such scores cannot be added up; take norm=rank`);
}

/** A list's vote for each item that it does not contain. */
function voteForUnlisted(ballot: Ballot, how: string, n: number): number {
  const { items } = ballot.whole ?? ballot;
  return how === 'borda' ? (n - items.length + 1) / (2 * n) : 0;
}

function minMax(scores: Float64Array, all: Float64Array): Float64Array {
  let lowest = all[0];
  let highest = all[0];
  for (const score of all) {
    if (score < lowest) lowest = score;
    if (score > highest) highest = score;
  }
  return scores.map((score) => (highest === lowest ? 1 : (score - lowest) / (highest - lowest)));
}

function zScores(scores: Float64Array, all: Float64Array): Float64Array {
  const first = all[0];
  if (all.every((score) => score === first)) return scores.map(() => 0);
  const mean = all.reduce((sum, score) => sum + score, 0) / all.length;
  const deviation = Math.sqrt(all.reduce((sum, score) => sum + (score - mean) ** 2, 0) / all.length);
  return scores.map((score) => (score - mean) / deviation);
}

/** The votes for each item, in the order of the ballots. */
class ItemVotes {
  readonly #starts: Int32Array;
  readonly #votes: Float64Array;

  /**
   * @param voteOf the votes of a list for its items, by place
   * @param restOf a list's vote for each item that it does not contain; undefined: none
   */
  constructor(
    { items, ballots }: Ballots,
    voteOf: (ballot: number) => ArrayLike<number>,
    restOf?: (ballot: number) => number,
  ) {
    const n = items.length;
    const starts = new Int32Array(n + 1);
    if (restOf === undefined) for (const ballot of ballots) for (const item of ballot.items) starts[item + 1]++;
    else starts.fill(ballots.length, 1);
    for (let i = 0; i < n; i++) starts[i + 1] += starts[i];
    const votes = new Float64Array(starts[n]);
    const next = starts.slice();
    for (const [b, ballot] of ballots.entries()) {
      const given = voteOf(b);
      for (let place = 0; place < ballot.items.length; place++) votes[next[ballot.items[place]]++] = given[place];
      if (restOf === undefined) continue;
      const rest = restOf(b);
      for (let item = 0; item < n; item++) if (ballot.ranks[item] === 0) votes[next[item]++] = rest;
    }
    this.#starts = starts;
    this.#votes = votes;
  }

  /** Computes one number for each item from its votes. */
  each(value: (votes: Float64Array, item: number) => number): Float64Array {
    const scores = new Float64Array(this.#starts.length - 1);
    for (let i = 0; i < scores.length; i++) {
      scores[i] = value(this.#votes.subarray(this.#starts[i], this.#starts[i + 1]), i);
    }
    return scores;
  }
}

/**
 * Votes on one scale.
 * @param weights of the ballots; undefined: all 1
 * @throws FusionError without scores if the scale needs them
 */
export function normedVotes(ballots: Ballots, norm: string, weights?: ArrayLike<number>): ItemVotes {
  const n = ballots.items.length;
  const weight = (b: number): number => (weights === undefined ? 1 : weights[b]);
  return new ItemVotes(
    ballots,
    (b) => votes(ballots.ballots[b], norm, n).map((vote) => vote * weight(b)),
    norm === 'borda' ? (b) => voteForUnlisted(ballots.ballots[b], norm, n) * weight(b) : undefined,
  );
}

/**
 * Votes by rank alone.
 * @param vote for a rank from 1
 */
export function rankVotes(ballots: Ballots, vote: (rank: number, ballot: number) => number): ItemVotes {
  return new ItemVotes(ballots, (b) => Float64Array.from(ballots.ballots[b].items, (_, place) => vote(place + 1, b)));
}

export function sum(votes: Float64Array): number {
  let total = 0;
  for (let i = 0; i < votes.length; i++) total += votes[i];
  return total;
}
