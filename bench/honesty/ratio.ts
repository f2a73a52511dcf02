import type { ExperimentState } from '../../src/experiment/state.ts';
import { Watcher } from '../../src/experiment/trail.ts';
import { Random } from '../../src/simulate/random.ts';
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
    const exposed = new SampleUnion();
    exposed.add(sample);
    const state: Omit<ExperimentState, 'looks'> = {
      settings: EXPERIMENT,
      measures: [EXPERIMENT.primary],
      asOf,
      variants: new Map(
        NAMES.map((name, v) => [
          name,
          { impressions: seen[v], positives: 0, userless: 0, buckets: 256, heaviest: 0, means: new Map() },
        ]),
      ),
      others: new Map(),
      exposed: exposed.exposed(),
      missing: 0,
    };
    const comparison = watcher.look(state);
    if (comparison.variants[0].reason === 'srm') return foundAt(comparison, look);
  }
  return undefined;
}
