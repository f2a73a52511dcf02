import type { ExperimentSettings } from '../../src/config/settings.ts';
import { NO_EXPERIMENT_LOOKS } from '../../src/experiment/experiment-looks.ts';
import type { ExperimentState, VariantState } from '../../src/experiment/state.ts';
import { isAbsent, type Result } from '../../src/statistics/absent.ts';
import type { ArmMean } from '../../src/statistics/arm.ts';
import type { BucketSums } from '../../src/statistics/effect.ts';
import { type Mean, meanOfBuckets, PUBLISHED_BUCKETS } from '../../src/statistics/mean.ts';
import { SampleUnion } from '../../src/statistics/sample-union.ts';
import type { Sampled } from '../../src/statistics/sampled.ts';
import { UserSample } from '../../src/statistics/user-sample.ts';

export const SETTINGS: ExperimentSettings = {
  name: 'default',
  dimension: 'variant',
  control: 'A',
  variants: new Map([
    ['A', 0.5],
    ['B', 0.5],
  ]),
  primary: 'ndcg@10',
  guardrails: [],
  horizon: { text: '30m', ms: 1_800_000 },
  start: undefined,
  alpha: 0.05,
  nStar: 5000,
  tolerance: 0.01,
  lowerIsBetter: new Set(),
  interleaved: false,
};

export const AS_OF = Date.UTC(2026, 10, 21, 9);

/** So many distinct users first seen in each variant, in the order of the variants. */
export function sampleOf(users: readonly number[]): UserSample {
  const sample = new UserSample();
  users.forEach((count, variant) => {
    for (let i = 0; i < count; i++) sample.add(`u-${variant}-${i}`, variant, AS_OF);
  });
  return sample;
}

/** A variant with enough of everything to be judged; where nothing else is said, many users share the lists evenly. */
export function variant(
  means: ReadonlyMap<string, Result<Mean & Partial<ArmMean>>>,
  more: Partial<Omit<VariantState, 'means'>> = {},
): VariantState {
  const arms = [...means].map(([name, mean]): readonly [string, Result<ArmMean>] => [
    name,
    isAbsent(mean) ? mean : { kish: mean.df + 1, users: 3000, spread: 100, ...mean },
  ]);
  const rest = { impressions: 5000, positives: 900, userless: 0, empty: 0, buckets: 256, heaviest: 0.004 };
  return { ...rest, means: new Map(arms), ...more };
}

/** The same sums for each of the measures. */
export function variantOfSums(sums: BucketSums, names: readonly string[] = ['ndcg@10']): VariantState {
  const mean = meanOfBuckets(sums.m, sums.d, PUBLISHED_BUCKETS);
  return variant(new Map(names.map((name) => [name, mean])));
}

/** `sample`: of the users; without it 300 in each variant. */
export function state(
  variants: Readonly<Record<string, VariantState>>,
  { sample, ...more }: Partial<ExperimentState> & { readonly sample?: Sampled } = {},
): ExperimentState {
  const all = new Map(Object.entries(variants));
  const users = new SampleUnion();
  users.add(sample ?? sampleOf([...all].map(() => 300)));
  return {
    settings: SETTINGS,
    measures: ['ndcg@10'],
    since: {},
    asOf: AS_OF,
    variants: all,
    others: new Map(),
    exposed: users.exposed(),
    missing: 0,
    looks: NO_EXPERIMENT_LOOKS,
    ...more,
  };
}
