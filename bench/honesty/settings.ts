import type { StreamSettings } from './model.ts';

const RETURNING: StreamSettings = {
  users: 3000,
  looks: 100,
  lists: 12,
  activity: 0.5,
  visits: 'many',
  taste: [0.8, 4],
  treated: 0.5,
  loss: 0,
  from: 0,
  nStar: 5000,
};

/** Both variants are the same. */
export const SAME: ReadonlyMap<string, StreamSettings> = new Map([
  ['users come back, tastes far apart', RETURNING],
  [
    'each user comes once',
    { ...RETURNING, users: 4000, looks: 50, lists: 4, activity: 1, visits: 'one', taste: [2, 6] },
  ],
  ['2 % of the lists are clicked', { ...RETURNING, looks: 50, taste: [0.5, 24.5] }],
  ['a tenth of the users has most lists', { ...RETURNING, looks: 50, activity: 0.1 }],
  ['six times as many users as `nStar` says', { ...RETURNING, looks: 50, activity: 1, nStar: 500 }],
]);

const WORSE: StreamSettings = {
  ...RETURNING,
  users: 40_000,
  looks: 50,
  activity: 1,
  taste: [2, 6],
  loss: 0.05,
};

/** The treatment is clicked less often by 5 %. */
export const REGRESSED: ReadonlyMap<string, StreamSettings> = new Map([
  ['10,000 users, from the start', { ...WORSE, users: 10_000 }],
  ['40,000 users, from the start', WORSE],
  ['40,000 users, from half way', { ...WORSE, from: WORSE.looks / 2 }],
]);
