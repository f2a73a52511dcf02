import type { CrowdSettings } from './crowd.ts';

const CROWD: CrowdSettings = {
  users: 3000,
  hours: 48,
  weights: [0.5, 0.5],
  activity: 1.3,
  clicks: 0.1,
  arrival: 'spread',
  bot: undefined,
  household: 1,
  mood: 0,
  crossing: 0,
  loss: 0,
  measures: ['mrr'],
  guardrails: [],
};

/** All variants are the same. */
export const SAME_CROWDS: ReadonlyMap<string, CrowdSettings> = new Map([
  ['Pareto 1.3', CROWD],
  ['Pareto 1.05', { ...CROWD, activity: 1.05 }],
  ['one visit each', { ...CROWD, users: 10_000, activity: 'one' }],
  ['a bot of 20 %', { ...CROWD, bot: { share: 0.2, variant: 1 } }],
  ['a bot of 40 %', { ...CROWD, bot: { share: 0.4, variant: 0 } }],
  ['a bot of 20 % in the small arm of .9/.1', { ...CROWD, weights: [0.9, 0.1], bot: { share: 0.2, variant: 1 } }],
  ['a bot of 20 % in the large arm of .9/.1', { ...CROWD, weights: [0.9, 0.1], bot: { share: 0.2, variant: 0 } }],
  ['households of four', { ...CROWD, household: 4 }],
  ['moods', { ...CROWD, mood: 1 }],
  ['.9/.1', { ...CROWD, weights: [0.9, 0.1] }],
  ['.95/.05', { ...CROWD, weights: [0.95, 0.05] }],
  ['.95/.05, 5,000 users', { ...CROWD, users: 5000, weights: [0.95, 0.05] }],
  ['.05/.95: a small control', { ...CROWD, weights: [0.05, 0.95] }],
  ['.99/.01, 20,000 users', { ...CROWD, users: 20_000, weights: [0.99, 0.01] }],
  ['.95/.05, 1 % clicks', { ...CROWD, users: 10_000, weights: [0.95, 0.05], clicks: 0.003 }],
  [
    'three variants, four measures',
    {
      ...CROWD,
      weights: [0.4, 0.3, 0.3],
      measures: ['mrr', 'hit@10', 'ndcg@10', 'precision@10'],
      guardrails: ['hit@10'],
    },
  ],
  ['everyone at once, then four weeks', { ...CROWD, users: 1000, hours: 672, arrival: 'at once' }],
  ['users who cross over', { ...CROWD, crossing: 0.008 }],
]);

/** The variant is clicked less often by this share. */
export const LOSSES: readonly number[] = [0.02, 0.05, 0.1];
export const POWER_USERS: readonly number[] = [10_000, 40_000, 160_000];
export const POWER: CrowdSettings = { ...CROWD, hours: 48, activity: 1.8 };
