import fc from 'fast-check';
import type { PanesSettings } from '../../src/accumulators/panes-settings.ts';
import { SHAPE } from './rows.ts';

/** One scored list that closed at one horizon. */
export interface Closing {
  readonly at: number;
  readonly ts: number;
  readonly horizon: number;
  /** Values of the dimensions. */
  readonly values: readonly string[];
  readonly userless: boolean;
  readonly positive: boolean;
  readonly out: Float64Array;
  /** Of the user, 0 to 255. */
  readonly bucket: number;
  /** Number of the impression, and whether this is its longest horizon. */
  readonly impression: number;
  readonly last: boolean;
}

export const HORIZONS = [
  { text: '2ms', ms: 2 },
  { text: '5ms', ms: 5 },
  { text: '9ms', ms: 9 },
];

/** Tiny panes, keeps and tables, so that everything happens in a few steps. */
export const anySettings: fc.Arbitrary<PanesSettings> = fc
  .record({
    paneSize: fc.constantFrom(1, 4, 10),
    hour: fc.constantFrom(12, 20),
    cohortsPerSet: fc.integer({ min: 1, max: 3 }),
    keepMinutes: fc.integer({ min: 9, max: 20 }),
    keepHours: fc.integer({ min: 9, max: 40 }),
    keepVectors: fc.integer({ min: 9, max: 30 }),
    clustered: fc.constantFrom([], [[]], [['country', 'variant'], []]),
    totals: fc.constantFrom([], ['all'], ['all', 'default']),
  })
  .map((some) => ({
    ...some,
    keepVectors: Math.min(some.keepVectors, some.keepHours),
    owner: { namespace: 'ns', unit: 3, generation: 'g1' },
    horizons: HORIZONS,
    dimensions: ['variant', 'country'],
    sets: [[], ['country'], ['country', 'variant']],
    shape: SHAPE,
    settledUpTo: Number.NEGATIVE_INFINITY,
  }));

const score = fc.constantFrom(0, 1, 0.5, 1 / 3, 2 / 3, 1e-9, -0.25, 1099, 1100, 2 ** 24, -(2 ** 30), 2 ** 40 * 0.7);

const lists = fc.record({
  out: fc.array(fc.tuple(fc.nat(2), score, score), { minLength: 3, maxLength: 3 }),
  positive: fc.boolean(),
});

const impression = fc.record({
  after: fc.nat(12),
  userless: fc.boolean(),
  bucket: fc.constantFrom(0, 1, 64, 130, 255),
  /** The shortest horizon that it was in time for. */
  from: fc.constantFrom(0, 0, 1, 2),
  lists: fc.array(lists, { minLength: 3, maxLength: 3 }),
});

/** Some impressions of one cohort near each other: cohorts come, find their table full, and go. */
const burst = fc.record({
  start: fc.nat(90),
  values: fc.tuple(fc.constantFrom('A', 'B'), fc.constantFrom('DE', 'FR', 'ES')),
  impressions: fc.array(impression, { minLength: 1, maxLength: 6 }),
});

const impressions = fc
  .array(burst, { maxLength: 10 })
  .map((bursts) =>
    bursts.flatMap(({ start, values, impressions: some }) =>
      some.map((one) => ({ ...one, values, ts: start + one.after })),
    ),
  );

/** The closings of some impressions in the order of close time, then of the log. */
export const anyHistory: fc.Arbitrary<readonly Closing[]> = impressions.map((all) =>
  all
    .flatMap(({ ts, values, userless, bucket, from, lists: scored }, number) =>
      HORIZONS.flatMap(({ ms }, horizon) =>
        horizon < from
          ? []
          : [
              {
                at: ts + ms,
                ts,
                horizon,
                values,
                userless,
                bucket,
                positive: scored[horizon].positive,
                out: Float64Array.from(scored[horizon].out.flat()),
                impression: number,
                last: horizon === HORIZONS.length - 1,
              },
            ],
      ),
    )
    .sort((a, b) => a.at - b.at || a.impression - b.impression),
);
