import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Result } from '../../src/statistics/absent.ts';
import { ABSENCES, isAbsent } from '../../src/statistics/absent.ts';
import { type ArmMean, effectOfArms, kishOf, spreadOf, usersOfKish } from '../../src/statistics/arm.ts';
import { holm } from '../../src/statistics/corrections.ts';
import { designEffect, impressionStderr, stretchedStderr, windowStderr } from '../../src/statistics/design-effect.ts';
import {
  type BucketSums,
  detectableEffect,
  type Effect,
  fixedHorizon,
  liftOf,
  pairedEffect,
  unpairedEffect,
} from '../../src/statistics/effect.ts';
import { jackknife } from '../../src/statistics/jackknife.ts';
import { intervalOfMean, type Mean, meanOfBuckets, residualsOf } from '../../src/statistics/mean.ts';
import { chiSquareTest, largestDeviation, logBayesFactor } from '../../src/statistics/sample-ratio.ts';
import {
  confidenceSequence,
  NO_LOOKS,
  oneSidedSequence,
  runningTwoSidedP,
  takeLook,
} from '../../src/statistics/sequence.ts';

const count = fc.oneof(
  fc.constant(0),
  fc.constant(1),
  fc.integer({ min: 2, max: 100 }),
  fc.integer({ min: 1e14, max: Number.MAX_SAFE_INTEGER }),
);
/** Values of one impression: ordinary ones, and ratings at the edge of what a number holds. */
const value = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(0, 1e-9, 1 / 3, 0.5, 1) },
  fc.constantFrom(-1, 1e9, 1e150, 1e200, -1e308, 1e308),
);
const cell = fc.tuple(count, value).map(([d, x]) => ({ m: d * x, d }));
const sums: fc.Arbitrary<BucketSums> = fc.array(cell, { minLength: 1, maxLength: 12 }).map((cells) => ({
  m: cells.map(({ m }) => m),
  d: cells.map(({ d }) => d),
}));
const pair = fc.integer({ min: 1, max: 12 }).chain((buckets) => {
  const one = fc.array(cell, { minLength: buckets, maxLength: buckets });
  return fc
    .tuple(one, one)
    .map((sides) => sides.map((cells) => ({ m: cells.map((c) => c.m), d: cells.map((c) => c.d) })));
});

/** Every number in it is finite, every absence has a listed reason. */
function sound(result: unknown, path = ''): void {
  // No `expect` here: a few hundred thousand of them take seconds.
  if (typeof result === 'number') {
    if (!Number.isFinite(result)) throw new Error(`${path} is ${result}`);
  } else if (isAbsent(result)) {
    if (!ABSENCES.includes(result.absent)) throw new Error(`${path} is absent for ${result.absent}`);
  } else if (typeof result === 'object' && result !== null)
    for (const [key, part] of Object.entries(result)) sound(part, `${path}.${key}`);
}

function soundEffect(effect: Result<Effect>, users: number): void {
  sound(effect, 'effect');
  if (isAbsent(effect)) return;
  sound(fixedHorizon(effect, 0.05), 'test');
  sound(liftOf(effect, 3), 'lift');
  if (isAbsent(effect.error)) return;
  const { stderr } = effect.error;
  const plan = { alpha: 0.05, nStar: 5000 };
  const sequence = confidenceSequence(effect.difference, stderr, users, plan);
  const guard = oneSidedSequence(effect.difference, stderr, users, plan, 'worse');
  sound([sequence, guard, detectableEffect(stderr, 3)], 'sequence');
  const looks = takeLook(NO_LOOKS, {
    at: 0,
    difference: effect.difference,
    logE: isAbsent(sequence) ? sequence : sequence.logE,
    guardLogE: isAbsent(guard) ? undefined : guard.logE,
  });
  sound([looks, runningTwoSidedP(looks), holm([runningTwoSidedP(looks), 0.5])], 'looks');
}

/** With the sizes of its buckets, as `armOfVector` has them. */
function armOf(mean: Result<Mean>, { m, d }: BucketSums): Result<ArmMean> {
  if (isAbsent(mean)) return mean;
  const kish = kishOf(d);
  return { ...mean, kish, users: usersOfKish(kish, d.length, 1e9), spread: spreadOf(residualsOf(m, d)?.scaled ?? []) };
}

it('nothing that is not finite leaves statistics, whatever the rows hold', () => {
  let values = 0;
  fc.assert(
    fc.property(pair, sums, count, ([a, b], c, users) => {
      const means = [a, b, c].map(({ m, d }) => meanOfBuckets(m, d));
      sound(means, 'means');
      for (const mean of means) {
        if (isAbsent(mean)) continue;
        sound(intervalOfMean(mean, 0.05), 'interval');
        if (!isAbsent(mean.stderr)) values++;
      }
      soundEffect(pairedEffect(a, b), users);
      soundEffect(unpairedEffect(means[0], means[2]), users);
      const arms = [a, b, c].map((one, i) => armOf(means[i], one));
      sound(arms, 'arms');
      soundEffect(effectOfArms(arms[0], arms[1]), users);
      soundEffect(effectOfArms(arms[2], arms[0]), users);
      sound(
        jackknife([a.m, a.d], ([m, d]) => Math.sqrt(m / d)),
        'jackknife',
      );
    }),
    { numRuns: 2000 },
  );
  expect(values).toBeGreaterThan(1000);
});

it('nor moments and counts', () => {
  fc.assert(
    fc.property(count, count, count, value, value, (n, x, y, sum, square) => {
      const moments = { n, sum: x * sum, sumSquares: y * square };
      const hours = { n: y, sum: y * sum, sumSquares: y * sum * sum };
      sound([impressionStderr(moments), designEffect(sum, hours), windowStderr(moments, designEffect(1, hours))]);
      sound(stretchedStderr(square, n, x));
      const counts = [n, x, y];
      for (const weights of [
        [1, 1, 1],
        [0, 1e-12, 1],
        [0, 0, 1],
      ]) {
        sound([chiSquareTest(counts, weights), largestDeviation(counts, weights), logBayesFactor(counts, weights)]);
      }
    }),
    { numRuns: 2000 },
  );
});

it('and the check itself sees what is not finite', () => {
  expect(() => sound({ a: [{ b: Number.NaN }] })).toThrow('.a.0.b is NaN');
  expect(() => sound({ absent: 'unlucky' })).toThrow('unlucky');
});
