import { type EpochMs, OTHER_COHORT } from '../vocabulary/events.ts';
import { sampleFirst, sampleKey } from '../vocabulary/user-words.ts';
import { SampleUnion } from './sample-union.ts';
import { HIGHEST_LEVEL, KEY_BITS } from './sampled.ts';

/**
 * How the users of each cohort are split between the variants. Every user counts once, with the variant and the cohort of the first
 * exposure (the smallest event time; among equal ones the first variant, then the cohort that was seen first).
 *
 * So the cohorts of a dimension partition the users, even if users change their cohort; and what the variant does to a user later (an
 * update, another page) moves nobody from one cohort to another.
 *
 * There is one sample of bounded size for all cohorts together, chosen as in `user-sample.ts`; no user id is kept. The first
 * `MOST_COHORTS` cohorts are kept by name; among those that first appear between the same two looks, the busiest. The rest is
 * `__other__`.
 *
 * Example, by country: u1 sees A in DE, then B in FR, u2 sees B in FR: DE has A 1, FR has B 1.
 */
export class CohortSample {
  readonly #variants: number;
  readonly #capacity: number;
  readonly #users: SampleUnion;
  /** Places of cohorts by name. The union's variant of a user is variant · PLACES + the cohort's place. */
  readonly #places = new Map<string, number>();

  /**
   * @param variants number of configured variants
   * @param hashSeed as in `SampleUnion`
   */
  constructor(variants: number, { capacity = COHORT_SAMPLE_CAPACITY, hashSeed = 0 } = {}) {
    this.#variants = variants;
    this.#capacity = capacity;
    this.#users = new SampleUnion({ hashSeed });
  }

  /** Adds all exposures since the last look; their order does not matter. */
  take(exposures: readonly CohortExposure[]): void {
    this.#nameNewcomers(exposures);
    for (const { userId, variant, cohort, ts } of exposures) {
      const first = sampleFirst(userId);
      if (first < 2 ** (HIGHEST_LEVEL - this.level)) {
        this.#put(sampleKey(userId, first), variant * PLACES + (this.#places.get(cohort) ?? OTHER), ts);
      }
    }
  }

  /** Each sampled user stands for 2^level. */
  get level(): number {
    return this.#users.level;
  }

  get sampled(): number {
    return this.#users.size;
  }

  /** Sampled users by variant, for each cohort that has any. */
  counts(): ReadonlyMap<string, readonly number[]> {
    const names = [...this.#places.keys()];
    const counts = new Map<string, number[]>();
    for (const { variant: code, users } of this.#users.exposed().groups) {
      const place = code % PLACES;
      const name = place === OTHER ? OTHER_COHORT : names[place];
      const ofCohort = counts.get(name) ?? new Array<number>(this.#variants).fill(0);
      ofCohort[Math.floor(code / PLACES)] += users;
      counts.set(name, ofCohort);
    }
    return counts;
  }

  #nameNewcomers(exposures: readonly CohortExposure[]): void {
    const newcomers = new Map<string, number>();
    for (const { cohort } of exposures) {
      if (!this.#places.has(cohort)) newcomers.set(cohort, (newcomers.get(cohort) ?? 0) + 1);
    }
    const busiest = [...newcomers].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
    for (const [cohort] of busiest.slice(0, MOST_COHORTS - this.#places.size)) {
      this.#places.set(cohort, this.#places.size);
    }
  }

  #put(key: number, code: number, ts: EpochMs): void {
    // The level rises before a user too many is added, so that the table never exceeds the capacity.
    while (this.sampled >= this.#capacity && this.level < HIGHEST_LEVEL && this.#isNew(key)) {
      this.#users.raise(this.level + 1);
    }
    // The set of variants that the user saw does not matter here.
    this.#users.put(key, 0, ts, code);
  }

  #isNew(key: number): boolean {
    return key < 2 ** (KEY_BITS - this.level) && this.#users.find(key) === undefined;
  }
}

export interface CohortExposure {
  readonly userId: string;
  /** Index among the configured variants, from 0. */
  readonly variant: number;
  readonly cohort: string;
  readonly ts: EpochMs;
}

/** Capacity of the sample of all cohorts of a dimension together: 28 bytes per user in memory. */
const COHORT_SAMPLE_CAPACITY = 2 ** 20;

/** Cohorts that are kept by name. */
export const MOST_COHORTS = 100;

/** Place of all other cohorts. */
const OTHER = MOST_COHORTS;
const PLACES = MOST_COHORTS + 1;
