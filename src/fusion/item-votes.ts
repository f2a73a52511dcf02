import type { Ballots } from './ballots.ts';
import { voteForUnlisted, votes as votesOfList } from './normalisation.ts';

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
    (b) => votesOfList(ballots.ballots[b], norm, n).map((vote) => vote * weight(b)),
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
