import { type Ballots, FusionError } from './ballots.ts';
import type { Method } from './method.ts';
import { rankVotes, sum } from './normalisation.ts';
import { BUCKET_ENDS, type Lesson, type Training } from './training.ts';

/** Replaces a probability that cannot be estimated. */
const LEAST = 0.001;
/** Log odds of an item that a voter did not list. */
const UNLISTED = Math.log(LEAST / (1 - LEAST));

/**
 * BayesFuse: the sum of the log odds that what a voter puts at a rank is relevant. Odds are estimated on judged queries,
 * in buckets of ranks (1 to 5, 6 to 10, ... 501 to 1000): precision p of the bucket, the mean over those queries.
 *
 *   score(i) = sum over voters of ln(p / (1 - p)), p of the bucket of i's rank; p = 0.001 if it is 0, or i is not listed
 *
 * J. A. Aslam and M. Montague, "Models for metasearch", SIGIR 2001. As in ranx: the paper has the odds of the rank given
 * relevance, which differ by a factor for each voter; below rank 1,000 an item counts as not listed.
 *
 * Example: of 2 judged queries, voter X had 4 and 3 relevant items in its first 5: p = 0.7, so what X puts there gets ln(7/3).
 */
export const bayesfuse: Method = {
  name: 'bayesfuse',
  params: {},
  summary: 'log odds of relevance at a rank, learnt from judged queries',
  source: 'Aslam and Montague, SIGIR 2001',
  cost: 'n v, and v for each judged query',
  trained: true,
  fuse: (ballots, _params, training) => {
    const odds = lessons(ballots, training).map(logOdds);
    const listed = rankVotes(ballots, (rank, b) => odds[b][bucketOf(rank)] - UNLISTED).each(sum);
    return listed.map((score) => score + ballots.ballots.length * UNLISTED);
  },
};

/**
 * MAPFuse: reciprocal ranks, each voter weighted by its mean average precision on judged queries.
 *
 *   score(i) = sum over lists with i of MAP(voter) / rank
 *
 * D. Lillis, L. Zhang, F. Toolan, R. W. Collier, D. Leonard and J. Dunnion, "Estimating probabilities for effective data
 * fusion", SIGIR 2010. ranx's mapfuse.
 *
 * Example: lists a b of X with MAP 0.6 and b a of Y with MAP 0.3: a 0.6 + 0.15, b 0.3 + 0.3, so a b.
 */
export const mapfuse: Method = {
  name: 'mapfuse',
  params: {},
  summary: 'sum of 1 / rank, each voter weighted by its mean average precision on judged queries',
  source: 'Lillis and others, SIGIR 2010',
  cost: 'n v, and v for each judged query',
  trained: true,
  fuse: (ballots, _params, training) => {
    const weights = lessons(ballots, training).map(({ precisionSum, queries }) => precisionSum / queries);
    return rankVotes(ballots, (rank, b) => weights[b] / rank).each(sum);
  },
};

function lessons({ ballots }: Ballots, training: Training): readonly Lesson[] {
  return ballots.map(({ voter }) => {
    const lesson = training(voter);
    if (lesson === undefined) {
      throw new FusionError('nothing to learn from: the method needs judgements of at least one other query');
    }
    return lesson;
  });
}

/** Log odds by bucket; items beyond the last bucket count as not listed. */
function logOdds({ queries, hits }: Lesson): readonly number[] {
  const odds = BUCKET_ENDS.map((end, bucket) => {
    const places = end - (bucket === 0 ? 0 : BUCKET_ENDS[bucket - 1]);
    const p = hits[bucket] / places / queries;
    const above = p === 0 ? LEAST : p;
    const below = 1 - above === 0 ? LEAST : 1 - above;
    return Math.log(above / below);
  });
  return [...odds, UNLISTED];
}

function bucketOf(rank: number): number {
  const bucket = BUCKET_ENDS.findIndex((end) => rank <= end);
  return bucket < 0 ? BUCKET_ENDS.length : bucket;
}
