import { describe, expect, it } from 'vitest';
import {
  decide,
  EXPERIMENT_REASONS,
  type ExperimentFacts,
  WATCHED_REASONS,
  type WatchedVerdict,
} from '../../src/statistics/decision.ts';
import {
  explainExperiment,
  explainWatched,
  percent,
  probability,
  signedPercent,
} from '../../src/statistics/explain.ts';
import type { WatchedDecision } from '../../src/statistics/watched.ts';
import { HEALTHY } from './facts.ts';

const NAMES = { variant: 'B', control: 'A', measure: 'ndcg@10' };
const WORSE = {
  difference: -0.009,
  stderr: 0.001,
  lower: -0.012,
  upper: -0.0063,
  lift: { lower: -0.04, upper: -0.021 },
};
const BETTER = { difference: 0.009, stderr: 0.001, lower: 0.0063, upper: 0.012, lift: { lower: 0.021, upper: 0.04 } };

function said(more: Partial<ExperimentFacts>): string {
  return explainExperiment(decide({ ...HEALTHY, ...more }, undefined), NAMES);
}

describe('the explanation of an experiment whose impressions name no user', () => {
  const few = { ...HEALTHY.variant, users: 12 };
  it.each([
    [{ variant: few }, 'B has only 12 users; 100 are needed in each variant.'],
    [{ variant: { ...HEALTHY.variant, buckets: 12 } }, 'B has only 12 filled user buckets;'],
  ])('says to log them, not to wait', (more, begin) => {
    const text = explainExperiment(decide({ ...HEALTHY, ...more }, undefined), { ...NAMES, areUsersMissing: true });
    expect(text).toContain(begin);
    expect(text).toMatch(/Log userId in the impressions: without it users cannot be distinguished\.$/);
    expect(text).not.toContain('Wait');
  });
});

describe('the explanation of an experiment', () => {
  it.each<readonly [string, Partial<ExperimentFacts>, string]>([
    [
      'worse',
      { pWorse: 0.001, effect: WORSE },
      'B is worse than A on ndcg@10 by 2.1 % to 4.0 %; this holds however often you look.',
    ],
    [
      'better',
      { pBetter: 0.001, effect: BETTER },
      'B is better than A on ndcg@10 by 2.1 % to 4.0 %; this holds however often you look.',
    ],
    [
      'worse, of a measure of which less is better',
      { pWorse: 0.001, effect: BETTER, lowerIsBetter: true },
      'B is worse than A on ndcg@10 by 2.1 % to 4.0 %; this holds however often you look.',
    ],
    [
      'better at an earlier look, of a measure of which less is better',
      { pBetter: 0.001, effect: BETTER, lowerIsBetter: true },
      'B was found better than A on ndcg@10 at an earlier look, which stays; the difference is now between +2.1 % and +4.0 %.',
    ],
    [
      'worse, without bounds of the lift',
      { pWorse: 0.001, effect: { ...WORSE, lift: undefined } },
      'B is worse than A on ndcg@10 by 0.0063 to 0.012; this holds however often you look.',
    ],
    [
      'worse at an earlier look',
      { pWorse: 0.001 },
      'B was found worse than A on ndcg@10 at an earlier look, which stays; the difference is now between -0.7 % and +0.7 %.',
    ],
    [
      'worse alone, but not among several variants',
      { pWorse: 0.082, effect: WORSE },
      'Alone, B would be worse than A on ndcg@10 by 2.1 % to 4.0 %, but several variants are compared: adjusted for their number p is 0.082, above 0.05. Wait for more users.',
    ],
    [
      'worse alone, of a measure of which less is better',
      {
        pBetter: 0.082,
        tolerance: 0.001,
        effect: BETTER,
        lowerIsBetter: true,
        pWorse: 0.09,
      },
      'Alone, B would be worse than A on ndcg@10 by 2.1 % to 4.0 %, but several variants are compared: adjusted for their number p is 0.090, above 0.05. Wait for more users.',
    ],
    [
      'worse on a guardrail',
      { guardrail: { measure: 'mrr', p: 0.012 } },
      'B is worse than A on the guardrail mrr (p 0.012); this holds however often you look.',
    ],
    [
      'within the tolerance',
      {},
      'B is not worse than A on ndcg@10 by more than 1.0 %: the difference is between -0.7 % and +0.7 %; this holds however often you look.',
    ],
  ])('says what is known: %s', (_, facts, text) => {
    expect(said(facts)).toBe(text);
  });

  it.each<readonly [string, Partial<ExperimentFacts>, RegExp]>([
    [
      'incomplete',
      { missing: 2000 },
      /^2\.0 % of the records are missing, more than 1\.0 %.*Restore the missing records/,
    ],
    [
      'srm',
      { split: { p: 1e-9, deviation: 0.052 } },
      /off by 5\.2 %, p below 0\.001.*Check the weights, .*whether one of them began later \(then set start\)/,
    ],
    [
      'crossover',
      { exposure: { crossovers: 300, sampled: 10_000 } },
      /^3\.0 % of the users.*Assign each user to one variant/,
    ],
    ['effect_changed', { pWorse: 0.01, pBetter: 0.01 }, /not constant\. Find out what changed, then restart/],
  ])('says what to do where it is invalid: %s', (reason, facts, text) => {
    expect(decide({ ...HEALTHY, ...facts }, undefined).reason).toBe(reason);
    expect(said(facts)).toMatch(text);
  });

  it('names the variant that lacks something, and how much', () => {
    const few = { ...HEALTHY.control, users: 12 };
    expect(said({ variant: few })).toBe('B has only 12 users; 100 are needed in each variant. Wait for more traffic.');
    expect(said({ control: few })).toMatch(/^A has only 12 users/);
    expect(said({ control: { ...few, users: 1 } })).toMatch(/^A has only 1 user; 100 are needed/);
    expect(said({ control: { ...few, users: 0 } })).toMatch(/^A has no users;/);
    const hardlyAny = (positives: number) => ({ ...HEALTHY.control, positives });
    expect(said({ control: hardlyAny(0), variant: hardlyAny(24) })).toBe(
      'A has 0 and B 24 lists with a positive; 25 are needed in one of them. A positive has feedback with a grade of at least relevantFrom. Wait for more feedback; if no more positives come, check the feedback and the grades of its actions.',
    );
    const noValue = { ...hardlyAny(0), kish: undefined };
    expect(said({ variant: noValue, effect: undefined })).toMatch(
      /^ndcg@10 has no value in B, because it counts lists with a positive alone: B has no lists .*, A has 900\. Check the feedback of B/,
    );
    const none = { ...HEALTHY.control, impressions: 0 };
    expect(said({ variant: none })).toMatch(/^B has no impressions yet/);
    expect(said({ control: none })).toMatch(/^A has no impressions yet/);
    expect(said({ control: none, variant: none })).toMatch(/^A and B have no impressions yet/);
  });

  it('tells of a user who makes most of the lists', () => {
    const bot = { ...HEALTHY.control, kish: 2.4, heaviest: 0.63 };
    expect(said({ variant: bot })).toBe(
      'About 63.0 % of the lists of B come from one user, or from few that share its bucket, so that B weighs as only 2 equal user buckets; 30 are needed in each variant for an error that can be trusted. Find out whether it is a bot, and leave it out of the impressions, then restart the experiment.',
    );
    expect(said({ control: bot })).toMatch(/^About 63\.0 % of the lists of A /);
    expect(said({ variant: { ...bot, heaviest: 0.049 } })).toMatch(/^The lists of B are spread so unevenly/);
  });

  it('warns that a finding next to no positives may be one of the feedback', () => {
    const dead = { ...HEALTHY.control, positives: 0 };
    const lost = 'B has no lists with a positive: if its ranking is not broken, its feedback is.';
    expect(said({ pWorse: 0.01, effect: WORSE, variant: dead })).toContain(lost);
    expect(said({ guardrail: { measure: 'mrr', p: 0.01 }, variant: dead })).toContain(lost);
    expect(said({ pWorse: 0.01, effect: WORSE })).not.toContain('feedback');
  });

  it('has words of its own for each reason', () => {
    const decision = decide(HEALTHY, undefined);
    const reasons = Object.values(EXPERIMENT_REASONS).flat();
    const texts = reasons.map((reason) => explainExperiment({ ...decision, reason } as typeof decision, NAMES));
    expect(new Set(texts).size).toBe(reasons.length);
    for (const text of texts) expect(text).toMatch(/^[^\n]*\.$/);
  });

  it('never prints a number that is none', () => {
    const wild = { ...WORSE, lower: Number.NaN, upper: Number.NEGATIVE_INFINITY, lift: undefined };
    const decision = decide({ ...HEALTHY, effect: wild, split: undefined, guardrail: undefined }, undefined);
    for (const reason of Object.values(EXPERIMENT_REASONS).flat()) {
      const text = explainExperiment({ ...decision, reason } as typeof decision, NAMES);
      expect(text).not.toMatch(/NaN|Infinity|undefined/);
    }
  });
});

describe('the explanation of a watched cohort', () => {
  const alarm = { s: 20, on: true, onset: 0 };
  const decision: WatchedDecision = {
    label: 'healthy',
    reason: 'in_control',
    since: 0,
    scale: 1,
    settings: { k: 0.5, h: 20, tolerance: 0.01 },
    newest: {
      block: {
        start: 0,
        end: 300_000,
        steps: 1,
        impressions: 120,
        positives: 3,
        state: 'whole',
        estimate: { value: 0.28, stderr: 0.01 },
      },
      baseline: { kind: 'weekly', value: 0.3, stderr: 0.01, between: 0, typical: 0.01, below: 0, above: 0, values: 3 },
      z: -2,
      limit: 20,
      low: { ...alarm, size: -0.0421 },
      high: { ...alarm, size: 0.031 },
    },
  };
  const names = { cohort: 'country=DE', measure: 'ndcg@10' };

  function told(verdict: WatchedVerdict): string {
    return explainWatched({ ...decision, ...verdict }, names);
  }

  it('says how far it fell or rose, and against what', () => {
    expect(told({ label: 'regressed', reason: 'below_baseline' })).toBe(
      'ndcg@10 of country=DE has fallen by 4.2 % against what it was in this hour of the last weeks. Look at what was released or changed when it began. If it is meant to be so, receval accept makes it the norm.',
    );
    expect(told({ label: 'improved', reason: 'above_baseline' })).toMatch(/has risen by 3\.1 %[^.]*\.$/);
    expect(told({ label: 'regressed', reason: 'above_baseline' })).toMatch(/has risen by 3\.1 % .* Look at what was/);
    expect(told({ label: 'improved', reason: 'below_baseline' })).not.toMatch(/Look at/);
    expect(told({ label: 'healthy', reason: 'in_control' })).toMatch(/no fall or rise beyond 1\.0 % stands out/);
  });

  it('says how little there is', () => {
    expect(told({ label: 'insufficient', reason: 'few_impressions' })).toMatch(
      /^country=DE has 120 impressions and 3 lists with a positive in an hour/,
    );
  });

  it('has words of its own for each reason, with or without a block', () => {
    for (const newest of [decision.newest, undefined]) {
      const reasons = [...new Set(Object.values(WATCHED_REASONS).flat())];
      const texts = reasons.map((reason) => explainWatched({ ...decision, newest, reason } as typeof decision, names));
      expect(new Set(texts).size).toBe(reasons.length);
      for (const text of texts) expect(text).toMatch(/^[^\n]*\.$/);
      for (const text of texts) expect(text).not.toMatch(/NaN|Infinity|undefined/);
    }
  });
});

describe('numbers in words', () => {
  it('print percents with one digit, and small ones with one that counts', () => {
    expect([0.021, 0.5, 0, 0.0005, 0.00049, 0.00003].map(percent)).toEqual([
      '2.1 %',
      '50.0 %',
      '0.0 %',
      '0.1 %',
      '0.05 %',
      '0.003 %',
    ]);
    expect([0.02, -0.02, 0].map(signedPercent)).toEqual(['+2.0 %', '-2.0 %', '+0.0 %']);
  });

  it('print a p with three digits, and small ones as below .001', () => {
    expect([0.5, 0.001, 0.00099, 1e-300].map(probability)).toEqual(['0.500', '0.001', 'below 0.001', 'below 0.001']);
  });
});
