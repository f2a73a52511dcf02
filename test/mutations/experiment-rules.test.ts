import { describe, expect, it } from 'vitest';
import { multiplierAt } from '../../src/statistics/sequence.ts';
import { AS_OF, SETTINGS, sampleOf, state, variant } from '../experiment/states.ts';
import { EXPERIMENT_RULE_MUTATIONS } from './experiment-rules.ts';
import { withMutation } from './loader.ts';
import type { Change } from './mutation.ts';

type Trail = typeof import('../../src/experiment/take-looks.ts');
type Arm = Parameters<typeof variant>[0];

function watcherOf(changes: readonly Change[]): Promise<Trail> {
  return withMutation<Trail>(changes, ['experiment/take-looks.ts'], ([path]) => import(/* @vite-ignore */ path));
}

function mean(value: number, more: object = {}): Arm {
  return new Map([['ndcg@10', { value, stderr: 0.005, df: 255, ...more }]]);
}

const FLAT = { stderr: { absent: 'zero_variance' } as const, spread: 0 };

function totals(a: ReturnType<typeof variant>, b: ReturnType<typeof variant>, more: Parameters<typeof state>[1] = {}) {
  const { looks: _, ...rest } = state({ A: a, B: b }, more);
  return rest;
}

/** What each scene says; every rule changes one of them. */
function scenes({ Watcher }: Trail): readonly unknown[] {
  const look = (...states: readonly ReturnType<typeof totals>[]) => {
    const watcher = new Watcher();
    const comparisons = states.map((one) => watcher.look(one));
    const [{ reason, measures }] = comparisons[comparisons.length - 1].variants;
    return { reason, stderr: measures[0].stderr, ci: measures[0].ci, df: measures[0].fixedHorizon?.df };
  };
  const control = variant(mean(0.2));
  const dead = look(totals(control, variant(mean(0, { ...FLAT, users: 500 }), { positives: 0 })));
  const nearlyDead = look(totals(control, variant(mean(0.18, { stderr: 1e-4, spread: 2 }), { positives: 18 })));
  const bot = variant(mean(0.4, { kish: 2 }));
  const forgotten = look(totals(control, bot), totals(control, variant(mean(0.2)), { asOf: AS_OF + 3_600_000 }));
  const worse = totals(control, variant(mean(0.17)));
  const later = (hours: number, more: Parameters<typeof state>[1] = {}, b = variant(mean(0.19))) =>
    totals(control, b, { asOf: AS_OF + hours * 3_600_000, ...more });
  const unnamed = (userless: number) => variant(mean(0.17), { userless });
  const off = { sample: sampleOf([300, 500]) };
  const crossed = { sample: sampleOf([300, 300]) };
  for (let i = 0; i < 10; i++) crossed.sample.add(`u-0-${i}`, 1, AS_OF + 1);
  const unequal = look(totals(control, variant(mean(0.201, { kish: 40 })), { sample: sampleOf([9500, 500]) }));
  const userless = look(totals(variant(mean(0.2), { userless: 1000 }), control));
  const half = unequal.ci === null ? 0 : (unequal.ci[1] - unequal.ci[0]) / 2 / (unequal.stderr ?? 1);
  return [
    dead.reason,
    dead.stderr?.toFixed(9),
    nearlyDead.stderr?.toFixed(9),
    look(totals(control, bot)).reason,
    forgotten.reason,
    // A gap, in which what is found then and what was found before is not remembered.
    look(later(0, { missing: 500 }, variant(mean(0.17))), later(1)).reason,
    look(worse, later(1, { missing: 500 })).reason,
    look(worse, later(1, { missing: 500 }), later(2)).reason,
    // A split that is off, and seems to heal.
    look(worse, later(1, off)).reason,
    look(worse, later(1, off), later(2)).reason,
    look(later(0, off), later(1, { sample: sampleOf([500, 530]) })).reason,
    look(worse, later(1, crossed), later(2)).reason,
    // Lists without a user.
    look(totals(control, unnamed(1250))).reason,
    look(totals(control, unnamed(1251))).reason,
    look(totals(control, unnamed(1251))).ci,
    look(totals(unnamed(1251), control)).reason,
    look(totals(unnamed(1000), unnamed(1000), { sample: sampleOf([99, 99]) })).reason,
    look(worse, later(1, {}, unnamed(1251))).reason,
    userless.ci === null ? 0 : ((userless.ci[1] - userless.ci[0]) / 2 / (userless.stderr ?? 1)).toFixed(9),
    half.toFixed(9),
    Number(unequal.df).toFixed(3),
  ];
}

const EXPECTED = [
  'primary_worse',
  Math.sqrt(0.005 ** 2 * (1 + 3000 / 500)).toFixed(9),
  Math.sqrt(2 * 0.005 ** 2).toFixed(9),
  'few_users',
  'wide_interval',
  'wide_interval',
  'incomplete',
  'wide_interval',
  'srm',
  'wide_interval',
  'srm',
  'wide_interval',
  'primary_worse',
  'no_user_ids',
  null,
  'no_user_ids',
  'few_users',
  'no_user_ids',
  multiplierAt(600, SETTINGS).toFixed(9),
  multiplierAt(1900, SETTINGS).toFixed(9),
  (4 / (1 / 255 + 1 / 39)).toFixed(3),
];

describe('a decision with a weakened rule is caught', () => {
  it.each(EXPERIMENT_RULE_MUTATIONS.map((each) => [each.name, each] as const))('%s', async (_, { changes }) => {
    expect(scenes(await watcherOf(changes))).not.toEqual(EXPECTED);
  });

  it('and the rules as they are pass, and their copy without a change', async () => {
    expect(scenes(await import('../../src/experiment/take-looks.ts'))).toEqual(EXPECTED);
    expect(scenes(await watcherOf([]))).toEqual(EXPECTED);
  });
});
