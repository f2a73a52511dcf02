import fc from 'fast-check';
import type { PanesSettings } from '../../src/accumulators/panes-settings.ts';
import type { RunSettings } from '../../src/accumulators/runs.ts';
import { ITEMS, LETTERS } from './plain-items.ts';
import { EVERY_KIND, SHAPE } from './rows.ts';

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
  /** Bit r: takes no part in run r. */
  readonly leftOut: number;
  /** Number of the impression, and whether this is its longest horizon. */
  readonly impression: number;
  readonly last: boolean;
  /** Of the list, by rank from 1; undefined: nobody asks for them. */
  readonly items?: readonly string[];
  /** Ranks of its slots, and of its positives; undefined: nobody asks for them. */
  readonly places?: {
    readonly slots: readonly number[];
    readonly positives: readonly number[];
    /** Ranks before its first slot. None: 0. */
    readonly pageOffset?: number;
  };
}

/** Less than some lists have. */
const RANKS = 3;

export const HORIZONS = [
  { text: '2ms', ms: 2 },
  { text: '5ms', ms: 5 },
  { text: '9ms', ms: 9 },
];

const ARMS: RunSettings = {
  name: 'arms',
  run: 'r1',
  dimension: 'variant',
  horizon: 1,
  variants: ['A'],
  start: undefined,
};
const LANDS: RunSettings = {
  name: 'lands',
  run: 'r2',
  dimension: 'country',
  horizon: 2,
  variants: ['FR', 'DE'],
  start: undefined,
};

/** Tiny panes, keeps and tables, so that everything happens in a few steps. */
export const anySettings: fc.Arbitrary<PanesSettings> = fc
  .record({
    paneSize: fc.constantFrom(1, 4, 10),
    hour: fc.constantFrom(12, 20),
    cohortsPerSet: fc.integer({ min: 1, max: 3 }),
    keepMinutes: fc.integer({ min: 9, max: 20 }),
    keepHours: fc.integer({ min: 9, max: 40 }),
    keepVectors: fc.integer({ min: 9, max: 30 }),
    named: fc.constantFrom(
      undefined,
      new Map([['country', ['FR']]]),
      new Map([
        ['country', ['FR']],
        ['variant', ['B']],
      ]),
    ),
    takeover: fc.constantFrom(
      undefined,
      { candidates: 1, ratio: 1 },
      { candidates: 2, ratio: 1 },
      { candidates: 4, ratio: 2 },
    ),
    clustered: fc.constantFrom([], [[]], [['country', 'variant'], []]),
    totals: fc.constantFrom([], ['all'], ['all', 'default']),
    runs: fc.constantFrom([], [ARMS], [ARMS, LANDS]),
    shape: fc.constantFrom(SHAPE, SHAPE, EVERY_KIND),
    items: fc.constantFrom(
      undefined,
      undefined,
      undefined,
      undefined,
      { sets: [[]], inTotals: true },
      { sets: [['country', 'variant'], []], inTotals: false },
    ),
    positions: fc.constantFrom(
      undefined,
      { sets: [['country']], inTotals: true, horizon: 2 },
      { sets: [['country', 'variant'], []], inTotals: false, horizon: 1 },
    ),
  })
  .map((some) => ({
    ...some,
    keepVectors: Math.min(some.keepVectors, some.keepHours),
    owner: { namespace: 'ns', unit: 3, generation: 'g1' },
    horizons: HORIZONS,
    dimensions: ['variant', 'country'],
    sets: [[], ['country'], ['country', 'variant']],
    shape: { ...some.shape, items: ITEMS, ranks: RANKS },
    closedUpTo: Number.NEGATIVE_INFINITY,
  }));

const score = fc.constantFrom(0, 1, 0.5, 1 / 3, 2 / 3, 1e-9, -0.25, 1099, 1100, 2 ** 24, -(2 ** 30), 2 ** 40 * 0.7);

const lists = fc.record({
  states: fc.array(fc.nat(2), { minLength: 3, maxLength: 3 }),
  scores: fc.array(score, { minLength: 5, maxLength: 5 }),
  positive: fc.boolean(),
});

/** What a scorer writes for as many measures: few drawn numbers, dealt out in turn. */
function outOf({ states, scores }: { readonly states: readonly number[]; readonly scores: readonly number[] }) {
  const all = EVERY_KIND.kinds.flatMap((_, m) => [states[m % 3], ...[0, 1, 2, 3].map((i) => scores[(2 * m + i) % 5])]);
  return Float64Array.from(all);
}

const impression = fc.record({
  after: fc.nat(12),
  userless: fc.boolean(),
  bucket: fc.constantFrom(0, 1, 64, 130, 255),
  leftOut: fc.constantFrom(0, 0, 0, 1, 2, 3),
  items: fc.array(fc.constantFrom(...LETTERS), { maxLength: 4 }),
  places: fc
    .tuple(fc.subarray([1, 2, 3, 4, 7]), fc.subarray([1, 2, 3, 4, 7]))
    .map(([slots, positives]) => ({ slots, positives: positives.filter((rank) => slots.includes(rank)) })),
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
    .flatMap(({ ts, values, userless, bucket, leftOut, items, places, from, lists: scored }, number) =>
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
                leftOut,
                items,
                places,
                positive: scored[horizon].positive,
                out: outOf(scored[horizon]),
                impression: number,
                last: horizon === HORIZONS.length - 1,
              },
            ],
      ),
    )
    .sort((a, b) => a.at - b.at || a.impression - b.impression),
);
