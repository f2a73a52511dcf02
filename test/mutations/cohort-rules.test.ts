import { describe, expect, it } from 'vitest';
import type { CohortExposure } from '../../src/statistics/cohort-sample.ts';
import { AS_OF, SETTINGS } from '../experiment/states.ts';
import { COHORT_RULE_MUTATIONS } from './cohort-rules.ts';
import { withMutation } from './loader.ts';
import type { Change } from './mutation.ts';

type Splits = typeof import('../../src/experiment/cohort-splits.ts');
type Sample = typeof import('../../src/statistics/cohort-sample.ts');
type Rules = Splits & Pick<Sample, 'CohortSample'>;

const FILES = ['experiment/cohort-splits.ts', 'statistics/cohort-sample.ts'];

function rulesOf(changes: readonly Change[]): Promise<Rules> {
  return withMutation<Rules>(changes, FILES, async ([splitsPath, samplePath]) => {
    const splits: Splits = await import(/* @vite-ignore */ splitsPath);
    const { CohortSample }: Sample = await import(/* @vite-ignore */ samplePath);
    return { ...splits, CohortSample };
  });
}

function users(cohort: string, counts: readonly number[], ts = 0): CohortExposure[] {
  return counts.flatMap((count, variant) =>
    Array.from({ length: count }, (_, i) => ({ userId: `${variant}-${i}-${cohort}`, variant, cohort, ts })),
  );
}

/** What each scene says; every rule changes one of them. */
function scenes({ CohortSplits, CohortSample, comparedCohorts }: Rules): readonly unknown[] {
  const splitsOf = (by: string, ...looks: readonly (readonly CohortExposure[])[]) => {
    const splits = new CohortSplits(by, SETTINGS);
    looks.forEach((exposures, look) => {
      splits.look(exposures, AS_OF + look);
    });
    return splits;
  };
  const odd = [...users('DE', [600, 480]), ...users('FR', [30, 30])];
  const two = comparedCohorts([splitsOf('country', odd), splitsOf('platform', users('web', [90, 90]))]);
  const [de] = two[0].cohorts;
  const late = comparedCohorts([splitsOf('country', users('DE', [400, 200]), users('DX', [0, 200]).map(inGermany))])[0];
  const moved = comparedCohorts([splitsOf('app', users('v1', [100, 100]), users('v1', [0, 50], 1).map(updated))])[0];
  const rare = Array.from({ length: 150 }, (_, i) => users(`r${i}`, [1, 0])).flat();
  const named = new CohortSample(2);
  named.take([...rare, ...users('busy', [5, 5])]);
  const small = new CohortSample(2, { capacity: 50 });
  small.take(users('DE', [100, 100]));
  return [
    ((de.pAdjusted ?? 0) / (de.p ?? 1)).toFixed(6),
    late.cohorts.map(({ warning }) => warning),
    moved.users,
    moved.cohorts.map(({ value }) => value),
    named.counts().has('busy'),
    named.counts().get('__other__'),
    small.sampled <= 50,
  ];
}

function inGermany(one: CohortExposure): CohortExposure {
  return { ...one, cohort: 'DE' };
}

function updated(one: CohortExposure): CohortExposure {
  return { ...one, cohort: 'v2' };
}

const EXPECTED = ['3.000000', [true], 200, ['v1'], true, [51, 0], true];

describe('the split by cohort with a weakened rule is caught', () => {
  it.each(COHORT_RULE_MUTATIONS.map((each) => [each.name, each] as const))('%s', async (_, { changes }) => {
    expect(scenes(await rulesOf(changes))).not.toEqual(EXPECTED);
  });

  it('and the rules as they are pass, and their copy without a change', async () => {
    const sample = await import('../../src/statistics/cohort-sample.ts');
    expect(scenes({ ...(await import('../../src/experiment/cohort-splits.ts')), ...sample })).toEqual(EXPECTED);
    expect(scenes(await rulesOf([]))).toEqual(EXPECTED);
  });
});
