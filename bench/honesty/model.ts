import { Random } from '../../src/simulate/random.ts';
import { beta, gamma, poisson } from '../../test/statistics/draws.ts';

/** Users who see lists and like some of them. All that is random is drawn from the seed. */
export interface StreamSettings {
  readonly users: number;
  readonly looks: number;
  /** Mean number of lists of a user over the whole stream. */
  readonly lists: number;
  /** Shape of the gamma distribution of users' activity: the smaller, the more they differ. */
  readonly activity: number;
  /** Users come back at any look, or have all of their lists between two looks. */
  readonly visits: 'many' | 'one';
  /** Beta distribution of the chance that a user likes a list. */
  readonly taste: readonly [a: number, b: number];
  /** Share of the users in the treatment. */
  readonly treated: number;
  /** The treatment's lists are liked less often by this share, from look `from` on. */
  readonly loss: number;
  readonly from: number;
  /** Setting `nStar` of the experiment: the number of users at which its intervals are narrowest. */
  readonly nStar: number;
}

/** Lists in the order of the looks. */
export interface Stream {
  readonly settings: StreamSettings;
  /** Ids of the users. */
  readonly ids: readonly string[];
  /** By user: 0 control, 1 treatment. */
  readonly variants: Uint8Array;
  /** By list: its user. */
  readonly users: Int32Array;
  /** By list: rank of the click; 0: none. */
  readonly ranks: Uint8Array;
  /** Look i sees the lists before `ends[i]`. */
  readonly ends: Int32Array;
}

const SLOTS = 10;
/** Cumulative chances of the ranks: proportional to 1 / rank. */
const RANKS = Array.from({ length: SLOTS }, (_, i) => 1 / (i + 1)).map(
  (_, i, weights) => sum(weights.slice(0, i + 1)) / sum(weights),
);

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

export function drawStream(seed: number, settings: StreamSettings): Stream {
  const random = new Random(seed, 'honesty');
  const { users, looks, lists, activity, visits, taste, treated } = settings;
  const variants = new Uint8Array(users);
  const tastes = new Float64Array(users);
  const whose: number[] = [];
  const when: number[] = [];
  const ends = new Int32Array(looks);
  for (let user = 0; user < users; user++) {
    variants[user] = random.next() < treated ? 1 : 0;
    tastes[user] = beta(random, taste[0], taste[1]);
    const visit = Math.floor(random.next() * looks);
    // A Poisson number for each look is a Poisson number in all, each at any look.
    for (let left = poisson(random, (gamma(random, activity) * lists) / activity); left > 0; left--) {
      const look = visits === 'one' ? visit : Math.floor(random.next() * looks);
      whose.push(user);
      when.push(look);
      ends[look]++;
    }
  }
  for (let look = 1; look < looks; look++) ends[look] += ends[look - 1];
  const places = Int32Array.from(ends, (_, look) => (look === 0 ? 0 : ends[look - 1]));
  const ofLists = new Int32Array(whose.length);
  const ranks = new Uint8Array(whose.length);
  for (let i = 0; i < whose.length; i++) {
    const user = whose[i];
    const look = when[i];
    const kept = variants[user] === 1 && look >= settings.from ? 1 - settings.loss : 1;
    const place = places[look]++;
    ofLists[place] = user;
    ranks[place] = random.next() < tastes[user] * kept ? rankAt(random.next()) : 0;
  }
  const ids = Array.from({ length: users }, (_, user) => `s${seed}-u${user}`);
  return { settings, ids, variants, users: ofLists, ranks, ends };
}

function rankAt(point: number): number {
  let rank = 1;
  while (rank < SLOTS && point >= RANKS[rank - 1]) rank++;
  return rank;
}
