import { describe, expect, it } from 'vitest';
import { fixed } from '../../src/accumulators/exact.ts';
import { isAbsent } from '../../src/statistics/absent.ts';
import { holm } from '../../src/statistics/corrections.ts';
import type { Moments } from '../../src/statistics/design-effect.ts';
import { designEffect, impressionStderr, windowStderr } from '../../src/statistics/design-effect.ts';
import {
  chiSquareUpper,
  lnGamma,
  normalLower,
  normalQuantile,
  tLower,
  tQuantile,
} from '../../src/statistics/distributions.ts';
import {
  type BucketSums,
  detectableEffect,
  type Effect,
  fixedHorizon,
  liftOf,
  pairedEffect,
  unpairedEffect,
} from '../../src/statistics/effect.ts';
import { exposureOf } from '../../src/statistics/exposure.ts';
import { jackknife } from '../../src/statistics/jackknife.ts';
import { intervalOfMean, meanOfBuckets } from '../../src/statistics/mean.ts';
import { chiSquareTest, largestDeviation, logBayesFactor } from '../../src/statistics/sample-ratio.ts';
import { SampleUnion } from '../../src/statistics/sample-union.ts';
import {
  confidenceSequence,
  mixingRate,
  multiplierAt,
  NO_LOOKS,
  oneSidedMultiplierAt,
  oneSidedSequence,
  type Plan,
  runningTwoSidedP,
  takeLook,
} from '../../src/statistics/sequence.ts';
import { UserSample } from '../../src/statistics/user-sample.ts';
import { bucketOf, bucketWord, fmix32, fnv1a32, sampleFirst, sampleKey } from '../../src/vocabulary/user-words.ts';
import { expectGolden, GOLDENS, golden } from './golden.ts';
import { mergeSamples, usersOf } from './merged-samples.ts';
import { fixedCritical, powerOf } from './power.ts';

/** A result beside its reason, as the goldens write it. */
function shown(result: unknown): object {
  return isAbsent(result) ? { reason: result.absent } : Object(result);
}

function present<T>(result: T): Exclude<T, { absent: unknown }> {
  if (isAbsent(result)) throw new Error(`absent: ${result.absent}`);
  return result as Exclude<T, { absent: unknown }>;
}

function effectOf({ control, treatment, covariance = 0 }: Estimates): Effect {
  return {
    control: control.mean,
    treatment: treatment.mean,
    difference: treatment.mean - control.mean,
    error: {
      stderr: Math.sqrt(control.varOfMean + treatment.varOfMean),
      df: Number.POSITIVE_INFINITY,
      controlVariance: control.varOfMean,
      treatmentVariance: treatment.varOfMean,
      covariance,
    },
  };
}

interface StoredSample {
  readonly level: number;
  readonly users: readonly { readonly first: number; readonly variant: string; readonly ts: number }[];
}

interface Estimate {
  readonly mean: number;
  readonly varOfMean: number;
}

interface Estimates {
  readonly control: Estimate;
  readonly treatment: Estimate;
  readonly covariance?: number;
}

type Side = { readonly m: number[]; readonly d: number[] } | (Estimate & { readonly df: number });

interface Ratio {
  readonly counts: number[];
  readonly weights: number[];
}

/** Returns what `expected` describes. */
type Reader = (inputs: unknown, id: string) => unknown;

function reader<Inputs>(answer: (inputs: Inputs, id: string) => unknown): Reader {
  return (inputs, id) => answer(inputs as Inputs, id);
}

const oneSided = reader<Plan & { effect: number; stderr: number; N: number }>(({ effect, stderr, N, alpha, nStar }) => {
  const { bound, p } = present(oneSidedSequence(effect, stderr, N, { alpha, nStar }, 'better'));
  return { rho: Math.sqrt(mixingRate({ alpha: 2 * alpha, nStar })), lower: bound, p };
});

function family(id: string): string {
  return id.split('-')[0];
}

/** Cases of these families are answered elsewhere. */
const ELSEWHERE = new Set(['CUSUM', 'SCALE', 'BASE', 'DEC']);

const FAMILIES: Readonly<Record<string, Reader>> = {
  HASH: reader<{ text: string }>(({ text }) => fnv1a32(text)),
  MIX: reader<{ word: number }>(({ word }) => fmix32(word)),
  BUCKET: reader<{ userId: string }>(({ userId }) => ({
    word: bucketWord(userId),
    bucket256: bucketOf(userId),
    bucket64: bucketOf(userId, 64),
    sampleFirst: sampleFirst(userId),
    sampleSecond: fmix32(fnv1a32(`receval/sample/2:${userId}`)),
    sampleKey: sampleKey(userId),
  })),
  FIXED: reader<{ values: number[] }>(({ values }) => {
    const integers = values.map((value) => Number(fixed(value)));
    return { integers, sum: integers.reduce((sum, value) => sum + value, 0) };
  }),
  CLUST: reader<BucketSums>(({ m, d }) => {
    const mean = meanOfBuckets(m, d);
    if (isAbsent(mean)) return { value: mean, stderr: mean, reason: mean.absent };
    return { ...mean, reason: isAbsent(mean.stderr) ? mean.stderr.absent : undefined };
  }),
  CI: reader<{ value: number; stderr: number; df: number; alpha: number }>(({ value, stderr, df, alpha }) =>
    intervalOfMean({ value, stderr, df }, alpha),
  ),
  JACK: reader<{ x: number[]; cluster: number[]; a?: BucketSums; b: BucketSums }>(({ x, cluster, a, b }) => {
    if (a !== undefined) {
      const ratio = ({ m, d }: BucketSums) => jackknife([m, d], ([above, below]) => above / below);
      return { a: ratio(a), b: ratio(b) };
    }
    const clusters = [...new Set<number>(cluster)];
    const sums = (f: (x: number) => number) =>
      clusters.map((c) => x.reduce((sum, value, i) => sum + (cluster[i] === c ? f(value) : 0), 0));
    const count = sums(() => 1);
    const squares = sums((value) => value * value);
    const total = (cells: readonly number[]) => cells.reduce((sum, cell) => sum + cell, 0);
    const mean = jackknife([squares, count], ([above, below]) => above / below);
    return {
      count: { value: total(count), stderr: jackknife([count], ([n]) => n) },
      sumOfSquares: { value: total(squares), stderr: jackknife([squares], ([sum]) => sum) },
      meanOfSquares: { value: total(squares) / total(count), stderr: mean },
      stderr: mean,
      reason: isAbsent(mean) ? mean.absent : undefined,
    };
  }),
  DEFF: reader<Moments & { designEffect: number }>(({ n, sum, sumSquares, designEffect }) => ({
    value: sum / n,
    impressionStderr: impressionStderr({ n, sum, sumSquares }),
    stderr: windowStderr({ n, sum, sumSquares }, designEffect),
  })),
  DIFF: reader<{ control: Side; treatment: Side; controlFrom?: string; treatmentFrom?: string; alpha: number }>(
    ({ control, treatment, controlFrom, treatmentFrom, alpha }) => {
      const mean = (given: Side, from: string | undefined) => {
        const side = from === undefined ? given : (golden(from).inputs as Side);
        if ('m' in side) return meanOfBuckets(side.m, side.d);
        return { value: side.mean, stderr: Math.sqrt(side.varOfMean), df: side.df };
      };
      const effect = present(unpairedEffect(mean(control, controlFrom), mean(treatment, treatmentFrom)));
      const test = present(fixedHorizon(effect, alpha));
      return {
        effect: effect.difference,
        stderr: present(effect.error).stderr,
        ...test,
        z: test.t,
        pNormal: 2 * normalLower(-Math.abs(test.t)),
      };
    },
  ),
  PAIR: reader<{ control: BucketSums; treatment: BucketSums; alpha: number }>(({ control, treatment, alpha }) => {
    const effect = present(pairedEffect(control, treatment));
    return { effect: effect.difference, ...present(effect.error), ...present(fixedHorizon(effect, alpha)) };
  }),
  FIEL: reader<Estimates & { critical: number }>((inputs) => {
    const lift = present(liftOf(effectOf(inputs), inputs.critical));
    const { bounds } = lift;
    return isAbsent(bounds) ? { ...lift, lower: bounds, upper: bounds, reason: bounds.absent } : { ...lift, ...bounds };
  }),
  CS: reader<Plan & { effect: number; stderr: number; N: number }>(({ effect, stderr, N, ...plan }) =>
    confidenceSequence(effect, stderr, N, plan),
  ),
  'CS-4': reader<{ s: number; v: number; vOpt: number; alpha: number }>(({ s, v, vOpt, alpha }) => {
    const plan = { alpha, nStar: vOpt };
    const sequence = present(confidenceSequence(s, Math.sqrt(v), v, plan));
    return { rho: 1 / mixingRate(plan), logE: sequence.logE, bound: sequence.multiplier * Math.sqrt(v) };
  }),
  'CS-5': reader<{ alpha: number; N: number[]; nStar: number[] }>(({ alpha, N, nStar }) =>
    Object.fromEntries(nStar.map((star) => [star, N.map((users) => multiplierAt(users, { alpha, nStar: star }))])),
  ),
  'CS-6': oneSided,
  'CS-7': oneSided,
  'CS-8': reader<{ logE: number[] }>(({ logE }) => {
    let looks = NO_LOOKS;
    const runningP = logE.map((e, at) => {
      looks = takeLook(looks, { at, difference: 1, logE: e, guardLogE: undefined });
      return runningTwoSidedP(looks);
    });
    return { runningP };
  }),
  'CS-9': reader<{ v: number; vOpt: number; alpha: number }>(({ v, vOpt, alpha }) => ({
    bound: oneSidedMultiplierAt(v, { alpha, nStar: vOpt }) * Math.sqrt(v),
    exactMixtureBound: 27.66071,
  })),
  SRM: reader<Ratio>(({ counts, weights }) => {
    const test = chiSquareTest(counts, weights, 0);
    return { ...shown(test), p: isAbsent(test) ? test : test.p, maxDeviation: largestDeviation(counts, weights) };
  }),
  SSRM: reader<Ratio & { k: number; batches?: number[][]; alpha0: number[] }>(
    ({ counts, weights, k, batches, alpha0 }) => {
      if (batches !== undefined) {
        const sums = weights.map(() => 0);
        return {
          logBF: batches.map((batch: readonly number[]) => {
            batch.forEach((count, i) => {
              sums[i] += count;
            });
            return logBayesFactor(sums, weights, alpha0);
          }),
        };
      }
      const prior = weights.map((weight: number) => k * weight);
      const logBF = present(logBayesFactor(counts, weights, prior));
      return { logBF, p: Math.exp(-Math.max(0, logBF)) };
    },
  ),
  SAMPLE: reader<{ K: number; a: StoredSample; b: StoredSample }>(({ K, a, b }) => {
    const sample = (side: StoredSample) => {
      const made = new UserSample(K, side.level);
      for (const { first, variant, ts } of side.users) made.addKey(first * 2 ** 21, variant === 'A' ? 0 : 1, ts);
      return made;
    };
    const merged = mergeSamples([sample(a), sample(b)], K);
    const union = new SampleUnion();
    union.add(merged);
    const exposure = exposureOf(union.exposed(), 2);
    return {
      level: merged.level,
      firsts: usersOf(merged).map((user) => user.key / 2 ** 21),
      firstExposures: { A: exposure.first[0], B: exposure.first[1] },
      crossover: exposure.crossovers,
      estimatedUsers: exposure.users,
    };
  }),
  HOLM: reader<{ p: (number | null)[] }>(({ p }) =>
    holm(p.map((value: number | null) => value ?? { absent: 'no_data' })),
  ),
  POWER: reader<{ effect: number; stderr: number; critical: number }>(({ effect, stderr, critical }) => ({
    power: powerOf(effect, stderr, critical),
  })),
  MDE: reader<{ stderr: number; N: number; alpha: number; power: number; nStar: number; controlMean?: number }>(
    ({ stderr, N, alpha, power, nStar, controlMean }) => {
      const sequential = present(detectableEffect(stderr, multiplierAt(N, { alpha, nStar }), power));
      return {
        fixed: detectableEffect(stderr, fixedCritical(alpha), power),
        sequential,
        sequentialRelative: controlMean === undefined ? undefined : sequential / Math.abs(controlMean),
      };
    },
  ),
  NUM: reader<{ p: number[]; x: number[]; cases: [number, number][] }>(({ p, x, cases }, id) => {
    switch (id) {
      case 'NUM-1':
        return p.map(normalQuantile);
      case 'NUM-2':
        return x.map(normalLower);
      case 'NUM-3':
        return cases.map(([t, df]: [number, number]) => tLower(t, df));
      case 'NUM-4':
        return cases.map(([q, df]: [number, number]) => tQuantile(q, df));
      case 'NUM-5':
        return cases.map(([chi, df]: [number, number]) => chiSquareUpper(chi, df));
      default:
        return x.map(lnGamma);
    }
  }),
};

describe('reference values', () => {
  const own = GOLDENS.filter(({ id }) => !ELSEWHERE.has(family(id)));

  it.each(own.map((found) => [found.id, found.what, found] as const))('%s: %s', (id, _what, found) => {
    const answer = FAMILIES[id] ?? FAMILIES[family(id)];
    expect(answer, `nothing here answers ${id}`).toBeDefined();
    expectGolden(answer(found.inputs, id), found);
  });

  it('are all there', () => {
    expect(own.length).toBeGreaterThanOrEqual(75);
    expect(new Set(own.map(({ id }) => family(id)))).toEqual(new Set(Object.keys(FAMILIES).map(family)));
  });

  it('are distinguished from near misses', () => {
    const { inputs } = golden('CI-1');
    const near = { ...Object(inputs), df: 9.0001 };
    expectGolden(FAMILIES['CI'](inputs, 'CI-1'), golden('CI-1'));
    expect(() => expectGolden(FAMILIES['CI'](near, 'CI-1'), golden('CI-1'))).toThrow();
  });
});

describe('the design effect', () => {
  it('of hour panes widens a window', () => {
    const hours = { n: 1000, sum: 200, sumSquares: 90 };
    const bucket = present(impressionStderr(hours)) * 1.5;
    expect(designEffect(bucket, hours)).toBeCloseTo(2.25, 12);
  });
});
