import { CohortSplits, comparedCohorts } from '../../src/experiment/cohort-splits.ts';
import type { ExperimentState } from '../../src/experiment/state.ts';
import { Watcher } from '../../src/experiment/take-looks.ts';
import { Random } from '../../src/simulate/random.ts';
import { isAbsent } from '../../src/statistics/absent.ts';
import type { CohortExposure } from '../../src/statistics/cohort-sample.ts';
import { chiSquareTest, MISMATCH_P } from '../../src/statistics/sample-ratio.ts';
import { SampleUnion } from '../../src/statistics/sample-union.ts';
import { UserSample } from '../../src/statistics/user-sample.ts';
import { BEGIN, EXPERIMENT, HOUR_MS, NAMES } from './experiment.ts';
import { type Found, foundAt } from './watch.ts';

export interface RatioSettings {
  readonly users: number;
  readonly looks: number;
  /** The treatment gets (1 + deviation) times its share of the users: .02 is 51 of 100. */
  readonly deviation: number;
  /** Capacity of the user sample: that of one unit, or without bound, as many units read together have it. */
  readonly capacity: number;
}

/** The first look with the decision `invalid (srm)`. Users come at an even pace; there is no feedback. */
export function watchSplit(seed: number, { users, looks, deviation, capacity }: RatioSettings): Found | undefined {
  const random = new Random(seed, 'split');
  const sample = new UserSample(capacity);
  const seen = NAMES.map(() => 0);
  const watcher = new Watcher();
  for (let look = 1; look <= looks; look++) {
    const asOf = BEGIN + look * HOUR_MS;
    const until = Math.round((users * look) / looks);
    for (let user = seen[0] + seen[1]; user < until; user++) {
      const variant = random.next() < (1 + deviation) / 2 ? 1 : 0;
      seen[variant]++;
      sample.add(`s${seed}-u${user}`, variant, asOf - HOUR_MS);
    }
    const comparison = watcher.look(splitState(asOf, seen, sample));
    if (comparison.variants[0].reason === 'srm') return foundAt(comparison, look);
  }
  return undefined;
}

/** An experiment without feedback, of which only the split can be judged. */
function splitState(asOf: number, seen: readonly number[], sample: UserSample): Omit<ExperimentState, 'looks'> {
  const exposed = new SampleUnion();
  exposed.add(sample);
  return {
    settings: EXPERIMENT,
    measures: [EXPERIMENT.primary],
    since: {},
    asOf,
    variants: new Map(
      NAMES.map((name, v) => [
        name,
        { impressions: seen[v], positives: 0, userless: 0, empty: 0, buckets: 256, heaviest: 0, means: new Map() },
      ]),
    ),
    others: new Map(),
    exposed: exposed.exposed(),
    missing: 0,
  };
}

export interface CohortRatioSettings {
  readonly users: number;
  readonly looks: number;
  /** Of the n-th there are 1/n as many users as of the first. */
  readonly cohorts: number;
  /** Share of the treatment's users who are never logged in one cohort, the fourth. */
  readonly lost: number;
}

/** The cohort that loses users. */
export const BROKEN = 'c4';

/** What was said at the end of an experiment of which each hour was looked at. */
export interface WatchedCohorts {
  /** Cohorts with a warning. */
  readonly warned: readonly string[];
  /** Smallest adjusted p. */
  readonly adjusted: number;
  /** The decision by all users is `invalid (srm)`. */
  readonly total: boolean;
  /** A chi-square test of one cohort had p < .001 at one of the looks. */
  readonly chiSquareEachLook: boolean;
}

/** Users come at an even pace. Half of them come back an hour later in a cohort that may be another, more of the treatment's. */
export function watchCohorts(seed: number, { users, looks, cohorts, lost }: CohortRatioSettings): WatchedCohorts {
  const random = new Random(seed, 'cohorts');
  const weights = Array.from({ length: cohorts }, (_, c) => 1 / (c + 1));
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  const pick = (): string => {
    let left = random.next() * all;
    const place = weights.findIndex((weight) => {
      left -= weight;
      return left < 0;
    });
    return `c${(place < 0 ? 0 : place) + 1}`;
  };
  const sample = new UserSample();
  const splits = new CohortSplits('country', EXPERIMENT);
  const seen = NAMES.map(() => 0);
  const counts = new Map<string, number[]>();
  const watcher = new Watcher();
  let chiSquareEachLook = false;
  let total = false;
  let back: CohortExposure[] = [];
  for (let look = 1; look <= looks; look++) {
    const asOf = BEGIN + look * HOUR_MS;
    const ts = asOf - HOUR_MS;
    const exposures = back.map((one) => ({ ...one, ts }));
    back = [];
    for (let user = Math.round((users * (look - 1)) / looks); user < Math.round((users * look) / looks); user++) {
      const variant = random.next() < 0.5 ? 1 : 0;
      const cohort = pick();
      const isLost = random.next() < lost && cohort === BROKEN && variant === 1;
      if (isLost) continue;
      seen[variant]++;
      const ofCohort = counts.get(cohort) ?? NAMES.map(() => 0);
      ofCohort[variant]++;
      counts.set(cohort, ofCohort);
      const exposure = { userId: `s${seed}-u${user}`, variant, cohort, ts };
      exposures.push(exposure);
      if (random.next() < (variant === 1 ? 0.6 : 0.4)) back.push({ ...exposure, cohort: pick() });
    }
    for (const { userId, variant, ts } of exposures) sample.add(userId, variant, ts);
    splits.look(exposures, asOf);
    total = watcher.look(splitState(asOf, seen, sample)).variants[0].reason === 'srm';
    chiSquareEachLook ||= [...counts.values()].some((ofCohort) => {
      const test = chiSquareTest(ofCohort, [...EXPERIMENT.variants.values()]);
      return !isAbsent(test) && test.p < MISMATCH_P;
    });
  }
  const [{ cohorts: compared }] = comparedCohorts([splits]);
  return {
    warned: compared.filter(({ warning }) => warning).map(({ value }) => value),
    adjusted: Math.min(...compared.map(({ pAdjusted }) => pAdjusted ?? 1)),
    total,
    chiSquareEachLook,
  };
}
