import { beforeAll, describe, expect, it } from 'vitest';
import { Random } from '../../src/simulate/random.ts';
import { isAbsent } from '../../src/statistics/absent.ts';
import { fixedHorizon, unpairedEffect } from '../../src/statistics/effect.ts';
import { meanOfBuckets } from '../../src/statistics/mean.ts';
import { confidenceSequence } from '../../src/statistics/sequence.ts';
import { BUCKETS, bucketOf } from '../../src/vocabulary/user-words.ts';
import { beta, gamma, poisson } from './draws.ts';

const RUNS = 300;
const USERS = 1000;
const LOOKS = 50;
const PLAN = { alpha: 0.05, nStar: 2000 };
const Z = 1.959963984540054;

/** One variant: users who come back, each with a rate and a taste of their own. */
class Arm {
  readonly m = new Float64Array(BUCKETS);
  readonly d = new Float64Array(BUCKETS);
  users = 0;
  #impressions = 0;
  #successes = 0;
  /** By look and bucket. */
  readonly #shown = new Int32Array(LOOKS * BUCKETS);
  readonly #liked = new Int32Array(LOOKS * BUCKETS);
  readonly #newcomers = new Int32Array(LOOKS);

  constructor(random: Random, name: string) {
    for (let u = 0; u < USERS; u++) {
      const rate = (gamma(random, 0.5) * 0.2) / 0.5;
      const taste = beta(random, 0.8, 4);
      const bucket = bucketOf(`${name}-${u}`);
      let first = LOOKS;
      // A Poisson number for each look is a Poisson number in all, each at any look.
      for (let left = poisson(random, rate * LOOKS); left > 0; left--) {
        const look = Math.floor(random.next() * LOOKS);
        first = Math.min(first, look);
        this.#shown[look * BUCKETS + bucket]++;
        if (random.next() < taste) this.#liked[look * BUCKETS + bucket]++;
      }
      if (first < LOOKS) this.#newcomers[first]++;
    }
  }

  live(look: number): void {
    this.users += this.#newcomers[look];
    for (let b = 0; b < BUCKETS; b++) {
      const shown = this.#shown[look * BUCKETS + b];
      const liked = this.#liked[look * BUCKETS + b];
      this.d[b] += shown;
      this.m[b] += liked;
      this.#impressions += shown;
      this.#successes += liked;
    }
  }

  /** As if impressions were independent. */
  get plain(): { mean: number; variance: number } {
    const mean = this.#successes / this.#impressions;
    return { mean, variance: (mean * (1 - mean)) / this.#impressions };
  }
}

describe('two variants that are the same', () => {
  const rejected = { sequence: 0, once: 0, impressions: 0, everyLook: 0 };

  beforeAll(() => {
    const random = new Random(20_240_229, 'same variants');
    for (let run = 0; run < RUNS; run++) {
      const a = new Arm(random, `a${run}`);
      const b = new Arm(random, `b${run}`);
      const ever = { sequence: false, impressions: false, everyLook: false };
      for (let look = 0; look < LOOKS; look++) {
        a.live(look);
        b.live(look);
        const plain = Math.abs(b.plain.mean - a.plain.mean) / Math.sqrt(a.plain.variance + b.plain.variance);
        ever.impressions ||= plain > Z;
        const effect = unpairedEffect(meanOfBuckets(a.m, a.d), meanOfBuckets(b.m, b.d));
        if (isAbsent(effect) || isAbsent(effect.error)) throw new Error('absent');
        const { stderr } = effect.error;
        ever.everyLook ||= Math.abs(effect.difference) / stderr > Z;
        const sequence = confidenceSequence(effect.difference, stderr, a.users + b.users, PLAN);
        if (isAbsent(sequence)) throw new Error(sequence.absent);
        ever.sequence ||= sequence.p < PLAN.alpha;
        if (look < LOOKS - 1) continue;
        const test = fixedHorizon(effect, 0.05);
        if (isAbsent(test)) throw new Error(test.absent);
        if (test.p < 0.05) rejected.once++;
      }
      if (ever.sequence) rejected.sequence++;
      if (ever.impressions) rejected.impressions++;
      if (ever.everyLook) rejected.everyLook++;
    }
  });

  it('are distinguished by the sequence in at most 28 of 300 runs, however often one looks', () => {
    expect(rejected.sequence).toBeLessThanOrEqual(28);
  });

  it('are distinguished by one look at the end in 5 % of runs', () => {
    expect(rejected.once).toBeGreaterThanOrEqual(4);
    expect(rejected.once).toBeLessThanOrEqual(29);
  });

  it('are distinguished in half of the runs by errors that take impressions as independent', () => {
    expect(rejected.impressions).toBeGreaterThan(135);
  });

  it('are distinguished far too often by the right error looked at fifty times', () => {
    expect(rejected.everyLook).toBeGreaterThan(30);
  });
});
