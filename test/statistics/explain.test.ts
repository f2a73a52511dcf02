import { describe, expect, it } from 'vitest';
import {
  decide,
  EXPERIMENT_REASONS,
  type ExperimentFacts,
  WATCHED_REASONS,
  type WatchedVerdict,
} from '../../src/statistics/decision.ts';
import { explainExperiment } from '../../src/statistics/explain.ts';
import { percent, probability, signedPercent } from '../../src/statistics/explain-numbers.ts';
import { explainWatched, type WatchedDecision } from '../../src/statistics/watched.ts';
import { guardrailAt, HEALTHY } from './facts.ts';

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

describe('the explanation of an experiment whose lists name no user', () => {
  it.each([
    [50_000, '100.0 % of the lists of B and 2.0 % of A name no user.'],
    [16_500, '33.0 % of the lists of B and 2.0 % of A name no user.'],
  ])('says to log them, not to wait, and promises nothing', (userless, begin) => {
    const text = said({
      control: { ...HEALTHY.control, userless: 1000 },
      variant: { ...HEALTHY.variant, userless },
      pWorse: 0.001,
      effect: WORSE,
    });
    expect(text).toMatch(/Log userId in the impressions of all variants; more traffic does not help\.$/);
    expect(text.startsWith(begin)).toBe(true);
    expect(text).not.toMatch(/Wait|however often/);
  });
});

describe('the explanation of a split that is off', () => {
  const split = { p: 1e-9, deviation: 0.3 };
  const span = (day: number, share: number) => ({
    from: Date.UTC(2026, 0, day),
    to: Date.UTC(2026, 0, day + 1),
    share,
  });

  it('names a ramp among the first, and what is sound', () => {
    expect(said({ split })).toMatch(
      /Check the weights, whether they changed over time or one variant began later \(then set start to when they became final; a ramp is sound if all variants grow alike, such as \.5\/\.5 of a growing part of the users\), the assignment, /,
    );
    expect(said({ split })).not.toMatch(/split changed over time|name no user/);
  });

  it('says that it changed over time where that is known', () => {
    const change = { least: span(5, 0.01), most: span(9, 0.501) };
    expect(said({ split: { ...split, change } })).toContain(
      'The split changed over time: B got 1.0 % of the new users between 2026-01-05T00:00Z and 2026-01-06T00:00Z, and 50.1 % of the new users between 2026-01-09T00:00Z and 2026-01-10T00:00Z.',
    );
    const userless = new Map([
      ['A', 0],
      ['B', 0.3],
    ]);
    expect(said({ split: { ...split, change, userless } })).not.toContain('The split changed');
  });

  it.each([
    [0.33, 0.02, 0.3, true],
    [0.02, 0.33, 0.3, true],
    [0.1, 0.08, 0.08, true],
    [0.1, 0.08, 0.09, false],
    [0.012, 0.003, 0.002, false],
    [0.4, 0.4, 0.3, false],
  ])(
    'names lost user ids where %d of the lists of B and %d of A have none and the deviation is %d: %s',
    (b, a, deviation, isNamed) => {
      const userless = new Map([
        ['A', a],
        ['B', b],
      ]);
      const text = said({ split: { ...split, deviation, userless } });
      expect(text.includes('who is never named is not counted')).toBe(isNamed);
      if (b === 0.33) expect(text).toContain('33.0 % of the lists of B and 2.0 % of A name no user');
    },
  );
});

describe('the explanation of an improvement', () => {
  const better = (guarded: ExperimentFacts['guarded']) => said({ pBetter: 0.001, effect: BETTER, guarded });

  it('says how much worse each guardrail may be', () => {
    const text = better([
      { measure: 'ctr', most: 0.0132 },
      { measure: 'mrr', most: 0 },
      { measure: 'hit@10', most: undefined },
    ]);
    expect(text).toBe(
      'B is better than A on ndcg@10 by 2.1 % to 4.0 %, over all lists since the start; this holds however often you look. Guardrails: ctr is worse by 1.3 % at most, mrr is not worse, how much worse hit@10 may be is not known.',
    );
    expect(better([])).not.toContain('Guardrails');
    expect(said({ pWorse: 0.001, effect: WORSE, guarded: [{ measure: 'ctr', most: 0.1 }] })).not.toContain(
      'Guardrails',
    );
  });
});

describe('the explanation of an error that few users carry', () => {
  const open = { effect: { ...BETTER, lower: -0.2, lift: { lower: -0.5, upper: 0.5 } } };
  const few = { ...HEALTHY.variant, spread: 6, kish: 200, positives: 1100 };

  it.each([
    ['few users with large amounts', few, true],
    ['in the control alone', HEALTHY.variant, true],
    ['few positives', { ...few, positives: 99 }, false],
    ['few users with many lists', { ...few, kish: 23 }, false],
    ['enough buckets', { ...few, spread: 25 }, false],
    ['no spread at all', { ...few, spread: 0 }, false],
  ])('%s', (name, variant, isCarried) => {
    const control = name === 'in the control alone' ? few : HEALTHY.control;
    const text = said({ ...open, control, variant });
    expect(text.endsWith('Wait for more users.')).toBe(!isCarried);
    expect(text.includes('cap the amounts in the log, or decide by a count, such as hit(action=purchase).')).toBe(
      isCarried,
    );
  });
});

describe('the explanation of an experiment', () => {
  it.each<readonly [string, Partial<ExperimentFacts>, string]>([
    [
      'worse',
      { pWorse: 0.001, effect: WORSE },
      'B is worse than A on ndcg@10 by 2.1 % to 4.0 %, over all lists since the start; this holds however often you look.',
    ],
    [
      'better',
      { pBetter: 0.001, effect: BETTER },
      'B is better than A on ndcg@10 by 2.1 % to 4.0 %, over all lists since the start; this holds however often you look.',
    ],
    [
      'worse, of a measure of which less is better',
      { pWorse: 0.001, effect: BETTER, lowerIsBetter: true },
      'B is worse than A on ndcg@10 by 2.1 % to 4.0 %, over all lists since the start; this holds however often you look.',
    ],
    [
      'better at an earlier look, of a measure of which less is better',
      { pBetter: 0.001, effect: BETTER, lowerIsBetter: true },
      'B was found better than A on ndcg@10 at an earlier look, which stays; over all lists since the start the difference is between +2.1 % and +4.0 %.',
    ],
    [
      'worse, without bounds of the lift',
      { pWorse: 0.001, effect: { ...WORSE, lift: undefined } },
      'B is worse than A on ndcg@10 by 0.0063 to 0.012, over all lists since the start; this holds however often you look.',
    ],
    [
      'worse at an earlier look',
      { pWorse: 0.001 },
      'B was found worse than A on ndcg@10 at an earlier look, which stays; over all lists since the start the difference is between -0.7 % and +0.7 %.',
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
      { guardrail: guardrailAt(0.012) },
      'B was found worse than A on the guardrail mrr (p 0.012), which stays.',
    ],
    [
      'worse on a guardrail, by its interval',
      { guardrail: { ...guardrailAt(0.012), effect: WORSE } },
      'B is worse than A on the guardrail mrr by 2.1 % to 4.0 %, over all lists since the start; this holds however often you look.',
    ],
    [
      'worse on a guardrail of which less is better, by its interval',
      { guardrail: { ...guardrailAt(0.012), lowerIsBetter: true, effect: BETTER } },
      'B is worse than A on the guardrail mrr by 2.1 % to 4.0 %, over all lists since the start; this holds however often you look.',
    ],
    [
      'worse on a guardrail whose interval contains 0',
      {
        guardrail: { ...guardrailAt(0.012), effect: { ...WORSE, upper: 0.0001, lift: { lower: -0.04, upper: 0.001 } } },
      },
      'B was found worse than A on the guardrail mrr (p 0.012), which stays; over all lists since the start the difference is between -4.0 % and +0.1 %.',
    ],
    [
      'within the tolerance',
      {},
      'B is not worse than A on ndcg@10 by more than 1.0 %: the difference over all lists since the start is between -0.7 % and +0.7 %; this holds however often you look.',
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
      'incomplete',
      { missing: 40, isExplained: true },
      /^0\.04 % of the records are missing, and if they were feedback on one of B and A, there may be no difference\. Restore/,
    ],
    [
      'srm',
      { split: { p: 1e-9, deviation: 0.052 } },
      /off by 5\.2 %, p below 0\.001.*Check the weights, .*one variant began later \(then set start/,
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

  it('reports a user who makes most of the lists', () => {
    const bot = { ...HEALTHY.control, kish: 2.4, heaviest: 0.63 };
    expect(said({ variant: bot })).toBe(
      'About 63.0 % of the lists of B come from one user, or from few that share its bucket, so that B weighs as only 2 equal user buckets; 30 are needed in each variant for an error that can be trusted. Find out whether it is a bot, leave it out with drop (docs/events.md), and restart the experiment.',
    );
    expect(said({ control: bot })).toMatch(/^About 63\.0 % of the lists of A /);
    expect(said({ variant: { ...bot, heaviest: 0.049 } })).toMatch(/^The lists of B are spread so unevenly/);
  });

  it('warns that a finding next to no positives may be one of the feedback', () => {
    const dead = { ...HEALTHY.control, positives: 0 };
    const lost = 'B has no lists with a positive: if its ranking is not broken, its feedback is.';
    expect(said({ pWorse: 0.01, effect: WORSE, variant: dead })).toContain(lost);
    expect(said({ guardrail: guardrailAt(0.01), variant: dead })).toContain(lost);
    expect(said({ pWorse: 0.01, effect: WORSE })).not.toContain('feedback');
  });

  it('waits for the next look where a single variant has an interval beyond 0', () => {
    const decision = decide({ ...HEALTHY, pWorse: 0.09, effect: WORSE, tolerance: 0.001 }, undefined);
    expect(explainExperiment(decision, { ...NAMES, isOnly: true })).toBe(
      'As of now, B would be worse than A on ndcg@10 by 2.1 % to 4.0 %. The next look decides; there is one a minute.',
    );
  });

  it('speaks of what has ended as of the past, and ends with its course', () => {
    const decision = decide({ ...HEALTHY, pWorse: 0.01, effect: WORSE }, undefined);
    const time = Date.UTC(2026, 10, 21, 8);
    const when = { at: time, earliest: time, latest: time };
    const words = (ended: typeof when | undefined): string => {
      const episode = { fromStart: false, began: when, ended };
      const course = { lowerIsBetter: false, now: undefined, found: { word: 'worse' as const, episode } };
      return explainExperiment(decision, { ...NAMES, course });
    };
    expect(words(undefined)).toMatch(
      /^B is worse than A .* look\. It began about \S+ \(08:00Z to 08:00Z\)\. How it is now/,
    );
    expect(words(when)).toMatch(/^B was worse than A .* look\. It began about .* and ended about /);
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
    recovered: { from: Date.UTC(2026, 10, 21, 8), to: Date.UTC(2026, 10, 21, 9, 30) },
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
      isAfterAlarm: false,
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
