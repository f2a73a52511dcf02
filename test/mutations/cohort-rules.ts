/** How the split of the users is judged by cohort, with one rule taken out: the scenes of its test must find each. */
import type { Mutation } from './mutation.ts';

const SPLITS = 'experiment/cohort-splits.ts';
const SAMPLE = 'statistics/cohort-sample.ts';

export const COHORT_RULE_MUTATIONS: readonly Mutation[] = [
  {
    name: 'p is not adjusted for the number of cohorts',
    changes: [
      {
        file: SPLITS,
        text: 'adjusted.next().value ?? split.p',
        replacement: '(adjusted.next(), split.p)',
      },
    ],
  },
  {
    name: 'each dimension is adjusted as if it were the only one',
    changes: [
      {
        file: SPLITS,
        text: 'adjusted.next().value ?? split.p',
        replacement: 'holm(splits.map(({ p }) => p))[splits.indexOf(split)]',
      },
    ],
  },
  {
    name: 'only the last look counts',
    changes: [{ file: SPLITS, text: 'larger(this.#evidence.get(cohort), ', replacement: 'larger(undefined, ' }],
  },
  {
    name: 'a user counts in each cohort',
    changes: [
      {
        file: SAMPLE,
        text: 'this.#put(sampleKey(userId, first), ',
        replacement: 'this.#put(sampleKey(cohort + userId, first), ',
      },
    ],
  },
  {
    name: 'a user counts in the last cohort',
    changes: [
      {
        file: 'statistics/sample-union.ts',
        text: 'const isEarlier = ts < this.#times[place] ||',
        replacement: 'const isEarlier = ts > this.#times[place] ||',
      },
    ],
  },
  {
    name: 'names go to those that come first in the file',
    changes: [
      {
        file: SAMPLE,
        text: 'm - n || (a < b ? -1 : 1)',
        replacement: '0 * (m - n) || (a < b ? 0 : 0)',
      },
    ],
  },
  {
    name: 'the number of names has no bound',
    changes: [{ file: SAMPLE, text: '.slice(0, MOST_COHORTS - this.#places.size)', replacement: '' }],
  },
  {
    name: 'the number of users has no bound',
    changes: [{ file: SAMPLE, text: 'this.sampled >= this.#capacity && ', replacement: 'this.sampled < 0 && ' }],
  },
];
